//! Start, readiness, stop, and what the layer around the services answers by itself.

use std::time::Duration;

use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use garimpo_proto::auth::v1::{GetSessionRequest, SignInRequest, SignUpRequest};
use garimpo_proto::billing::v1::ReceiveEventRequest;
use garimpo_proto::billing::v1::webhook_service_client::WebhookServiceClient;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::{Caller, Credential, SessionChange};
use sqlx::{Connection as _, PgConnection};
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use super::readiness::HEALTH_NAMES;
use super::services::MAX_MESSAGE;
use super::*;
use crate::store::engine::Pooler;
use crate::store::tests::support;
use crate::tests::database::Database;
use crate::tests::port::{public_port, receive_event};
use crate::tests::server::{TestServer, ana, bearer, reason};

async fn health_status(app: &App) -> i32 {
    health_status_of(app, "").await
}

async fn health_status_of(app: &App, service: &str) -> i32 {
    let mut health = HealthClient::new(app.internal_routes());
    health
        .check(HealthCheckRequest { service: service.to_owned() })
        .await
        .expect("health answers")
        .into_inner()
        .status
}

async fn becomes_ready(app: &App) {
    becomes(app, true).await;
}

async fn becomes(app: &App, ready: bool) {
    let mut looks = tokio::time::interval(Duration::from_millis(10));
    let reached = tokio::time::timeout(Duration::from_secs(10), async {
        while app.ready() != ready {
            looks.tick().await;
        }
    });
    assert!(reached.await.is_ok(), "the server becomes ready: {ready}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_ready_after_its_first_write_and_not_ready_when_it_stops() {
    let server = TestServer::new().await;
    becomes_ready(&server.app).await;
    for service in HEALTH_NAMES {
        assert_eq!(health_status_of(&server.app, service).await, ServingStatus::Serving as i32, "{service}");
    }

    server.app.stop().await;

    assert!(!server.app.ready());
    for service in HEALTH_NAMES {
        assert_eq!(
            health_status_of(&server.app, service).await,
            ServingStatus::NotServing as i32,
            "{service}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_server_returns_unavailable_and_its_successor_has_the_sessions() {
    let (server, held) = TestServer::with_ana().await;
    server.app.stop().await;

    let refused = server.auth().sign_up(ana("rui@exemplo.com.br")).await.expect_err("it is stopping");
    assert_eq!((refused.code(), reason(&refused)), (Code::Unavailable, ErrorReason::Unavailable));

    let again = TestServer::node(&server.database, server.clock.clone(), |_| {}).await;
    let mut auth = AuthServiceClient::new(public_port(&again));
    let asked = bearer(GetSessionRequest {}, &held.session);
    assert!(auth.get_session(asked).await.expect("GetSession answers").into_inner().authenticated);
}

const GET_SESSION: &str = "garimpo.auth.v1.AuthService/GetSession";
const SIGN_UP: &str = "garimpo.auth.v1.AuthService/SignUp";

#[tokio::test(flavor = "multi_thread")]
async fn a_direct_call_has_the_caller_and_returns_the_same_as_an_encoded_call() {
    let server = TestServer::new().await;
    let services = server.app.services();
    let caller = || Arc::new(Caller { address: "203.0.113.7".parse().ok(), ..Caller::default() });
    let sign_up = async |caller: &Arc<Caller>, form: SignUpRequest| {
        services.call(SIGN_UP, caller, form, |services, request| services.auth.sign_up(request)).await
    };
    let ana_of = caller();
    let signed_up = sign_up(&ana_of, ana("ana@exemplo.com.br")).await.expect("the sign-up succeeds");
    let user = signed_up.user.expect("a user comes with it");
    assert_eq!(ana_of.uid().as_deref(), Some(&*user.uid), "for the log");
    let Some(SessionChange::Set { token, .. }) = ana_of.session() else { panic!("no session was given") };

    let signed_in =
        Arc::new(Caller { credential: Credential::Cookie(vec![token.clone()]), ..Caller::default() });
    let request = GetSessionRequest {};
    let direct = services
        .call(GET_SESSION, &signed_in, request, |services, request| services.auth.get_session(request));
    let direct = direct.await.expect("GetSession answers");
    let encoded = server.auth().get_session(bearer(request, &token)).await.expect("GetSession answers");
    assert_eq!(direct.user, encoded.into_inner().user);
    assert!(direct.authenticated);
    assert_eq!(signed_in.uid().as_deref(), Some(&*user.uid));

    let other = SignUpRequest { password: "outra-senha".into(), ..ana("ana@exemplo.com.br") };
    let refused = sign_up(&caller(), other).await.expect_err("it is in use");
    assert_eq!(reason(&refused), ErrorReason::EmailInUse);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_call_is_served_before_the_first_reading_of_the_clock() {
    let database = Database::sqlite();
    let mut settings = Settings::new(database.settings());
    // No server listens on this port.
    settings.clock = ClockSettings::Sandbox { url: "http://127.0.0.1:9".into(), follower: "test".into() };
    let app = App::start(settings).await.expect("it starts without an answer");

    let mut auth = AuthServiceClient::new(public_port(&app));
    let encoded = auth.get_session(GetSessionRequest {}).await;
    let services = app.services();
    let caller = Arc::default();
    let direct = services.call(GET_SESSION, &caller, GetSessionRequest {}, |services, request| {
        services.auth.get_session(request)
    });
    let direct = direct.await;

    for refused in [encoded.map(tonic::Response::into_inner), direct] {
        let refused = refused.expect_err("the time is not known");
        assert_eq!((refused.code(), reason(&refused)), (Code::Unavailable, ErrorReason::Unavailable));
    }
    assert!(!app.ready());
    assert_eq!(health_status(&app).await, ServingStatus::NotServing as i32);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_internal_api_rejects_large_messages_and_serves_no_webhook() {
    let server = TestServer::start(Database::sqlite(), |_| {}).await;
    let mut auth = AuthServiceClient::new(server.app.internal_routes());
    let mut webhooks = WebhookServiceClient::new(server.app.internal_routes());

    let name = "a".repeat(MAX_MESSAGE);
    let refused = auth
        .sign_up(garimpo_proto::auth::v1::SignUpRequest { display_name: name, ..ana("ana@exemplo.com.br") })
        .await
        .expect_err("it is too large");
    assert_eq!(refused.code(), Code::OutOfRange);

    let refused =
        webhooks.receive_event(ReceiveEventRequest::default()).await.expect_err("no port serves it");
    assert_eq!(refused.code(), Code::Unimplemented);
    let event = vec![b' '; 1024 * 1024];
    let refused = receive_event(&server.app.services(), event, "").await.expect_err("nobody signed it");
    assert_eq!(reason(&refused), ErrorReason::InvalidSignature, "an event of 1 MiB is read");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_a_write_longer_than_two_seconds_is_not_ready() {
    let server = TestServer::new().await;
    becomes_ready(&server.app).await;
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let (store, opens) = (server.app.store().clone(), gate.clone());
    let held = tokio::spawn(async move { support::hold_heartbeat(&store, opens).await });

    becomes(&server.app, false).await;
    assert_eq!(health_status(&server.app).await, ServingStatus::NotServing as i32);
    gate.add_permits(1);

    becomes_ready(&server.app).await;
    held.await.expect("no writer panics").expect("the write is committed");
}

#[tokio::test(flavor = "multi_thread")]
async fn with_the_accounts_table_locked_calls_end_at_the_deadline_and_the_server_recovers() {
    for pooler in [Pooler::None, Pooler::Transaction] {
        let Some(database) = Database::postgres().await else { return };
        let server = TestServer::start(database, |settings| {
            settings.database.pooler = pooler;
            settings.database.lock_timeout = Some(Duration::from_millis(300));
        })
        .await;
        server.signs_up("ana@exemplo.com.br").await;
        becomes_ready(&server.app).await;
        let mut beside = PgConnection::connect(&server.database.url).await.expect("it answers");
        let hold = sqlx::raw_sql("BEGIN; LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE");
        hold.execute(&mut beside).await.expect("nobody else has it");

        let signs_in = || {
            let mut auth = server.auth();
            let (email, password) = ("ana@exemplo.com.br".to_owned(), "segredo".to_owned());
            async move { auth.sign_in(SignInRequest { email, password }).await }
        };
        // More calls than connections: those that wait for a connection get one when others end.
        let calls = futures::future::join_all((0..20).map(|_| signs_in()));
        let calls = tokio::time::timeout(Duration::from_secs(8), calls);
        for answer in calls.await.expect("every call ends") {
            let refused = answer.expect_err("nobody reads an account");
            assert_eq!((refused.code(), reason(&refused)), (Code::Unavailable, ErrorReason::Unavailable));
            assert_eq!(refused.message(), "the database took too long");
        }
        sqlx::raw_sql("ROLLBACK").execute(&mut beside).await.expect("it ends");

        signs_in().await.expect("the lock is gone");
        becomes_ready(&server.app).await;
    }
}
