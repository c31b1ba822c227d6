//! The server with the real sandbox as its world outside: payments, mailbox, clock and webhooks
//! over HTTP.

mod outside;
mod people;

use crate::store::billing::provider_account;
use crate::tests::port::{public_port, receive_event};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use garimpo_proto::Services;
use garimpo_proto::auth::v1::GetSessionRequest;
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use garimpo_proto::billing::v1::billing_service_client::BillingServiceClient;
use garimpo_proto::tracking::v1::tracking_service_client::TrackingServiceClient;
use garimpo_proto::users::v1::user_service_client::UserServiceClient;
use garimpo_sandbox::Sandbox;
use http::HeaderMap;
use serde_json::json;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::OnceCell;
use tonic::service::Routes;

use super::database::{Database, copy_databases, setting};
use super::server::bearer;
use crate::app::{App, ClockSettings, Settings};
use crate::providers::mail::MailSettings;
use crate::providers::meta::{self, MetaSettings};

pub use super::server::ANA;
pub use outside::signature;
pub use people::{code_of, order};

/// How long a state is waited for.
const DEADLINE: Duration = Duration::from_secs(20);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// When the world begins: a day without campaign.
pub const BEGINNING: &str = "2026-10-05T12:00:00Z";

static SQLITE: OnceCell<World> = OnceCell::const_new();
static POSTGRES: OnceCell<World> = OnceCell::const_new();

/// A server and its world; fields drop in order, the database last.
pub struct World {
    pub app: App,
    pub url: String,
    http: reqwest::Client,
    follower: String,
    tasks: Vec<tokio::task::JoinHandle<()>>,
    _sandbox: Sandbox,
    folder: TempDir,
    pub database: Database,
}

impl Drop for World {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl World {
    /// A world over the database that this run is for.
    pub async fn new() -> Self {
        if setting("GARIMPO_TEST_POSTGRES_URL").is_none() {
            return Self::on_sqlite().await;
        }
        let make = async || Self::template(Database::postgres().await.expect("its address is set")).await;
        POSTGRES.get_or_init(make).await.copy().await
    }

    /// The same, with the clock starting at an instant.
    pub async fn starting_at(beginning: &str) -> Self {
        let database = Database::new().await;
        Self::begin(database, folder(), beginning, |_| {}).await
    }

    /// A world over the embedded database alone, for what has nothing to do with databases.
    pub async fn on_sqlite() -> Self {
        SQLITE.get_or_init(|| Self::template(Database::sqlite())).await.copy().await
    }

    /// A world over a database, with settings of the server changed.
    pub async fn start_with(database: Database, change: impl Fn(&mut Settings)) -> Self {
        Self::begin(database, folder(), BEGINNING, change).await
    }

    /// A world as its first start leaves it, stopped: that start costs ten times as much as one
    /// over a copy.
    async fn template(database: Database) -> Self {
        let world = Self::begin(database, folder(), BEGINNING, |_| {}).await;
        world.app.stop().await;
        world.tasks.iter().for_each(tokio::task::JoinHandle::abort);
        world
    }

    async fn copy(&self) -> Self {
        let folder = folder();
        copy_databases(self.folder.path(), folder.path());
        Self::begin(self.database.copy().await, folder, BEGINNING, |_| {}).await
    }

    async fn begin(
        database: Database,
        folder: TempDir,
        beginning: &str,
        change: impl Fn(&mut Settings),
    ) -> Self {
        let (provider, hooks) = (listener().await, listener().await);
        let url = format!("http://{}", provider.local_addr().expect("bound"));
        let hook_url = format!("http://{}", hooks.local_addr().expect("bound"));
        let clock_start =
            time::OffsetDateTime::parse(beginning, &time::format_description::well_known::Rfc3339)
                .expect("an instant");
        let sandbox = Sandbox::start(garimpo_sandbox::Settings {
            data_dir: folder.path().to_owned(),
            url: url.clone(),
            webhook_url: format!("{hook_url}/webhooks/stripe"),
            clock_start: Some(clock_start),
        })
        .await
        .expect("the sandbox starts");
        let mut tasks = vec![serve(provider, sandbox.router())];
        let follower = "test".to_owned();
        let mut settings = settings(&database, &url, &follower);
        change(&mut settings);
        let app = App::start(settings).await.expect("the server starts");
        tasks.push(serve(hooks, webhook_router(&app)));
        let world = Self {
            app,
            url,
            http: crate::providers::client_for("http://")
                .redirect(reqwest::redirect::Policy::default())
                .build()
                .expect("a client"),
            follower,
            tasks,
            _sandbox: sandbox,
            folder,
            database,
        };
        world.rest().await;
        world
    }

    /// Stops the server and starts it over the same database, as after a deploy.
    pub async fn restarts(&mut self) {
        self.app.stop().await;
        self.app = App::start(settings(&self.database, &self.url, &self.follower))
            .await
            .expect("the server starts again");
        self.rest().await;
    }

