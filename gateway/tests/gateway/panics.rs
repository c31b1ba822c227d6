//! A panic in one call.

use crate::support::{Gateway, HTTP, Services, settings};
use garimpo_gateway::Backend;
use garimpo_proto::auth::v1::GetSessionRequest;
use http::{Request, Response, StatusCode};
use tonic::body::Body;
use tonic::{Code, Status};

#[tokio::test]
async fn a_panic_becomes_an_internal_error_with_the_request_id_and_later_calls_succeed() {
    let backend = Backend::new(|_: Request<Body>| async {
        panic!("a defect behind the gateway");
        #[expect(unreachable_code, reason = "names the type of the answer")]
        Ok::<Response<Body>, Status>(Response::default())
    });
    let gateway = Gateway::over(Services::default(), settings(HTTP), backend);

    let rest = gateway.get("/api/auth/check-cookie", &[]).await;
    let rpc = "garimpo.auth.v1.AuthService/GetSession";
    let grpc = gateway.rpc("application/grpc", rpc, &[], &GetSessionRequest {}).await;
    let after = gateway.get("/openapi.json", &[]).await;

    assert_eq!((rest.status, &rest.json()["code"]), (StatusCode::INTERNAL_SERVER_ERROR, &"INTERNAL".into()));
    assert!(rest.text().contains(rest.header("x-request-id")), "{}", rest.text());
    assert_eq!(grpc.grpc_code(), Code::Internal as i32);
    assert_eq!(after.status, StatusCode::OK);
}
