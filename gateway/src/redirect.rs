//! The port for plain http: pages redirect to https, calls are refused.

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::header::LOCATION;
use http::{HeaderValue, Method, StatusCode};

use crate::public_url::PublicUrl;

/// First segments of paths that programs call.
const CALLS: [&str; 5] =
    ["api", "webhooks", "session-status", "create-embedded-checkout-session", "meta-capi"];
/// Packages of the gRPC services.
const PACKAGES: [&str; 2] = ["garimpo.", "grpc."];

/// The router of the port that redirects to the site's own address, whatever Host a client names.
pub fn redirect(public_url: PublicUrl) -> Router {
    Router::new().fallback(respond).with_state(public_url)
}

/// A program that sends its token in clear must notice at once, so only pages redirect.
async fn respond(State(public_url): State<PublicUrl>, request: Request) -> Response {
    let path = request.uri().path();
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    if !is_read || is_call(path) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    // Another form than a path, such as `*` or an authority, is no page's.
    let Some(target) = path.starts_with('/').then(|| format!("{}{path}", public_url.origin())) else {
        return StatusCode::FORBIDDEN.into_response();
    };
    match HeaderValue::try_from(target) {
        Ok(target) => (StatusCode::MOVED_PERMANENTLY, [(LOCATION, target)]).into_response(),
        Err(_) => StatusCode::FORBIDDEN.into_response(),
    }
}

fn is_call(path: &str) -> bool {
    let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    CALLS.contains(&first) || PACKAGES.iter().any(|package| first.starts_with(package))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use tower::ServiceExt as _;

    async fn response(method: &str, target: &str) -> (u16, String) {
        let router = redirect(PublicUrl::parse("https://Garimpo.Example").unwrap());
        let request = Request::builder().method(method).uri(target).header("host", "outro.example");
        let response = router.oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let target = response.headers().get(LOCATION).map(|value| value.to_str().unwrap().to_owned());
        (response.status().as_u16(), target.unwrap_or_default())
    }

    #[tokio::test]
    async fn a_page_is_redirected_to_the_site_and_a_call_is_refused() {
        for path in ["/", "/planos?utm_source=a&promo=B", "//outro.example/x", "/apis"] {
            assert_eq!(
                response("GET", path).await,
                (301, format!("https://garimpo.example{path}")),
                "{path}"
            );
        }
        assert_eq!(response("HEAD", "/planos").await.0, 301);
        let other_host = response("GET", "http://outro.example/planos").await;
        assert_eq!(other_host, (301, "https://garimpo.example/planos".to_owned()));
        for call in [
            "/api/auth/check-cookie",
            "/webhooks/stripe",
            "/session-status?session_id=cs_1",
            "/garimpo.auth.v1.AuthService/SignIn",
            "/grpc.health.v1.Health/Check",
        ] {
            assert_eq!(response("GET", call).await.0, 403, "{call}");
        }
        assert_eq!(response("POST", "/planos").await.0, 403);
    }
}
