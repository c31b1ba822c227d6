//! Conditional requests and accepted encodings.

use crate::header_parts::parts;
use http::header::{ACCEPT_ENCODING, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue};

/// Whether the caller already has this representation.
pub(super) fn is_unchanged(request: &HeaderMap, etag: &HeaderValue) -> bool {
    let etag = etag.to_str().unwrap_or_default();
    parts(request, IF_NONE_MATCH, b',').any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

pub(super) fn accepts(request: &HeaderMap, encoding: &str) -> bool {
    parts(request, ACCEPT_ENCODING, b',').any(|choice| {
        let choice = choice.to_ascii_lowercase();
        let mut parts = choice.split(';').map(str::trim);
        let is_named = parts.next() == Some(encoding);
        let is_refused =
            parts.filter_map(|p| p.strip_prefix("q=")).any(|q| q.parse::<f32>().is_ok_and(|q| q <= 0.0));
        is_named && !is_refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(name: http::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn an_encoding_with_q_zero_is_not_accepted() {
        let takes = |value| accepts(&asks(ACCEPT_ENCODING, value), "br");
        assert!(takes("gzip, deflate, br"));
        assert!(takes("br;q=0.5"));
        assert!(!takes("br;q=0, gzip"));
        assert!(!takes("BR;Q=0") && takes("gzip, BR;Q=0.1"));
        assert!(!takes("gzip"));
    }

    #[test]
    fn an_equal_etag_among_several_means_unchanged() {
        let etag = HeaderValue::from_static("\"abc\"");
        for value in ["\"abc\"", "\"x\", \"abc\"", "W/\"abc\"", "*"] {
            assert!(is_unchanged(&asks(IF_NONE_MATCH, value), &etag), "{value}");
        }
        assert!(!is_unchanged(&asks(IF_NONE_MATCH, "\"abd\""), &etag));
    }
}
