//! The session cookie, which exists between browser and gateway only.
//!
//! For the services it becomes the caller's credential. A change of the session by a service
//! becomes `Set-Cookie`, for REST, gRPC-Web and gRPC alike.

use crate::header_parts::parts;
use garimpo_proto::SessionChange;
use http::header::COOKIE;
use http::{HeaderMap, HeaderValue};

/// Longer values are not our tokens.
const MAX_TOKEN_LEN: usize = 256;
/// Each token costs the server a read.
const MAX_TOKENS: usize = 3;

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

/// The `Set-Cookie` line for a change.
pub(crate) fn header(change: &SessionChange, https: bool) -> Option<HeaderValue> {
    let name = name(https);
    let secure = if https { "; Secure" } else { "" };
    let line = match change {
        SessionChange::Set { token, max_age_seconds } => {
            format!("{name}={token}; Path=/; HttpOnly; SameSite=Lax; Max-Age={max_age_seconds}{secure}")
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
    fn a_set_session_becomes_a_cookie_and_an_ended_one_expires_it() {
        let set = SessionChange::Set { token: "gs_abc".to_owned(), max_age_seconds: 1_209_600 };
        let line = |change, https| header(change, https).unwrap().to_str().unwrap().to_owned();
        assert_eq!(
            line(&set, false),
            "garimpo_session=gs_abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=1209600"
        );
        assert_eq!(
            line(&set, true),
            "__Host-garimpo_session=gs_abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=1209600; Secure"
        );
        assert!(line(&SessionChange::End, false).contains("Max-Age=0"));
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
    }
}
