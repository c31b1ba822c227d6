//! Several servers behind one backend: each call goes to a running server.

use crate::support::{Gateway, HTTP, Services, settings};
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use garimpo_gateway::Fleet;
use garimpo_proto::auth::v1::{GetSessionRequest, GetSessionResponse, SetSessionResponse};
use garimpo_proto::fleet;
use garimpo_proto::metadata::{FLEET_CHALLENGE, FLEET_PROOF};
use http::StatusCode;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tonic::{Code, Status};
use tonic_types::StatusExt;

const SECRET: &str = "segredo";
const GET_SESSION: &str = "garimpo.auth.v1.AuthService/GetSession";
const SET_SESSION: &str = "garimpo.auth.v1.AuthService/SetSession";

/// A server over real sockets, on its own runtime, which ends all connections when it stops.
struct Running {
    services: Services,
    address: SocketAddr,
    runtime: Option<Runtime>,
}

impl Running {
    async fn start() -> Self {
        Self::start_at("127.0.0.1:0".parse().unwrap()).await
    }

    async fn start_at(address: SocketAddr) -> Self {
        let services = Services::default();
        services.answers(GET_SESSION, &GetSessionResponse::default(), &[]);
        services.answers(
            SET_SESSION,
            &SetSessionResponse {},
            &[("x-garimpo-session", "gs_novo"), ("x-garimpo-session-max-age", "60")],
        );
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let routes = services.routes();
        let bound = runtime.spawn(async move {
            let listener = TcpListener::bind(address).await.unwrap();
            let address = listener.local_addr().unwrap();
            tokio::spawn(async move {
                let (health, health_service) = tonic_health::server::health_reporter();
                health.set_service_status("", tonic_health::ServingStatus::Serving).await;
                let router = routes.add_service(health_service).into_axum_router();
                axum::serve(listener, router.layer(from_fn(prove))).await.unwrap();
            });
            address
        });
        let address = bound.await.unwrap();
        Self { services, address, runtime: Some(runtime) }
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn calls(&self) -> usize {
        self.services.seen().len()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.runtime.take().unwrap().shutdown_background();
    }
}

/// Proves the fleet's secret to the gateway.
async fn prove(request: Request, next: Next) -> Response {
    let challenge = request.headers().get(FLEET_CHALLENGE).cloned();
    let mut response = next.run(request).await;
    let proof = challenge.and_then(|shown| fleet::proof(SECRET.as_bytes(), shown.to_str().ok()?, "banco"));
    response.headers_mut().extend(proof.map(|proof| (FLEET_PROOF, proof.parse().unwrap())));
    response
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !holds() {
        assert!(Instant::now() < deadline, "never: {what}");
        tokio::task::yield_now().await;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn gateway(fleet: &Fleet) -> Gateway {
    Gateway::over(Services::default(), settings(HTTP), fleet.backend())
}

async fn session_status(gateway: &Gateway) -> StatusCode {
    gateway.get("/api/auth/check-cookie", &[]).await.status
}

/// Only servers with a finished health check get calls: at first one server may get them all.
async fn until_both_answer(gateway: &Gateway, a: &Running, b: &Running) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while a.calls() == 0 || b.calls() == 0 {
        assert_eq!(session_status(gateway).await, StatusCode::OK);
        let calls = (a.calls(), b.calls());
        assert!(Instant::now() < deadline, "{calls:?} calls: one server never had its turn");
    }
}

/// An address without a listener.
async fn dead_url() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[tokio::test]
async fn no_call_fails_with_one_server_down_from_the_start() {
    let (a, b) = (Running::start().await, Running::start().await);
    let fleet = Fleet::new(&[dead_url().await, a.url(), b.url()], SECRET).unwrap();
    let gateway = gateway(&fleet);
    until("ready", || fleet.is_ready()).await;

    until_both_answer(&gateway, &a, &b).await;
    let before = (a.calls(), b.calls());
    for _ in 0..60 {
        assert_eq!(session_status(&gateway).await, StatusCode::OK);
    }

    let calls = (a.calls() - before.0, b.calls() - before.1);
    assert!(calls.0 >= 20 && calls.1 >= 20, "{calls:?}");
    assert_eq!(a.services.last().header("x-garimpo-fleet-secret"), Some(SECRET));
}

#[tokio::test]
async fn a_stopped_server_gets_no_more_calls_and_a_restarted_one_gets_calls_again() {
    let (a, b) = (Running::start().await, Running::start().await);
    let fleet = Fleet::new(&[a.url(), b.url()], SECRET).unwrap();
    let gateway = gateway(&fleet);
    until("ready", || fleet.is_ready()).await;
    until_both_answer(&gateway, &a, &b).await;

    let address = a.address;
    drop(a);
    until("port free", || std::net::TcpListener::bind(address).is_ok()).await;
    let mut refused = 0;
    for _ in 0..50 {
        refused += usize::from(session_status(&gateway).await != StatusCode::OK);
    }
    // A call that is interrupted may have written, so it is refused with 503 and not repeated.
    assert!(refused <= 1, "{refused} of 50");

    let a = Running::start_at(address).await;
    let deadline = Instant::now() + Duration::from_secs(10);
    while a.calls() == 0 {
        assert!(Instant::now() < deadline, "the returned server never got a call");
        assert_eq!(session_status(&gateway).await, StatusCode::OK);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn without_any_server_calls_are_unavailable_and_the_gateway_is_not_ready() {
    let fleet = Fleet::new(&[dead_url().await, dead_url().await], SECRET).unwrap();
    let gateway = gateway(&fleet);

    let answer = gateway.get("/api/auth/check-cookie", &[]).await;

    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.json()["code"], "UNAVAILABLE");
    for kind in ["application/grpc", "application/grpc-web+proto"] {
        let answer = gateway.rpc(kind, GET_SESSION, &[], &GetSessionRequest {}).await;
        let status = Status::from_header_map(&answer.headers).expect("the refusal is in the headers");
        assert_eq!(status.code(), Code::Unavailable);
        let info = status.get_details_error_info().expect("the refusal has a reason");
        assert_eq!((info.domain.as_str(), info.reason.as_str()), ("garimpo", "UNAVAILABLE"));
    }
    assert!(!fleet.is_ready());
}

#[tokio::test]
async fn cookies_and_grpc_web_work_over_the_fleet_as_within_one_process() {
    let a = Running::start().await;
    let fleet = Fleet::new(&[dead_url().await, a.url()], SECRET).unwrap();
    let gateway = gateway(&fleet);
    until("ready", || fleet.is_ready()).await;
    let body = r#"{"uid":"u","email":"a@b.co"}"#;

    let rest = gateway.post("/api/auth/set-cookie", &[("cookie", "garimpo_session=gs_abc")], body).await;
    assert!(rest.header("set-cookie").starts_with("garimpo_session=gs_novo;"), "{}", rest.text());
    assert_eq!(a.services.last().header("authorization"), Some("Bearer gs_abc"));

    for kind in ["application/grpc", "application/grpc-web+proto"] {
        let answer = gateway.rpc(kind, SET_SESSION, &[], &GetSessionRequest {}).await;
        assert_eq!(answer.grpc_code(), 0);
        assert!(answer.header("set-cookie").starts_with("garimpo_session=gs_novo;"));
        assert_eq!(answer.header("x-garimpo-session"), "");
    }
}

#[test]
fn a_wrong_server_address_is_refused() {
    for bad in
        [vec![], vec!["10.0.0.1:50051".to_owned()], vec!["https://x:1".to_owned()], vec![String::new()]]
    {
        assert!(Fleet::new(&bad, SECRET).is_err(), "{bad:?}");
    }
}
