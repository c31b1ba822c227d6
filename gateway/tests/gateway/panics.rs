//! A panic in one call.

use crate::support::{Gateway, HTTP, Services, settings};
use axum::Router;
use garimpo_proto::auth::v1::GetSessionRequest;
use http::StatusCode;
use tonic::Code;

#[tokio::test]
async fn a_panic_becomes_an_internal_error_with_the_request_id_and_later_calls_succeed() {
    let encoded = Router::new().fallback(|| async {
        panic!("a defect behind the gateway");
        #[expect(unreachable_code, reason = "names the type of the answer")]
        http::StatusCode::OK
    });
    let services = Services::default();
    services.panics();
    let gateway = Gateway::over(services.clone(), settings(HTTP), services.handlers(), encoded.into());

    let rest = gateway.get("/api/auth/check-cookie", &[]).await;
    let rpc = "garimpo.auth.v1.AuthService/GetSession";
    let grpc = gateway.rpc("application/grpc", rpc, &[], &GetSessionRequest {}).await;
    let after = gateway.get("/openapi.json", &[]).await;

    assert_eq!((rest.status, &rest.json()["code"]), (StatusCode::INTERNAL_SERVER_ERROR, &"INTERNAL".into()));
    assert!(rest.text().contains(rest.header("x-request-id")), "{}", rest.text());
    assert_eq!(grpc.grpc_code(), Code::Internal as i32);
    assert_eq!(after.status, StatusCode::OK);
}
