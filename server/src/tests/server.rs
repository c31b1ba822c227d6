//! The whole server over a fresh database, called in process as the gateway calls it.

use std::sync::Arc;

use garimpo_domain::Uid;
use garimpo_proto::auth::v1 as auth;
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::tracking::v1::tracking_service_client::TrackingServiceClient;
use garimpo_proto::users::v1::user_service_client::UserServiceClient;
use tonic::service::Routes;
use tonic::{Request, Response, Status};
use tonic_types::StatusExt as _;

use super::clock::TestClock;
use super::database::Database;
use crate::app::{App, ClockSettings, Settings};
use crate::ids::Ids;
use crate::tests::port::public_port;

/// The email of Ana.
pub const ANA: &str = "ana@exemplo.com.br";

/// A running server; its fields drop in order, the database last.
pub struct TestServer {
    pub app: App,
    pub clock: Arc<TestClock>,
    pub database: Database,
}

/// A user after sign-up or sign-in, with the session and the ID token.
#[derive(Debug, Clone)]
pub struct SignedInUser {
    pub uid: Uid,
    pub email: String,
    pub session: String,
    pub max_age: String,
    pub id_token: String,
}

impl SignedInUser {
    /// From the answer to a sign-up.
    pub fn of(response: Response<auth::SignUpResponse>) -> Self {
        let (session, max_age) = session_of(&response).expect("a session comes with it");
        let answer = response.into_inner();
        let user = answer.user.expect("a user comes with it");
        Self { uid: Uid::new(user.uid), email: user.email, session, max_age, id_token: answer.id_token }
    }
}

impl TestServer {
    /// A server over a fresh database.
    pub async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// A server over a fresh database, and Ana, who has signed up.
    pub async fn with_ana() -> (Self, SignedInUser) {
        let server = Self::new().await;
        let ana = server.signs_up(ANA).await;
        (server, ana)
    }

    /// A server over a fresh database, with settings changed.
    pub async fn with(change: impl Fn(&mut Settings)) -> Self {
        let database = Database::new().await;
        Self::start(database, &change).await
    }

    /// A server over a database.
    pub async fn start(database: Database, change: impl Fn(&mut Settings)) -> Self {
        let clock = Arc::new(TestClock::at("2026-11-20T12:00:00Z"));
        let app = Self::node(&database, clock.clone(), change).await;
        Self { app, clock, database }
    }

    /// One more server over the same database and clock, as in a fleet.
    pub async fn node(database: &Database, clock: Arc<TestClock>, change: impl Fn(&mut Settings)) -> App {
        let mut settings = Settings::new(database.settings());
        settings.clock = ClockSettings::Given(clock);
        settings.ids = Ids::system();
        change(&mut settings);
        App::start(settings).await.expect("the server starts")
    }

    /// AuthService as the gateway reaches it.
    pub fn auth(&self) -> AuthServiceClient<Routes> {
        AuthServiceClient::new(public_port(&self.app))
    }

    /// UserService as the gateway reaches it.
    pub fn users(&self) -> UserServiceClient<Routes> {
        UserServiceClient::new(public_port(&self.app))
    }

    /// TrackingService as the gateway reaches it.
    pub fn tracking(&self) -> TrackingServiceClient<Routes> {
        TrackingServiceClient::new(public_port(&self.app))
    }

    /// Signs Ana up under an email.
    pub async fn signs_up(&self, email: &str) -> SignedInUser {
        SignedInUser::of(self.auth().sign_up(ana(email)).await.expect("the sign-up succeeds"))
    }

    /// Whether GetSession accepts a token.
    pub async fn accepts_token(&self, token: &str) -> bool {
        let asked = self.auth().get_session(bearer(auth::GetSessionRequest {}, token)).await;
        asked.expect("GetSession never fails").into_inner().authenticated
    }
}

/// The form of a sign-up that succeeds.
pub fn ana(email: &str) -> auth::SignUpRequest {
    auth::SignUpRequest {
        email: email.to_owned(),
        password: "segredo".to_owned(),
        display_name: "Ana Maria Souza".to_owned(),
        phone_number: "(11) 98765-4321".to_owned(),
        ..Default::default()
    }
}

/// A request with a token.
pub fn bearer<T>(message: T, token: &str) -> Request<T> {
    let mut request = Request::new(message);
    let value = format!("Bearer {token}").parse().expect("a token is ASCII");
    request.metadata_mut().insert("authorization", value);
    request
}

/// A request from an address, as reported by the gateway.
pub fn from_address<T>(message: T, address: &str) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("x-test-client-address", address.parse().expect("an address is ASCII"));
    request
}

/// The session that a response hands to the gateway, with its life in seconds.
pub fn session_of<T>(response: &Response<T>) -> Option<(String, String)> {
    let text = |name| response.metadata().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    Some((text("x-test-session")?, text("x-test-session-max-age")?))
}

/// The reason of a refusal.
pub fn reason(status: &Status) -> ErrorReason {
    let info = status.get_details_error_info().expect("every refusal carries ErrorInfo");
    assert_eq!(info.domain, "garimpo");
    ErrorReason::from_str_name(&format!("ERROR_REASON_{}", info.reason))
        .expect("the reason is in the catalogue")
}

/// The reason of a refusal, and the fields that it names.
pub fn refusal(status: &Status) -> (ErrorReason, String) {
    (reason(status), fields(status).join(", "))
}

/// The fields that a refusal names.
pub fn fields(status: &Status) -> Vec<String> {
    let bad = status.get_details_bad_request().expect("the refusal names fields");
    bad.field_violations.into_iter().map(|violation| violation.field).collect()
}
