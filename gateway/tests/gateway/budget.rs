//! Limits of one client, which leave room for all others.

use crate::support::{Gateway, HTTP, SIGNATURE, framed, request, settings};
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures::StreamExt;
use garimpo_gateway::budget::{AnswerEviction, BudgetLimits, GatewayLimits};
use garimpo_proto::billing::v1::ReceiveEventResponse;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::reasons::{DOMAIN, reason_name};
use http::{Request, StatusCode};
use http_body_util::BodyExt;
use prost::Message;
use std::convert::Infallible;
use std::net::IpAddr;
use std::time::Duration;
use tokio::task::JoinHandle;
use tonic::{Code, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_types::{ErrorDetails, StatusExt};

const RECEIVE: &str = "garimpo.billing.v1.WebhookService/ReceiveEvent";
const WATCH: &str = "grpc.health.v1.Health/Watch";
const DEADLINE: Duration = Duration::from_secs(10);
const ATTACKER: &str = "2001:db8::1";
/// In the attacker's /64.
const SAME_CLIENT: &str = "2001:db8::ffff:2";
const OTHER: &str = "203.0.113.7";

fn limited(limits: GatewayLimits) -> Gateway {
    let mut settings = settings(HTTP);
    settings.limits = limits;
    let gateway = Gateway::with(settings);
    gateway.services.answers(RECEIVE, &ReceiveEventResponse {}, &[]);
    gateway
}

/// A body with one piece and no end.
fn endless(bytes: usize) -> Body {
    let first = futures::stream::iter([Ok::<_, Infallible>(Bytes::from(vec![b'a'; bytes]))]);
    Body::from_stream(first.chain(futures::stream::pending()))
}

fn event(body: impl Into<Body>) -> Request<Body> {
    request("POST", "/webhooks/stripe", &[("stripe-signature", SIGNATURE)], "").map(|_| body.into())
}

/// Sends a request in the background.
fn asked(gateway: &Gateway, from: &str, request: Request<Body>) -> JoinHandle<Response> {
    let from: IpAddr = from.parse().unwrap();
    tokio::spawn(gateway.answer(from, request))
}

async fn status(gateway: &Gateway, from: &str, request: Request<Body>) -> (StatusCode, String) {
    let answer = tokio::time::timeout(DEADLINE, asked(gateway, from, request)).await;
    let answer = answer.expect("an answer in time").unwrap();
    let after = answer.headers().get("retry-after").map(|after| after.to_str().unwrap().to_owned());
    (answer.status(), after.unwrap_or_default())
}

/// Repeats the request until the status is this one, because a dropped request frees its share
/// later.
async fn becomes(gateway: &Gateway, from: &str, expected: StatusCode) {
    let deadline = tokio::time::Instant::now() + DEADLINE;
    while status(gateway, from, event("{}")).await.0 != expected {
        assert!(tokio::time::Instant::now() < deadline, "it becomes {expected}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn held_bodies_of_one_client_stop_at_its_limit_and_others_are_served() {
    let event_bytes = BudgetLimits { total: 300 * 1024, client: 150 * 1024 };
    let gateway = limited(GatewayLimits { event_bytes, ..GatewayLimits::default() });

    let held = asked(&gateway, ATTACKER, event(endless(150 * 1024)));
    becomes(&gateway, SAME_CLIENT, StatusCode::TOO_MANY_REQUESTS).await;
    let refused = status(&gateway, SAME_CLIENT, event("{}")).await;
    assert_eq!(refused, (StatusCode::TOO_MANY_REQUESTS, "5".to_owned()));
    assert_eq!(status(&gateway, OTHER, event("{}")).await.0, StatusCode::OK);

    held.abort();
    becomes(&gateway, SAME_CLIENT, StatusCode::OK).await;
}

#[tokio::test]
async fn endless_events_that_fill_the_memory_yield_to_a_client_that_holds_less() {
    let event_bytes = BudgetLimits { total: 300 * 1024, client: 150 * 1024 };
    let gateway = limited(GatewayLimits { event_bytes, ..GatewayLimits::default() });
    let oldest = asked(&gateway, ATTACKER, event(endless(150 * 1024)));
    becomes(&gateway, ATTACKER, StatusCode::TOO_MANY_REQUESTS).await;
    let newer = asked(&gateway, "2001:db8:9::1", event(endless(150 * 1024)));
    becomes(&gateway, "2001:db8:9::1", StatusCode::TOO_MANY_REQUESTS).await;

    let provider = event(vec![b'a'; 100 * 1024]);
    assert_eq!(status(&gateway, OTHER, provider).await.0, StatusCode::OK);

    let evicted = tokio::time::timeout(DEADLINE, oldest).await.expect("it ends").unwrap();
    assert_eq!(evicted.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(evicted.headers()["retry-after"], "5");
    newer.abort();
}

#[tokio::test]
async fn unfinished_bodies_have_a_budget_of_their_own_so_pages_and_other_bodies_are_served() {
    let bodies = BudgetLimits { total: 6, client: 3 };
    let requests = BudgetLimits { total: 1, client: 1 };
    let gateway = limited(GatewayLimits { bodies, requests, ..GatewayLimits::default() });

    let first = asked(&gateway, ATTACKER, event(endless(1)));
    let _held = [(); 2].map(|()| asked(&gateway, ATTACKER, event(endless(1))));
    becomes(&gateway, SAME_CLIENT, StatusCode::TOO_MANY_REQUESTS).await;
    let second = "2001:db8:9::1";
    let _others = [(); 3].map(|()| asked(&gateway, second, event(endless(1))));
    becomes(&gateway, second, StatusCode::TOO_MANY_REQUESTS).await;

    let config = request("GET", "/config.json", &[], "");
    assert_eq!(status(&gateway, OTHER, config).await.0, StatusCode::OK);
    assert_eq!(status(&gateway, OTHER, event("{}")).await.0, StatusCode::OK);
    let evicted = tokio::time::timeout(DEADLINE, first).await.expect("it ends").unwrap();
    assert_eq!(evicted.status(), StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn a_body_without_a_first_byte_and_an_event_without_an_end_time_out_with_400() {
    let soon = Duration::from_millis(200);
    let gateway = limited(GatewayLimits { first_byte: soon, ..GatewayLimits::default() });
    let nothing = Body::from_stream(futures::stream::pending::<Result<Bytes, Infallible>>());
    assert_eq!(status(&gateway, OTHER, event(nothing)).await.0, StatusCode::BAD_REQUEST);

    let gateway = limited(GatewayLimits { event_time: soon, ..GatewayLimits::default() });
    assert_eq!(status(&gateway, OTHER, event(endless(1024))).await.0, StatusCode::BAD_REQUEST);
    assert!(gateway.services.seen().is_empty());
}

#[tokio::test]
async fn too_many_concurrent_calls_of_a_client_are_429_with_retry_after() {
    let bodies = BudgetLimits { total: 100, client: 2 };
    let gateway = limited(GatewayLimits { bodies, ..GatewayLimits::default() });

    let held = [(); 2].map(|()| asked(&gateway, ATTACKER, event(endless(1))));
    becomes(&gateway, SAME_CLIENT, StatusCode::TOO_MANY_REQUESTS).await;

    assert_eq!(status(&gateway, OTHER, event("{}")).await.0, StatusCode::OK);
    for call in held {
        call.abort();
    }
    becomes(&gateway, SAME_CLIENT, StatusCode::OK).await;

    for (total, client, expected) in
        [(9, 0, StatusCode::TOO_MANY_REQUESTS), (0, 9, StatusCode::SERVICE_UNAVAILABLE)]
    {
        let requests = BudgetLimits { total, client };
        let gateway = limited(GatewayLimits { requests, ..GatewayLimits::default() });
        let refused = (expected, "5".to_owned());
        assert_eq!(status(&gateway, OTHER, request("GET", "/config.json", &[], "")).await, refused);
        assert_eq!(status(&gateway, OTHER, event("{}")).await, refused);
    }
}

fn config(version: http::Version) -> Request<Body> {
    let mut request = request("GET", "/config.json", &[], "");
    *request.version_mut() = version;
    request
}

#[tokio::test]
async fn an_unread_response_counts_as_a_request_and_a_refusal_over_http_2_has_no_body() {
    let requests = BudgetLimits { total: 9, client: 2 };
    let gateway = limited(GatewayLimits { requests, ..GatewayLimits::default() });
    let ask = |from: &str, version| asked(&gateway, from, config(version));
    let http2 = http::Version::HTTP_2;
    let unread = [ask(ATTACKER, http2).await.unwrap(), ask(ATTACKER, http2).await.unwrap()];

    // Over HTTP/2 a refusal with a body would be one more unread response.
    let refused = ask(SAME_CLIENT, http2).await.unwrap();
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.headers()["retry-after"], "5");
    assert!(http_body::Body::is_end_stream(refused.body()));
    let mut early = event(endless(1));
    *early.version_mut() = http2;
    early.headers_mut().remove("stripe-signature");
    let early = asked(&gateway, SAME_CLIENT, early).await.unwrap();
    assert_eq!(early.status(), StatusCode::BAD_REQUEST);
    assert!(http_body::Body::is_end_stream(early.body()));
    let told = ask(SAME_CLIENT, http::Version::HTTP_11).await.unwrap();
    assert!(
        !told.into_body().collect().await.unwrap().to_bytes().is_empty(),
        "HTTP/1.1 has one answer at a time"
    );
    assert_eq!(ask(OTHER, http2).await.unwrap().status(), StatusCode::OK);

    drop(unread);
    assert_eq!(ask(SAME_CLIENT, http2).await.unwrap().status(), StatusCode::OK);
}

#[tokio::test]
async fn unread_responses_that_fill_the_total_are_evicted_for_a_client_that_holds_less() {
    let requests = BudgetLimits { total: 3, client: 3 };
    let gateway = limited(GatewayLimits { requests, ..GatewayLimits::default() });
    let eviction = AnswerEviction::default();
    let mut unread = Vec::new();
    for _ in 0..3 {
        let mut request = config(http::Version::HTTP_2);
        request.extensions_mut().insert(eviction.clone());
        unread.push(asked(&gateway, ATTACKER, request).await.unwrap());
    }

    let answer = asked(&gateway, OTHER, config(http::Version::HTTP_2)).await.unwrap();

    assert_eq!(answer.status(), StatusCode::OK);
    tokio::time::timeout(DEADLINE, eviction.evicted()).await.expect("the attacker's connection ends");
}

#[tokio::test]
async fn a_refusal_before_the_body_is_read_closes_an_http_1_connection() {
    let gateway = limited(GatewayLimits::default());
    let unsigned = || request("POST", "/webhooks/stripe", &[], "").map(|_| endless(1));
    let closes =
        |response: &Response| response.headers().get("connection").is_some_and(|value| value == "close");

    let refused = asked(&gateway, OTHER, unsigned()).await.unwrap();
    assert_eq!((refused.status(), closes(&refused)), (StatusCode::BAD_REQUEST, true));
    let mut over_http2 = unsigned();
    *over_http2.version_mut() = http::Version::HTTP_2;
    assert!(!closes(&asked(&gateway, OTHER, over_http2).await.unwrap()), "HTTP/2 has no such header");
    let read = asked(&gateway, OTHER, event("{}")).await.unwrap();
    assert_eq!((read.status(), closes(&read)), (StatusCode::OK, false));
    let without = asked(&gateway, OTHER, request("POST", "/webhooks/stripe", &[], "").map(|_| Body::empty()));
    let without = without.await.unwrap();
    assert_eq!((without.status(), closes(&without)), (StatusCode::BAD_REQUEST, false));
}

#[tokio::test]
async fn too_many_wrong_signatures_bar_the_client_from_the_webhook_before_its_body() {
    let gateway = limited(GatewayLimits { refused_events: 3, ..GatewayLimits::default() });
    let details = ErrorDetails::with_error_info(
        reason_name(ErrorReason::InvalidSignature),
        DOMAIN,
        std::collections::HashMap::new(),
    );
    let wrong = Status::with_error_details(Code::InvalidArgument, "in English", details);
    gateway.services.refuses(RECEIVE, wrong);
    for _ in 0..4 {
        let refused = status(&gateway, ATTACKER, event("{}")).await;
        assert_eq!(refused.0, StatusCode::BAD_REQUEST);
    }

    let barred = status(&gateway, SAME_CLIENT, event(endless(1))).await;

    assert_eq!(barred, (StatusCode::TOO_MANY_REQUESTS, "60".to_owned()));
    assert_eq!(gateway.services.seen().len(), 4);
    assert_eq!(status(&gateway, OTHER, event("{}")).await.0, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_webhook_event_with_a_malformed_signature_is_refused_before_its_body() {
    let gateway = Gateway::new();
    let long = format!("{SIGNATURE}{}", ",v1=".repeat(3_900));
    let late = SIGNATURE.replace("t=1", "t=x");
    let short = SIGNATURE.trim_end_matches('d');
    for header in [None, Some(long.as_str()), Some(&late), Some(short), Some("t=1,v1=")] {
        let headers = header.map(|header| ("stripe-signature", header));
        let unread = request("POST", "/webhooks/stripe", headers.as_slice(), "").map(|_| endless(1));
        assert_eq!(status(&gateway, OTHER, unread).await.0, StatusCode::BAD_REQUEST);
    }
    assert!(gateway.services.seen().is_empty());
}

fn watch() -> Request<Body> {
    let headers = [("content-type", "application/grpc")];
    let message = framed(&HealthCheckRequest::default().encode_to_vec());
    let mut request = request("POST", &format!("/{WATCH}"), &headers, "").map(|_| Body::from(message));
    // gRPC needs HTTP/2: tonic-web refuses it on HTTP/1.1 before our code sees it.
    *request.version_mut() = http::Version::HTTP_2;
    request
}

#[tokio::test]
async fn a_public_health_watch_ends_and_a_client_has_few_at_once() {
    let streams = BudgetLimits { total: 10, client: 2 };
    let stream_life = Duration::from_millis(300);
    let gateway = limited(GatewayLimits { streams, stream_life, ..GatewayLimits::default() });

    let first = asked(&gateway, ATTACKER, watch()).await.unwrap();
    let second = asked(&gateway, ATTACKER, watch()).await.unwrap();
    let third = asked(&gateway, SAME_CLIENT, watch()).await.unwrap();
    let other = asked(&gateway, OTHER, watch()).await.unwrap();

    assert_eq!(third.headers()["grpc-status"], (Code::ResourceExhausted as i32).to_string());
    assert!(!other.headers().contains_key("grpc-status"));
    // All are read from the start, because the end drops unread frames.
    let reading = [first, second, other].map(|stream| stream.into_body().collect());
    let ended = tokio::time::timeout(DEADLINE, futures::future::join_all(reading)).await;
    for ended in ended.expect("they end") {
        let ended = ended.unwrap();
        let code = ended.trailers().expect("trailers")["grpc-status"].clone();
        assert_eq!(code, (Code::Unavailable as i32).to_string());
        assert!(!ended.to_bytes().is_empty(), "the first state was sent");
    }
    let again = asked(&gateway, ATTACKER, watch()).await.unwrap();
    assert!(!again.headers().contains_key("grpc-status"), "the places are free again");
}

#[tokio::test]
async fn an_unread_watch_frees_its_slot_after_its_lifetime_or_for_a_client_with_fewer() {
    let streams = BudgetLimits { total: 3, client: 2 };
    let stream_life = Duration::from_mins(10);
    let gateway = limited(GatewayLimits { streams, stream_life, ..GatewayLimits::default() });
    let first = asked(&gateway, ATTACKER, watch()).await.unwrap();
    let _second = asked(&gateway, ATTACKER, watch()).await.unwrap();
    let _other = asked(&gateway, OTHER, watch()).await.unwrap();
    let newcomer = asked(&gateway, "203.0.113.8", watch()).await.unwrap();
    assert!(!newcomer.headers().contains_key("grpc-status"));
    let ended = tokio::time::timeout(DEADLINE, first.into_body().collect()).await.expect("it ends").unwrap();
    assert!(ended.trailers().is_some());

    let stream_life = Duration::from_millis(200);
    let gateway = limited(GatewayLimits { streams, stream_life, ..GatewayLimits::default() });
    let _unread = [asked(&gateway, ATTACKER, watch()).await, asked(&gateway, ATTACKER, watch()).await];
    let deadline = tokio::time::Instant::now() + DEADLINE;
    while asked(&gateway, ATTACKER, watch()).await.unwrap().headers().contains_key("grpc-status") {
        assert!(tokio::time::Instant::now() < deadline, "the places become free");
        tokio::task::yield_now().await;
    }
}
