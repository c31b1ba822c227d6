//! POST /api/client-errors: which page errors are accepted.

use crate::support::{Gateway, HTTP, settings};
use garimpo_gateway::Settings;
use garimpo_gateway::budget::GatewayLimits;
use http::StatusCode;
use serde_json::json;

const PATH: &str = "/api/client-errors";

fn error(stack: &str) -> String {
    json!({"release": "abc", "path": "/planos", "error": stack}).to_string()
}

async fn status(gateway: &Gateway, headers: &[(&str, &str)], body: &str) -> StatusCode {
    gateway.post(PATH, headers, body).await.status
}

#[tokio::test]
async fn page_errors_are_accepted_only_from_our_origin_and_call_no_service() {
    let gateway = Gateway::new();
    assert_eq!(status(&gateway, &[("origin", HTTP)], &error("at a")).await, StatusCode::ACCEPTED);
    let foreign = [("origin", "https://outro.example")];
    for headers in [&[] as &[_], &foreign, &[("origin", HTTP), ("sec-fetch-site", "cross-site")]] {
        assert_eq!(status(&gateway, headers, &error("at a")).await, StatusCode::FORBIDDEN);
    }
    assert!(gateway.services.seen().is_empty());
}

#[tokio::test]
async fn a_page_error_that_is_too_large_is_refused() {
    let gateway = Gateway::new();
    assert_eq!(status(&gateway, &[("origin", HTTP)], &error(&"a".repeat(8_000))).await, StatusCode::ACCEPTED);
    let large = status(&gateway, &[("origin", HTTP)], &error(&"a".repeat(8_192))).await;
    assert_eq!(large, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn too_many_page_errors_from_one_address_are_refused_with_retry_after() {
    let limits = GatewayLimits { page_errors: 2, ..GatewayLimits::default() };
    let gateway = Gateway::with(Settings { limits, ..settings(HTTP) });
    for expected in [StatusCode::ACCEPTED, StatusCode::ACCEPTED, StatusCode::TOO_MANY_REQUESTS] {
        let answer = gateway.post(PATH, &[("origin", HTTP)], &error("at a")).await;
        assert_eq!(answer.status, expected);
        assert_eq!(answer.header("retry-after").is_empty(), expected == StatusCode::ACCEPTED);
    }
}
