//! Accepts known Host names, refuses cross-site writes, and sets the security headers of every
//! answer.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{HOST, HeaderName, ORIGIN};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use serde_json::json;

use crate::state::World;

/// Middleware: refuses foreign callers and sets the headers of every answer.
pub async fn watch(State(world): State<Arc<World>>, request: Request, next: Next) -> Response {
    let mut response = match refusal(&world.url, request.method(), request.headers(), request.uri().host()) {
        Some(why) => {
            (StatusCode::FORBIDDEN, Json(json!({"error": {"type": "invalid_request_error", "message": why}})))
                .into_response()
        }
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    set_absent(headers, "x-content-type-options", "nosniff");
    set_absent(headers, "referrer-policy", "same-origin");
    set_absent(headers, "cache-control", "no-store");
    response
}

fn set_absent(headers: &mut HeaderMap, name: &'static str, value: &'static str) {
    headers.entry(HeaderName::from_static(name)).or_insert(HeaderValue::from_static(value));
}

fn refusal(own: &str, method: &Method, headers: &HeaderMap, uri_host: Option<&str>) -> Option<&'static str> {
    let host = headers.get(HOST).and_then(|value| value.to_str().ok()).or(uri_host).unwrap_or_default();
    let own_authority = own.split("://").nth(1).unwrap_or_default();
    if !is_loopback(host_name(host)) && !host_name(host).eq_ignore_ascii_case(host_name(own_authority)) {
        return Some("unknown Host name");
    }
    if method == Method::GET || method == Method::HEAD {
        return None;
    }
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    if site.is_some_and(|site| site != b"same-origin" && site != b"none") {
        return Some("cross-site request");
    }
    let origin = headers.get(ORIGIN)?.to_str().unwrap_or("null");
    let same = origin.split("://").nth(1) == Some(host) || origin == own;
    (!same).then_some("cross-site request")
}

fn host_name(authority: &str) -> &str {
    match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    }
}

fn is_loopback(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn unknown_hosts_and_cross_site_writes_are_refused() {
        let own = "http://127.0.0.1:12111";
        let ask = |method: Method, pairs: &[(&'static str, &'static str)]| {
            refusal(own, &method, &headers(pairs), None).is_some()
        };

        assert!(ask(Method::GET, &[("host", "evil.example")]));
        assert!(!ask(Method::GET, &[("host", "localhost:12111"), ("sec-fetch-site", "cross-site")]));
        assert!(!ask(Method::POST, &[("host", "127.0.0.1:12111")]));
        assert!(!ask(Method::POST, &[("host", "127.0.0.1:12111"), ("origin", "http://127.0.0.1:12111")]));
        assert!(ask(Method::POST, &[("host", "127.0.0.1:12111"), ("origin", "http://127.0.0.1:8080")]));
        assert!(ask(Method::POST, &[("host", "127.0.0.1:12111"), ("origin", "null")]));
        assert!(ask(Method::POST, &[("host", "127.0.0.1:12111"), ("sec-fetch-site", "same-site")]));
    }
}
