//! The server with the real sandbox as its world outside: payments, mailbox, clock and webhooks over HTTP.

use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use garimpo_proto::auth::v1::GetSessionRequest;
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use garimpo_proto::billing::v1 as pb;
use garimpo_proto::billing::v1::billing_service_client::BillingServiceClient;
use garimpo_proto::billing::v1::webhook_service_client::WebhookServiceClient;
use garimpo_proto::users::v1::user_service_client::UserServiceClient;
use garimpo_sandbox::Sandbox;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::HeaderMap;
use serde_json::{Value, json};
use sha2::Sha256;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::OnceCell;
use tonic::Status;
use tonic::service::Routes;

use super::database::{Database, copy_databases, setting};
use super::server::{Held, ana, bearer, session_of};
use crate::app::{App, Audience, ClockSettings, Settings};
use crate::providers::mail::MailSettings;
use crate::providers::meta::{self, MetaSettings};

/// How long a state is waited for.
const DEADLINE: Duration = Duration::from_secs(20);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Subject of the mail that every sign-up brings.
const CONFIRM_EMAIL: &str = "Confirme seu email no Garimpo";
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
    /// One world per kind of database.
    pub async fn each() -> Vec<Self> {
        if setting("GARIMPO_TEST_POSTGRES_URL").is_none() {
            return vec![Self::on_sqlite().await];
        }
        let make = async || Self::template(Database::postgres().await.expect("its address is set")).await;
        vec![POSTGRES.get_or_init(make).await.copy().await]
    }

    /// One world per kind of database, with the clock starting at an instant.
    pub async fn each_from(beginning: &str) -> Vec<Self> {
        let mut worlds = Vec::new();
        for database in Database::each().await {
            worlds.push(Self::begin(database, folder(), beginning, |_| {}).await);
        }
        worlds
    }

    /// A world over the embedded database alone, for what has nothing to do with databases.
    pub async fn on_sqlite() -> Self {
        SQLITE.get_or_init(|| Self::template(Database::sqlite())).await.copy().await
    }

    /// A world over a database, with settings of the server changed.
    pub async fn start_with(database: Database, change: impl Fn(&mut Settings)) -> Self {
        Self::begin(database, folder(), BEGINNING, change).await
    }

    /// A world as its first start leaves it, stopped: that start costs ten times as much as one over a copy.
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
        let (door, hooks) = (listener().await, listener().await);
        let url = format!("http://{}", door.local_addr().expect("bound"));
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
        let mut tasks = vec![serve(door, sandbox.router())];
        let follower = "test".to_owned();
        let mut settings = settings(&database, &url, &follower);
        change(&mut settings);
        let app = App::start(settings).await.expect("the server starts");
        tasks.push(serve(hooks, webhook_door(&app)));
        let world = Self {
            app,
            url,
            http: reqwest::Client::new(),
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

    /// AuthService as the gateway reaches it.
    pub fn auth(&self) -> AuthServiceClient<Routes> {
        AuthServiceClient::new(self.app.routes(Audience::Gateway))
    }

    /// Whether a token is alive.
    pub async fn knows(&self, token: &str) -> bool {
        let asked = self.auth().get_session(bearer(GetSessionRequest {}, token)).await;
        asked.expect("GetSession never fails").into_inner().authenticated
    }

    /// BillingService as the gateway reaches it.
    pub fn billing(&self) -> BillingServiceClient<Routes> {
        BillingServiceClient::new(self.app.routes(Audience::Gateway))
    }

    /// UserService as the gateway reaches it.
    pub fn users(&self) -> UserServiceClient<Routes> {
        UserServiceClient::new(self.app.routes(Audience::Gateway))
    }

    /// Signs Ana up under an email.
    pub async fn signs_up(&self, email: &str) -> Held {
        let response = self.auth().sign_up(ana(email)).await.expect("the sign-up succeeds");
        let (session, max_age) = session_of(&response).expect("a session comes with it");
        let answer = response.into_inner();
        let user = answer.user.expect("a user comes with it");
        Held { uid: user.uid, email: user.email, session, max_age, id_token: answer.id_token }
    }

    /// Asks for a checkout and answers the session's id.
    pub async fn opens(
        &self,
        who: &Held,
        plan: &str,
        interval: &str,
        coupon: &str,
    ) -> Result<String, Status> {
        let request = order(who, plan, interval, coupon);
        self.asks(who, request).await
    }

    /// Asks for a checkout as given and answers the session's id.
    pub async fn asks(
        &self,
        who: &Held,
        request: pb::CreateCheckoutSessionRequest,
    ) -> Result<String, Status> {
        let answer = self.billing().create_checkout_session(bearer(request, &who.session)).await?;
        let secret = answer.into_inner().client_secret;
        let (id, _) = secret.split_once("_secret_").expect("the secret names the session");
        Ok(id.to_owned())
    }

    /// Pays by card in the frame.
    pub async fn pays_by_card(&self, session: &str, card: &str) -> Value {
        self.posts(&format!("/_test/checkout/{session}"), json!({ "card": card })).await
    }

    /// Types another card into the portal.
    pub async fn takes_card(&self, who: &Held, number: &str) {
        let request = pb::CreatePortalSessionRequest { email: who.email.clone() };
        let portal = self.billing().create_portal_session(bearer(request, &who.session)).await;
        let url = portal.expect("the portal opens").into_inner().url;
        let form = [("number", number), ("expiry", "12/34"), ("cvc", "123"), ("name", "Ana Souza")];
        let request = self.http.post(format!("{url}/card")).form(&form);
        let answer = request.send().await.expect("the sandbox answers");
        assert!(answer.text().await.expect("a page").contains("Alteração salva"), "the card is taken");
        self.rest().await;
    }

    /// Submits the boleto form in the frame.
    pub async fn takes_boleto(&self, session: &str) -> Value {
        let form = json!({ "boleto": { "tax_id": "529.982.247-25" } });
        self.posts(&format!("/_test/checkout/{session}"), form).await
    }

    /// Pays the boleto at the bank.
    pub async fn pays_boleto(&self, session: &str) -> Value {
        self.posts(&format!("/_test/boletos/{session}/pay"), json!({})).await
    }

    /// Makes the world outside fail.
    pub async fn fails(&self, fault: Value) {
        self.posts("/_test/faults", fault).await;
    }

    /// Ends every fault.
    pub async fn heals(&self) {
        let url = format!("{}/_test/faults", self.url);
        self.http.delete(url).send().await.expect("the sandbox answers");
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

    /// Waits until webhooks are answered and no job is due.
    pub async fn rest(&self) {
        self.posts("/clock", json!({ "advance_seconds": 0 })).await;
        assert!(self.app.queue().settle(DEADLINE).await, "the queue comes to rest");
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

    /// Mails to an address, newest first; but for those that ask to confirm it, which every sign-up brings.
    pub async fn mails_to(&self, email: &str) -> Vec<Value> {
        let mut mails = self.all_mails_to(email).await;
        mails.retain(|mail| mail["subject"] != CONFIRM_EMAIL);
        mails
    }

    /// Mails that ask to confirm an address, newest first.
    pub async fn confirmations_to(&self, email: &str) -> Vec<Value> {
        let mut mails = self.all_mails_to(email).await;
        mails.retain(|mail| mail["subject"] == CONFIRM_EMAIL);
        mails
    }

    async fn all_mails_to(&self, email: &str) -> Vec<Value> {
        let all = self.gets("/mail.json").await;
        all.as_array().expect("a list").iter().filter(|mail| mail["to"] == email).cloned().collect()
    }

    /// Answers the question of consent for an account.
    pub async fn answers(&self, who: &Held, consent: Option<bool>) {
        self.app.store().account_answers(&who.uid, consent).await.expect("it is stored");
    }

    /// The conversions that the platform counted, oldest first, each with how often it came again.
    pub async fn counted(&self) -> Vec<(Value, u64)> {
        let list = self.gets("/graph/events.json").await;
        let newest_first = list.as_array().expect("a list").iter().rev();
        newest_first.map(|one| (one["event"].clone(), one["repeats"].as_u64().expect("a number"))).collect()
    }

    /// The ids of the conversions that the platform counted, in order.
    pub async fn counted_ids(&self) -> Vec<String> {
        let counted = self.counted().await;
        let mut ids: Vec<_> =
            counted.iter().map(|(event, _)| event["event_id"].as_str().expect("an id").to_owned()).collect();
        ids.sort();
        ids
    }

    /// How a checkout stands.
    pub async fn checkout(&self, session: &str) -> Result<pb::GetCheckoutSessionResponse, Status> {
        let request = pb::GetCheckoutSessionRequest { session_id: session.to_owned() };
        Ok(self.billing().get_checkout_session(request).await?.into_inner())
    }

    /// The subscription as its account sees it.
    pub async fn account_of(&self, who: &Held) -> pb::GetSubscriptionResponse {
        let asked =
            self.billing().get_subscription(bearer(pb::GetSubscriptionRequest {}, &who.session)).await;
        asked.expect("GetSubscription answers").into_inner()
    }

    /// Cancels, for a reason.
    pub async fn cancels(&self, who: &Held, reason: &str) -> Result<pb::Subscription, Status> {
        let request = pb::CancelSubscriptionRequest { reason: Some(reason.to_owned()), request_id: None };
        self.cancels_as(who, request).await
    }

    /// Cancels as given.
    pub async fn cancels_as(
        &self,
        who: &Held,
        request: pb::CancelSubscriptionRequest,
    ) -> Result<pb::Subscription, Status> {
        let answer = self.billing().cancel_subscription(bearer(request, &who.session)).await?;
        Ok(answer.into_inner().subscription.expect("a subscription is answered"))
    }

    /// Takes a cancellation back.
    pub async fn resumes(&self, who: &Held) -> Result<pb::Subscription, Status> {
        let request = bearer(pb::ResumeSubscriptionRequest {}, &who.session);
        let answer = self.billing().resume_subscription(request).await?;
        Ok(answer.into_inner().subscription.expect("a subscription is answered"))
    }

    /// Asks the money back.
    pub async fn wants_back(
        &self,
        who: &Held,
        request_id: Option<&str>,
    ) -> Result<pb::RequestRefundResponse, Status> {
        let request = pb::RequestRefundRequest { request_id: request_id.map(str::to_owned) };
        Ok(self.billing().request_refund(bearer(request, &who.session)).await?.into_inner())
    }

    /// A page of invoices.
    pub async fn invoices_of(
        &self,
        who: &Held,
        page_size: i32,
        page_token: &str,
    ) -> Result<pb::ListInvoicesResponse, Status> {
        let request = pb::ListInvoicesRequest { page_size, page_token: page_token.to_owned() };
        Ok(self.billing().list_invoices(bearer(request, &who.session)).await?.into_inner())
    }

    /// A purchase by card, come to rest.
    pub async fn subscribes(&self, who: &Held, plan: &str, interval: &str) -> String {
        let session = self.opens(who, plan, interval, "").await.expect("a checkout opens");
        self.subscribes_in(&session).await;
        session
    }

    /// The same in a checkout that is open.
    pub async fn subscribes_in(&self, session: &str) {
        self.pays_by_card(session, "4242424242424242").await;
        self.rest().await;
    }

    /// The subscription's status and whether it is active.
    pub async fn standing(&self, who: &Held) -> Option<(String, Option<bool>)> {
        let subscription = self.account_of(who).await.subscription?;
        Some((subscription.status, subscription.active))
    }

    /// One object of the payments API.
    pub async fn provider_object(&self, path: &str) -> Value {
        let request = self.http.get(format!("{}{path}", self.url)).bearer_auth("sk_test_garimpo");
        request.send().await.expect("the sandbox answers").json().await.expect("JSON")
    }

    /// Objects of the payments API.
    pub async fn provider_list(&self, path: &str) -> Vec<Value> {
        let url = format!("{}{path}", self.url);
        let answer =
            self.http.get(url).bearer_auth("sk_test_garimpo").send().await.expect("the sandbox answers");
        let list: Value = answer.json().await.expect("JSON");
        list["data"].as_array().unwrap_or_else(|| panic!("{list}")).clone()
    }

    /// Ends a subscription at the provider, as its operator would.
    pub async fn ends_subscription(&self, id: &str) {
        self.provider_deletes(&format!("/v1/subscriptions/{id}")).await;
    }

    /// Removes an object at the provider, as its operator would.
    pub async fn provider_deletes(&self, path: &str) {
        let request = self.http.delete(format!("{}{path}", self.url)).bearer_auth("sk_test_garimpo");
        let answer = request.send().await.expect("the sandbox answers");
        assert!(answer.status().is_success(), "{path} is removed");
    }

    /// Makes or changes an object at the provider, as its operator would.
    pub async fn provider_posts(&self, path: &str, form: &[(&str, &str)]) {
        let request = self.http.post(format!("{}{path}", self.url)).bearer_auth("sk_test_garimpo");
        let answer = request.form(form).send().await.expect("the sandbox answers");
        assert!(answer.status().is_success(), "{path} is taken");
    }

    /// The provider's events of an account, oldest first.
    pub async fn events_of(&self, who: &Held) -> Vec<Value> {
        let customer = self.app.store().customer_by_uid(&who.uid).await.expect("readable");
        let customer = customer.and_then(|row| row.customer_id).expect("the provider knows the account");
        let mut events = self.provider_list("/v1/events?limit=100").await;
        events.retain(|event| event["data"]["object"]["customer"] == *customer);
        events.reverse();
        events
    }

    /// Delivers an event as the provider would now, by a secret, and answers whether it was taken.
    pub async fn delivers(&self, event: &Value, secret: &str) -> Result<(), Status> {
        let payload = event.to_string();
        let at = self.app.clock().now().as_unix_seconds();
        let signature = signature(secret, at, &payload);
        self.hands_in(payload, signature).await
    }

    /// Hands in a delivery as it is.
    pub async fn hands_in(&self, payload: String, signature: String) -> Result<(), Status> {
        let mut door = WebhookServiceClient::new(self.app.routes(Audience::Gateway));
        let request = pb::ReceiveEventRequest { payload: payload.into_bytes(), signature };
        door.receive_event(request).await.map(drop)
    }

    /// Waits until no job is due, without a look at the world outside.
    pub async fn settles(&self) {
        assert!(self.app.queue().settle(DEADLINE).await, "the queue comes to rest");
    }

    /// Calls a path of the sandbox.
    pub async fn posts(&self, path: &str, body: Value) -> Value {
        let url = format!("{}{path}", self.url);
        let answer = self.http.post(url).json(&body).send().await.expect("the sandbox answers");
        answer.json().await.expect("JSON")
    }

    async fn gets(&self, path: &str) -> Value {
        let answer = self.http.get(format!("{}{path}", self.url)).send().await.expect("the sandbox answers");
        answer.json().await.expect("JSON")
    }
}

/// The header that proves who sent a delivery, and when.
pub fn signature(secret: &str, at_seconds: i64, payload: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any key length");
    mac.update(format!("{at_seconds}.{payload}").as_bytes());
    format!("t={at_seconds},v1={}", hex::encode(mac.finalize().into_bytes()))
}

/// A checkout request without extras.
pub fn order(who: &Held, plan: &str, interval: &str, coupon: &str) -> pb::CreateCheckoutSessionRequest {
    pb::CreateCheckoutSessionRequest {
        email: who.email.clone(),
        plan_name: plan.to_owned(),
        interval: interval.to_owned(),
        coupon_id: coupon.to_owned(),
        shown_price_centavos: None,
        request_id: None,
        ..Default::default()
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
fn webhook_door(app: &App) -> Router {
    let client = WebhookServiceClient::new(app.routes(Audience::Gateway));
    Router::new().route("/webhooks/stripe", post(deliver)).with_state(client)
}

async fn deliver(
    State(mut client): State<WebhookServiceClient<Routes>>,
    headers: HeaderMap,
    payload: bytes::Bytes,
) -> http::StatusCode {
    let signature = headers.get("stripe-signature").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let request = pb::ReceiveEventRequest { payload: payload.to_vec(), signature: signature.to_owned() };
    match client.receive_event(request).await {
        Ok(_) => http::StatusCode::OK,
        Err(status) if status.code() == tonic::Code::InvalidArgument => http::StatusCode::BAD_REQUEST,
        Err(_) => http::StatusCode::SERVICE_UNAVAILABLE,
    }
}
