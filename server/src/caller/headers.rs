//! Texts that a call carries in its headers, and those that a response carries to the gateway.

use garimpo_proto::metadata::UID;
use http::{HeaderMap, HeaderValue};

/// Longest text read from a header, in characters.
const MAX_TEXT: usize = 300;

/// Tokens of a call that are read. Each costs a read of the database.
const MAX_TOKENS: usize = 3;

/// The bearer tokens of a call: one, or several if a browser has several cookies of our name.
pub(crate) fn bearers(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(http::header::AUTHORIZATION).into_iter().take(MAX_TOKENS);
    lines.filter_map(|line| {
        let (scheme, token) = line.to_str().ok()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    })
}

/// The first bearer token of a call.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    bearers(headers).next()
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
