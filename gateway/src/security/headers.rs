//! Response headers against sniffing, framing, leaking and caching.

use crate::public_url::PublicUrl;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue};

/// Policy of responses that are not pages: nothing may run or embed them.
pub(crate) const NO_PAGE: HeaderValue =
    HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// Sets the security headers of every response, except those that a page or file has set. A gRPC
/// response is no page, so it gets only the headers against sniffing and caching.
pub(crate) fn apply_security_headers(headers: &mut HeaderMap, public_url: &PublicUrl, is_grpc: bool) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if is_grpc {
        return;
    }
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(NO_PAGE);
    headers.entry(REFERRER_POLICY).or_insert(HeaderValue::from_static("strict-origin-when-cross-origin"));
    if public_url.is_https() {
        // For this host alone: what else the domain serves is not ours to decide.
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
}