    /// The settings that the server was started with.
    pub fn settings(&self) -> Settings {
        settings(&self.database, &self.url, &self.follower)
    }

    /// Forgets the provider's account, as before its first use.
    pub async fn forgets_account(&self) {
        provider_account::forget(self.app.store()).await.expect("it is stored");
    }

    /// Stops the server and tries to start it over the same database.
    pub async fn tries_to_restart(&mut self) -> Result<(), crate::app::StartError> {
        self.app.stop().await;
        self.app = App::start(settings(&self.database, &self.url, &self.follower)).await?;
        self.rest().await;
        Ok(())
    }

    /// AuthService as the gateway reaches it.
    pub fn auth(&self) -> AuthServiceClient<Routes> {
        AuthServiceClient::new(public_port(&self.app))
    }

    /// Whether GetSession accepts a token.
    pub async fn accepts_token(&self, token: &str) -> bool {
        let asked = self.auth().get_session(bearer(GetSessionRequest {}, token)).await;
        asked.expect("GetSession never fails").into_inner().authenticated
    }

    /// BillingService as the gateway reaches it.
    pub fn billing(&self) -> BillingServiceClient<Routes> {
        BillingServiceClient::new(public_port(&self.app))
    }

    /// UserService as the gateway reaches it.
    pub fn users(&self) -> UserServiceClient<Routes> {
        UserServiceClient::new(public_port(&self.app))
    }

    /// TrackingService as the gateway reaches it.
    pub fn tracking(&self) -> TrackingServiceClient<Routes> {
        TrackingServiceClient::new(public_port(&self.app))
    }

    /// Lets time pass.
    pub async fn advances_hours(&self, hours: i64) {
        self.advances_minutes(hours * 60).await;
    }

    /// Lets time pass.
    pub async fn advances_minutes(&self, minutes: i64) {
        self.posts("/clock", json!({ "advance_seconds": minutes * 60, "keep_sessions": true })).await;
        self.rest().await;
    }

    /// Lets time pass up to an instant, Unix seconds.
    pub async fn goes_to(&self, at: i64) {
        let at = time::OffsetDateTime::from_unix_timestamp(at).expect("an instant");
        let at = at.format(&time::format_description::well_known::Rfc3339).expect("an instant");
        self.posts("/clock", json!({ "set": at, "keep_sessions": true })).await;
        self.rest().await;
    }

    /// Lets time pass.
    pub async fn advances_days(&self, days: i64) {
        self.advances_hours(days * 24).await;
    }

    /// Waits until webhooks are answered and no job is due. A job may call the provider, whose
    /// webhooks follow and bring other jobs, so both are waited for twice.
    pub async fn rest(&self) {
        for _ in 0..2 {
            self.posts("/clock", json!({ "advance_seconds": 0 })).await;
            self.settles().await;
        }
    }

    /// Waits for a state.
    pub async fn eventually(&self, what: &str, reached: impl AsyncFn() -> bool) {
        let waited = tokio::time::timeout(DEADLINE, async {
            while !reached().await {
                tokio::time::sleep(LOOK_EVERY).await;
            }
        });
        assert!(waited.await.is_ok(), "{what}");
    }

    /// Waits until no job is due, without a look at the world outside.
    pub async fn settles(&self) {
        assert!(self.app.queue().settle(DEADLINE).await, "the queue comes to rest");
    }
}

fn settings(database: &Database, url: &str, follower: &str) -> Settings {
    let mut settings = Settings::new(database.settings());
    settings.clock = ClockSettings::Sandbox { url: url.to_owned(), follower: follower.to_owned() };
    url.clone_into(&mut settings.payments.url);
    settings.mail = MailSettings::Sandbox { url: url.to_owned() };
    settings.conversions = Some(MetaSettings {
        url: format!("{url}/graph"),
        version: meta::API_VERSION.to_owned(),
        pixel_id: "1234567890123456".to_owned(),
        access_token: "meta_test_garimpo".into(),
    });
    settings.billing.pushes_catalog = true;
    settings
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

async fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").await.expect("a free port")
}

fn serve(listener: TcpListener, router: Router) -> tokio::task::JoinHandle<()> {
    tokio::spawn(async move { axum::serve(listener, router).await.expect("the door stays open") })
}

/// What the gateway does with a webhook.
fn webhook_router(app: &App) -> Router {
    Router::new().route("/webhooks/stripe", post(deliver)).with_state(app.services())
}

async fn deliver(
    State(services): State<Services>,
    headers: HeaderMap,
    payload: bytes::Bytes,
) -> http::StatusCode {
    let signature = headers.get("stripe-signature").and_then(|value| value.to_str().ok()).unwrap_or_default();
    match receive_event(&services, payload.to_vec(), signature).await {
        Ok(()) => http::StatusCode::OK,
        Err(status) if status.code() == tonic::Code::InvalidArgument => http::StatusCode::BAD_REQUEST,
        Err(_) => http::StatusCode::SERVICE_UNAVAILABLE,
    }
}
