//! The session cookie, which exists between browser and gateway only.
//!
//! Towards the services it becomes `authorization: Bearer …`. Response metadata with a session
//! becomes `Set-Cookie` and is dropped, for REST, gRPC-Web and gRPC alike.

use crate::header_parts::parts;
use garimpo_proto::metadata::{SESSION, SESSION_MAX_AGE};
use http::header::COOKIE;
use http::{HeaderMap, HeaderValue};

/// Longer values are not our tokens.
const MAX_TOKEN_LEN: usize = 256;
/// Each token costs the server a read.
const MAX_TOKENS: usize = 3;

/// Change of the browser's session by a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SessionChange {
    /// `max_age` is in seconds.
    Set { token: String, max_age: u64 },
    /// Expires the cookie.
    End,
}

/// Name of the cookie: over TLS the prefix `__Host-` binds it to this host.
pub(crate) fn name(https: bool) -> &'static str {
    if https { "__Host-garimpo_session" } else { "garimpo_session" }
}

/// The session tokens among the request's cookies: one, or several if another host of the domain
/// set a cookie of this name, of which at most [`MAX_TOKENS`] count.
pub(crate) fn tokens(headers: &HeaderMap, https: bool) -> impl Iterator<Item = &str> {
    let name = name(https);
    parts(headers, COOKIE, b';')
        .filter_map(|pair| pair.split_once('='))
        .filter(move |(key, value)| *key == name && is_token(value))
        .map(|(_, value)| value)
        .take(MAX_TOKENS)
}

fn is_token(value: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    (1..=MAX_TOKEN_LEN).contains(&value.len()) && value.bytes().all(plain)
}

/// Removes the session from response metadata.
pub(crate) fn take_change(headers: &mut HeaderMap) -> Option<SessionChange> {
    let max_age = headers.remove(SESSION_MAX_AGE);
    let token = headers.remove(SESSION)?;
    let max_age = max_age.and_then(|v| v.to_str().ok()?.parse().ok());
    match (token.to_str(), max_age) {
        (Ok(""), _) => Some(SessionChange::End),
        (Ok(token), Some(max_age)) if is_token(token) => {
            Some(SessionChange::Set { token: token.to_owned(), max_age })
        }
        _ => {
            tracing::error!("the server sent a session without a usable token and max-age");
            None
        }
    }
}

/// The `Set-Cookie` line for a change.
pub(crate) fn header(change: &SessionChange, https: bool) -> Option<HeaderValue> {
    let name = name(https);
    let secure = if https { "; Secure" } else { "" };
    let line = match change {
        SessionChange::Set { token, max_age } => {
            format!("{name}={token}; Path=/; HttpOnly; SameSite=Lax; Max-Age={max_age}{secure}")
        }
        SessionChange::End => format!(
            "{name}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT{secure}"
        ),
    };
    let mut value = HeaderValue::from_str(&line).ok()?;
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cookies(lines: &[&'static str]) -> HeaderMap {
        lines.iter().map(|line| (COOKIE, HeaderValue::from_static(line))).collect()
    }

    fn token(headers: &HeaderMap, https: bool) -> Option<&str> {
        tokens(headers, https).next()
    }

    #[test]
    fn a_foreign_cookie_of_any_bytes_hides_no_session() {
        for foreign in ["campanha=liquidação".as_bytes(), b"x=\xe3\xff", b"=", b"; ;"] {
            let ours = b"garimpo_session=gs_abc".as_slice();
            for line in [[foreign, ours].join(&b"; "[..]), [ours, foreign].join(&b";"[..])] {
                let headers = HeaderMap::from_iter([(COOKIE, HeaderValue::from_bytes(&line).unwrap())]);
                assert_eq!(token(&headers, false), Some("gs_abc"), "{line:?}");
            }
        }
    }

    #[test]
    fn at_most_three_cookies_of_one_name_are_read() {
        let headers = cookies(&[
            "garimpo_session=a; garimpo_session=\"; garimpo_session=b",
            "garimpo_session=c",
            "garimpo_session=d",
        ]);
        assert_eq!(tokens(&headers, false).collect::<Vec<_>>(), ["a", "b", "c"]);
    }

    #[test]
    fn the_session_cookie_is_found_among_others_and_in_several_header_lines() {
        let headers = cookies(&["a=1; b=2", "garimpo_session=gs_abc; c=3"]);
        assert_eq!(token(&headers, false), Some("gs_abc"));
        assert_eq!(token(&headers, true), None);
        let headers = cookies(&["__Host-garimpo_session=gs_abc"]);
        assert_eq!(token(&headers, true), Some("gs_abc"));
    }

    #[test]
    fn a_cookie_with_a_malformed_token_is_ignored() {
        for line in ["garimpo_session=", "garimpo_session=a b", "garimpo_session=a\"b", "garimpo_session"] {
            assert_eq!(token(&cookies(&[line]), false), None, "{line}");
        }
    }

    #[test]
    fn the_session_metadata_of_the_server_becomes_a_cookie_and_is_removed() {
        let mut headers = HeaderMap::new();
        headers.insert(SESSION, HeaderValue::from_static("gs_abc"));
        headers.insert(SESSION_MAX_AGE, HeaderValue::from_static("1209600"));

        let change = take_change(&mut headers).unwrap();

        assert!(headers.is_empty());
        let line = |https| header(&change, https).unwrap().to_str().unwrap().to_owned();
        assert_eq!(line(false), "garimpo_session=gs_abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=1209600");
        assert_eq!(
            line(true),
            "__Host-garimpo_session=gs_abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=1209600; Secure"
        );
    }

    #[test]
    fn an_empty_session_expires_the_cookie() {
        let mut headers = HeaderMap::new();
        headers.insert(SESSION, HeaderValue::from_static(""));
        let change = take_change(&mut headers).unwrap();
        assert_eq!(change, SessionChange::End);
        assert!(header(&change, false).unwrap().to_str().unwrap().contains("Max-Age=0"));
    }

    proptest! {
        #[test]
        fn any_cookie_gives_only_a_well_formed_token_under_our_name(
            line in prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..64),
                "(garimpo_session|a)?=?[a-z_\"; =]{0,20}(; ?garimpo_session=[ -~]{0,12})?".prop_map(String::into_bytes),
            ],
            https in any::<bool>(),
        ) {
            let Ok(value) = HeaderValue::from_bytes(&line) else { return Ok(()) };
            let headers = HeaderMap::from_iter([(COOKIE, value)]);
            if let Some(found) = token(&headers, https) {
                prop_assert!(is_token(found));
                let pair = format!("{}={found}", name(https));
                prop_assert!(String::from_utf8_lossy(&line).contains(&pair));
            }
        }

        #[test]
        fn any_session_of_the_server_becomes_one_cookie_line_or_none(
            text in prop_oneof![any::<String>(), "[a-zA-Z0-9_; ,=-]{0,40}"],
            max_age in any::<u64>(),
        ) {
            let Ok(value) = HeaderValue::from_str(&text) else { return Ok(()) };
            let mut headers = HeaderMap::from_iter([(SESSION, value), (SESSION_MAX_AGE, HeaderValue::from(max_age))]);
            let Some(change) = take_change(&mut headers) else { return Ok(()) };
            let line = header(&change, true).expect("a line");
            let line = line.to_str().expect("visible");
            prop_assert_eq!(line.matches(';').count(), if text.is_empty() { 6 } else { 5 });
            prop_assert!(line.ends_with("; Secure") && line.contains("; HttpOnly; SameSite=Lax; "));
        }
    }
}
