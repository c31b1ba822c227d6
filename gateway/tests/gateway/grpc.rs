//! gRPC and gRPC-Web on the public port: public services only, and every response is gRPC.

use crate::support::{Gateway, framed, request};
use axum::body::Body;
use bytes::Bytes;
use futures::StreamExt;
use garimpo_proto::auth::v1::{GetSessionRequest, GetSessionResponse, RequestPasswordResetRequest};
use garimpo_proto::billing::v1::{GetEntitlementsRequest, ReceiveEventRequest};
use std::convert::Infallible;
use tonic_health::pb::HealthCheckRequest;
use tonic_types::StatusExt;

const GET_SESSION: &str = "garimpo.auth.v1.AuthService/GetSession";

#[tokio::test]
async fn a_public_service_is_forwarded_unchanged_and_not_cached() {
    let gateway = Gateway::new();
    let session = GetSessionResponse { authenticated: true, ..Default::default() };
    gateway.services.answers(GET_SESSION, &session, &[("x-qualquer", "passa")]);

    let grpc = gateway.rpc("application/grpc", GET_SESSION, &[("x-meu", "1")], &GetSessionRequest {}).await;
    let web = gateway.rpc("application/grpc-web", GET_SESSION, &[], &GetSessionRequest {}).await;

    assert_eq!(grpc.grpc_code(), 0);
    assert_eq!(grpc.header("x-qualquer"), "passa");
    assert_eq!(&grpc.body[5..], prost::Message::encode_to_vec(&session));
    assert_eq!(web.grpc_code(), 0);
    assert_eq!(web.header("content-type"), "application/grpc-web+proto");
    for answer in [&grpc, &web] {
        assert_eq!(answer.header("cache-control"), "no-store");
    }
    assert_eq!(gateway.services.seen()[0].header("x-meu"), Some("1"));
}

#[tokio::test]
async fn internal_and_unknown_services_are_unimplemented_and_do_not_reach_the_server() {
    let gateway = Gateway::new();
    let webhook = ReceiveEventRequest::default();
    let rights = GetEntitlementsRequest::default();

    for kind in ["application/grpc", "application/grpc-web+proto"] {
        let answers = [
            gateway.rpc(kind, "garimpo.billing.v1.WebhookService/ReceiveEvent", &[], &webhook).await,
            gateway.rpc(kind, "garimpo.billing.v1.EntitlementService/GetEntitlements", &[], &rights).await,
            gateway.rpc(kind, "nada.Existe/Aqui", &[], &rights).await,
            gateway.rpc(kind, "api/auth/check-cookie", &[], &rights).await,
            gateway.rpc(kind, "", &[], &rights).await,
        ];
        for answer in answers {
            assert_eq!(answer.grpc_code(), 12);
            assert!(answer.header("content-type").starts_with("application/grpc"));
        }
    }
    assert!(gateway.services.seen().is_empty());
}

#[tokio::test]
async fn an_unsupported_grpc_content_type_gets_a_grpc_response() {
    let gateway = Gateway::new();
    for kind in ["application/grpc+json", "application/grpc-web+json", "application/grpcfoo"] {
        let answer = gateway.rpc(kind, GET_SESSION, &[], &GetSessionRequest {}).await;
        assert_eq!(answer.grpc_code(), 12, "{kind}");
        assert!(answer.header("content-type").starts_with("application/grpc"), "{kind}");
    }
}

#[tokio::test]
async fn grpc_over_http_1_never_gets_html_or_json() {
    let gateway = Gateway::new();
    for method in ["GET", "POST"] {
        let headers = [("content-type", "application/grpc")];
        let answer = gateway.ask(request(method, "/planos", &headers, "")).await;
        assert!(!answer.header("content-type").contains("html"), "{method}");
        assert!(!answer.header("content-type").contains("json"), "{method}");
        assert!(answer.body.is_empty());
    }
}

#[tokio::test]
async fn a_message_over_64_kib_is_invalid_argument() {
    let gateway = Gateway::new();
    let large = RequestPasswordResetRequest { email: "a".repeat(70_000) };
    let rpc = "garimpo.auth.v1.AuthService/RequestPasswordReset";

    let answer = gateway.rpc("application/grpc", rpc, &[], &large).await;

    assert_eq!(answer.grpc_code(), 3);
    let status = tonic::Status::from_header_map(&answer.headers).unwrap();
    assert_eq!(status.get_details_error_info().unwrap().reason, "INVALID_ARGUMENT");
    assert!(gateway.services.seen().is_empty());
}

#[tokio::test]
async fn the_gateway_itself_reports_the_health_of_public_services_only() {
    let gateway = Gateway::new();
    for (service, code) in
        [("", 0), ("garimpo.auth.v1.AuthService", 0), ("garimpo.billing.v1.WebhookService", 5)]
    {
        let check = HealthCheckRequest { service: service.into() };
        let answer = gateway.rpc("application/grpc", "grpc.health.v1.Health/Check", &[], &check).await;
        assert_eq!(answer.grpc_code(), code, "{service}");
    }
    assert!(gateway.services.seen().is_empty());
}

/// `ServerReflectionRequest` with its field `list_services` alone.
#[derive(Clone, PartialEq, prost::Message)]
struct ListServices {
    #[prost(string, optional, tag = "7")]
    list_services: Option<String>,
}

#[tokio::test]
async fn both_versions_of_reflection_list_only_public_services() {
    let gateway = Gateway::new();
    let ask = ListServices { list_services: Some(String::new()) };

    for version in ["v1", "v1alpha"] {
        let rpc = format!("grpc.reflection.{version}.ServerReflection/ServerReflectionInfo");
        let answer = gateway.rpc("application/grpc", &rpc, &[], &ask).await;
        assert_eq!(answer.grpc_code(), 0, "{version}");
        let names = String::from_utf8_lossy(&answer.body).into_owned();
        for public in
            ["AuthService", "UserService", "BillingService", "TrackingService", "grpc.health.v1.Health"]
        {
            assert!(names.contains(public), "{version} {public}");
        }
        assert!(!names.contains("WebhookService") && !names.contains("EntitlementService"), "{version}");
    }
}

/// The head of a gRPC message of this length, and no end.
fn begun(length: u32) -> Body {
    let head = [&[0], &length.to_be_bytes()[..], &[0; 32]].concat();
    let head = futures::stream::iter([Ok::<_, Infallible>(Bytes::from(head))]);
    Body::from_stream(head.chain(futures::stream::pending()))
}

async fn code_of(gateway: &Gateway, rpc: &str, body: Body) -> i32 {
    let headers = [("content-type", "application/grpc")];
    let mut request = request("POST", &format!("/{rpc}"), &headers, "").map(|_| body);
    *request.version_mut() = http::Version::HTTP_2;
    let answering = gateway.ask(request);
    tokio::time::timeout(std::time::Duration::from_secs(4), answering).await.expect("an answer").grpc_code()
}

#[tokio::test]
async fn health_and_reflection_buffer_no_large_message_and_refuse_an_unreadable_one() {
    let gateway = Gateway::new();
    let check = "grpc.health.v1.Health/Check";

    // OUT_OF_RANGE, before the message is complete.
    assert_eq!(code_of(&gateway, check, begun(4 * 1024 + 1)).await, 11);
    for version in ["v1", "v1alpha"] {
        let rpc = format!("grpc.reflection.{version}.ServerReflection/ServerReflectionInfo");
        code_of(&gateway, &rpc, begun(4 * 1024 + 1)).await;
    }
    let unreadable = framed(&[0xff, 0xff]);
    assert_eq!(code_of(&gateway, check, Body::from(unreadable)).await, 3);
}
