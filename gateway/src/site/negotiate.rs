//! Conditional requests and accepted encodings.

use http::header::{ACCEPT_ENCODING, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue};

/// Whether the caller already has this representation.
pub(super) fn is_unchanged(request: &HeaderMap, etag: &HeaderValue) -> bool {
    let etag = etag.to_str().unwrap_or_default();
    request
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

pub(super) fn accepts(request: &HeaderMap, encoding: &str) -> bool {
    request
        .get_all(ACCEPT_ENCODING)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .any(|choice| {
            let mut parts = choice.split(';').map(str::trim);
            let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(encoding));
            let refused =
                parts.filter_map(|p| p.strip_prefix("q=")).any(|q| q.parse::<f32>().is_ok_and(|q| q <= 0.0));
            named && !refused
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(name: http::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn codificacao_recusada_com_q_zero_nao_vale() {
        let takes = |value| accepts(&asks(ACCEPT_ENCODING, value), "br");
        assert!(takes("gzip, deflate, br"));
        assert!(takes("br;q=0.5"));
        assert!(!takes("br;q=0, gzip"));
        assert!(!takes("gzip"));
    }

    #[test]
    fn etag_igual_entre_varios_e_sem_mudanca() {
        let etag = HeaderValue::from_static("\"abc\"");
        for value in ["\"abc\"", "\"x\", \"abc\"", "W/\"abc\"", "*"] {
            assert!(is_unchanged(&asks(IF_NONE_MATCH, value), &etag), "{value}");
        }
        assert!(!is_unchanged(&asks(IF_NONE_MATCH, "\"abd\""), &etag));
    }
}
