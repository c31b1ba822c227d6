//! Texts that a call carries in its headers, and those that a response carries to the gateway.

use garimpo_proto::metadata::UID;
use http::{HeaderMap, HeaderValue};

/// Longest text read from a header, in characters.
const MAX_TEXT: usize = 300;

/// The bearer token of a call.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(http::header::AUTHORIZATION).map(HeaderValue::to_str)?.ok()?;
    let (scheme, token) = value.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") { Some(token.trim()) } else { None }
}

/// Names the account of a call in its response, for the gateway's log.
pub(crate) fn set_uid(headers: &mut HeaderMap, uid: &str) {
    if let Ok(uid) = HeaderValue::from_str(uid) {
        headers.insert(UID, uid);
    }
}

/// Reads a text without control characters, cut after [`MAX_TEXT`].
pub(super) fn text(value: &HeaderValue) -> Option<String> {
    // A gateway sends visible ASCII, which needs no look at each letter.
    if let Some(text) =
        value.to_str().ok().filter(|text| (1..=MAX_TEXT).contains(&text.len()) && !text.contains('\t'))
    {
        return Some(text.to_owned());
    }
    let text = String::from_utf8_lossy(value.as_bytes());
    let clean: String = text.chars().filter(|letter| !letter.is_control()).take(MAX_TEXT).collect();
    if clean.is_empty() { None } else { Some(clean) }
}
