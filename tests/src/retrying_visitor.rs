//! A visitor of a product that is being killed: retries until a call succeeds, and records every
//! success.
//!
//! Everything that was acknowledged must exist afterwards. A call without a reply may have been
//! done completely or not at all.

mod acts;

use std::sync::Arc;
use std::time::{Duration, Instant};

use garimpo_proto::auth::v1::SignInRequest;
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use tokio::sync::watch;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};

use crate::provider::{Provider, rfc3339, unix_seconds};
use crate::visitor::{Answer, Person, Visitor, is_outage, session_id, try_answer};

/// How long one action is retried.
const TIMEOUT: Duration = Duration::from_mins(2);
/// Timeout of one call.
const CALL_TIMEOUT: Duration = Duration::from_secs(15);
const CARD: &str = "4242424242424242";

/// Counts actions as they begin, over all visitors of a run.
pub type ActCounter = Arc<watch::Sender<u64>>;

/// Everything that was acknowledged.
#[derive(Default)]
struct Acknowledged {
    /// Cookies of sessions that were opened.
    sessions: Vec<String>,
    /// Cookies of sessions that were ended.
    ended: Vec<String>,
    /// Checkout sessions that were returned.
    checkouts: Vec<String>,
    /// Checkout sessions that are paid at the provider.
    paid: Vec<String>,
    phone: Option<String>,
}

/// A person with an account who retries.
pub struct RetryingVisitor {
    visitor: Visitor,
    person: Person,
    provider: Provider,
    sandbox: String,
    client: reqwest::Client,
    counter: ActCounter,
    acknowledged: Acknowledged,
}

impl RetryingVisitor {
    pub(crate) fn new(url: &str, sandbox: &str) -> Self {
        Self {
            visitor: Visitor::new(url),
            person: Person::new(),
            provider: Provider::new(sandbox),
            sandbox: sandbox.into(),
            client: crate::http::client(),
            counter: ActCounter::default(),
            acknowledged: Acknowledged::default(),
        }
    }

    /// Counts each action at this counter.
    pub fn counting_acts(mut self, counter: &ActCounter) -> Self {
        self.counter = counter.clone();
        self
    }

    /// The account as a plain visitor, once it has signed up.
    pub fn visitor(&self) -> &Visitor {
        &self.visitor
    }

    /// Email and password.
    pub fn credentials(&self) -> (String, String) {
        (self.person.email.clone(), self.person.password.clone())
    }

    /// Signs up. If a reply was lost, the account may exist, and its password signs in.
    pub async fn signs_up(&mut self) {
        let mut lost = false;
        let began = Instant::now();
        loop {
            match self.sign_up_once().await {
                Ok(()) => return,
                Err(status) if status.code() == Code::AlreadyExists && lost => return self.signs_in().await,
                Err(status) => self.wait_out_outage(&status, began).await,
            }
            lost = true;
        }
    }

    async fn sign_up_once(&mut self) -> Result<(), Status> {
        let request = self.person.sign_up_form();
        let answer = self.auth().await?.sign_up(request).await?;
        let cookie = session_cookie(answer.metadata());
        let answer = answer.into_inner();
        self.store_session(cookie, answer.user.map(|user| (user.uid, user.email)), answer.id_token);
        Ok(())
    }

    /// Signs in again, as from another device.
    pub async fn signs_in(&mut self) {
        let began = Instant::now();
        loop {
            match self.sign_in_once().await {
                Ok(()) => return,
                Err(status) => self.wait_out_outage(&status, began).await,
            }
        }
    }

    async fn sign_in_once(&mut self) -> Result<(), Status> {
        let request =
            SignInRequest { email: self.person.email.clone(), password: self.person.password.clone() };
        let answer = self.auth().await?.sign_in(request).await?;
        let cookie = session_cookie(answer.metadata());
        let answer = answer.into_inner();
        self.store_session(cookie, answer.user.map(|user| (user.uid, user.email)), answer.id_token);
        Ok(())
    }

    fn store_session(&mut self, cookie: String, user: Option<(String, String)>, id_token: String) {
        let (uid, email) = user.expect("the answer names the user");
        (self.visitor.uid, self.visitor.email) = (uid, email);
        self.visitor.cookie = Some(cookie.clone());
        self.visitor.id_token = Some(id_token);
        self.acknowledged.sessions.push(cookie);
    }

    async fn auth(&self) -> Result<AuthServiceClient<Channel>, Status> {
        Ok(AuthServiceClient::new(self.channel().await?))
    }

    async fn channel(&self) -> Result<Channel, Status> {
        self.count_act();
        let endpoint =
            Endpoint::from_shared(self.visitor.url().to_string()).expect("an address").timeout(CALL_TIMEOUT);
        endpoint.connect().await.map_err(|error| Status::unavailable(error.to_string()))
    }

    /// Ends the oldest session if there are several.
    pub async fn signs_out_elsewhere(&mut self) {
        if self.acknowledged.sessions.len() < 2 {
            return;
        }
        // From here on the session may have ended, even without a reply.
        let cookie = self.acknowledged.sessions.remove(0);
        let request = || self.visitor.request("POST", "/api/auth/clear-cookie").header("cookie", &cookie);
        self.retry_request("sign-out", request).await;
        self.acknowledged.ended.push(cookie);
    }

    /// Changes the phone of the record.
    pub async fn saves_phone(&mut self, phone: &str) {
        self.acknowledged.phone = None;
        let (uid, email) = (self.visitor.uid.clone(), self.visitor.email.clone());
        let name = &self.person.display_name;
        let body = json!({ "uid": uid, "email": email, "displayName": name, "phoneNumber": phone });
        self.retry_request("the record", || self.authorized("POST", "/api/users").json(&body)).await;
        self.acknowledged.phone = Some(phone.into());
    }

    /// Opens a checkout and returns its session id.
    pub async fn opens_checkout(&mut self, plan: &str, interval: &str) -> String {
        let body = json!({ "email": self.visitor.email, "planName": plan, "interval": interval });
        let path = "/create-embedded-checkout-session";
        let answer = self.retry_request("a checkout", || self.authorized("POST", path).json(&body)).await;
        let session = session_id(answer.body["clientSecret"].as_str().expect("clientSecret"));
        self.acknowledged.checkouts.push(session.clone());
        session
    }

    /// Pays by card in the provider's frame; returns whether it was paid, because the session may
    /// have been expired.
    pub async fn pays_by_card(&mut self, session: &str) -> bool {
        self.pays_by(CARD, session).await
    }

    /// The same with this card.
    pub async fn pays_by(&mut self, card: &str, session: &str) -> bool {
        let is_paid = self.act_at_provider(session, "checkout", json!({ "card": card })).await["payment_status"]
            == "paid";
        self.record_paid(session, is_paid)
    }

    /// Pays two checkouts at once, as from two tabs. One of them may have been expired.
    pub async fn pays_both_by_card(&mut self, [one, other]: [&str; 2]) {
        let pay = async |session| {
            self.act_at_provider(session, "checkout", json!({ "card": CARD })).await["payment_status"]
                == "paid"
        };
        let (one_paid, other_paid) = tokio::join!(pay(one), pay(other));
        assert!(one_paid || other_paid, "neither checkout could be paid");
        self.record_paid(one, one_paid);
        self.record_paid(other, other_paid);
    }

    /// Asks for a boleto in the provider's frame; returns whether it was issued.
    pub async fn asks_for_boleto(&self, session: &str) -> bool {
        let body = json!({ "boleto": { "tax_id": "529.982.247-25" } });
        self.act_at_provider(session, "checkout", body).await["status"] == "complete"
    }

    /// Pays the boleto at the bank.
    pub async fn pays_boleto(&mut self, session: &str) -> bool {
        let is_paid = self.act_at_provider(session, "boletos", json!({})).await["payment_status"] == "paid";
        self.record_paid(session, is_paid)
    }

    fn record_paid(&mut self, session: &str, is_paid: bool) -> bool {
        if is_paid {
            self.acknowledged.paid.push(session.into());
        }
        is_paid
    }

    /// Does an action at the provider, and returns the session afterwards. A refused action was
    /// already done, or the session is closed.
    async fn act_at_provider(&self, session: &str, kind: &str, body: Value) -> Value {
        let end = if kind == "boletos" { "/pay" } else { "" };
        let url = format!("{}/_test/{kind}/{session}{end}", self.sandbox);
        let began = Instant::now();
        loop {
            self.count_act();
            let tried = self.client.post(&url).timeout(CALL_TIMEOUT).json(&body).send().await;
            if tried.is_ok_and(|answer| !answer.status().is_server_error()) {
                break;
            }
            self.pause_or_time_out(began, "an act at the provider").await;
        }
        let url = format!("{}/v1/checkout/sessions/{session}", self.sandbox);
        let read = || self.client.get(&url).bearer_auth("sk_test_garimpo");
        let seen = self.retry_request("the session at the provider", read).await.body;
        assert_ne!(seen["status"], "open", "{kind}: refused, and neither done nor ended: {seen}");
        seen
    }

    /// Reads the return page until the session is complete, as the tab does.
    pub async fn returns(&self, session: &str) {
        let path = format!("/session-status?session_id={session}");
        let began = Instant::now();
        while self.retry_request("the return page", || self.visitor.request("GET", &path)).await.body["status"]
            != "complete"
        {
            self.pause_or_time_out(began, "a complete session").await;
        }
    }

    /// Waits until the subscription is active.
    pub async fn becomes_active(&self) {
        self.wait_for_record("subscription_active", true).await;
    }

    /// Waits until a boleto is issued and unpaid.
    pub async fn awaits_payment(&self) {
        self.wait_for_record("subscription_status", "awaiting_payment").await;
    }

    async fn wait_for_record(&self, field: &str, wanted: impl Into<Value>) {
        let (path, wanted) = (format!("/api/users/{}", self.visitor.uid), wanted.into());
        let began = Instant::now();
        while self.retry_request("the record", || self.authorized("GET", &path)).await.body[field] != wanted {
            self.pause_or_time_out(began, &format!("{field}: {wanted}")).await;
        }
    }

    /// Delivers an event of an unknown type, as the provider would, until it is acknowledged.
    pub async fn delivers_event(&self, id: &str) {
        let now = self.now().await;
        let event = json!({ "id": id, "object": "event", "type": "soak.noted", "data": { "object": {} } });
        let (body, path) = (event.to_string(), "/webhooks/stripe");
        let proof = Provider::signs("whsec_garimpo", now, &body);
        let request =
            || self.visitor.request("POST", path).header("stripe-signature", &proof).body(body.clone());
        self.retry_request("an event", request).await;
    }

    /// The current time of the sandbox, in Unix seconds.
    pub async fn now(&self) -> i64 {
        let url = format!("{}/clock", self.sandbox);
        let clock = self.retry_request("the clock", || self.client.get(&url)).await.body;
        unix_seconds(clock["now"].as_str().expect("an instant"))
    }

    /// Moves the clock to an instant. After an outage the retry finds the clock moving or moved.
    pub async fn lets_time_pass(&self, until: i64) {
        let url = format!("{}/clock", self.sandbox);
        let until_text = rfc3339(until);
        let began = Instant::now();
        loop {
            let body = json!({ "set": until_text, "keep_sessions": true });
            let walk = self.client.post(&url).json(&body).timeout(TIMEOUT).send().await;
            if self.now().await >= until && walk.is_ok() {
                return;
            }
            self.pause_or_time_out(began, "the passing of time").await;
        }
    }

    /// Asserts that everything that was acknowledged still exists.
    pub async fn assert_acknowledged_kept(&self) {
        for (cookies, alive) in [(&self.acknowledged.sessions, true), (&self.acknowledged.ended, false)] {
            for cookie in cookies {
                let request =
                    || self.visitor.request("GET", "/api/auth/check-cookie").header("cookie", cookie);
                let seen = self.retry_request("the session", request).await.body;
                assert_eq!(
                    seen["authenticated"], alive,
                    "{}: a session was lost or came back",
                    self.visitor.email
                );
            }
        }
        for session in &self.acknowledged.checkouts {
            let path = format!("/session-status?session_id={session}");
            let seen = self.retry_request("the checkout", || self.visitor.request("GET", &path)).await.body;
            assert_eq!(seen["customer_email"], self.visitor.email, "{session} was lost");
        }
        for session in &self.acknowledged.paid {
            let seen = self.provider.object(&format!("/v1/checkout/sessions/{session}")).await;
            assert_eq!(seen["payment_status"], "paid", "{session}: the provider lost a payment");
        }
        if let Some(phone) = &self.acknowledged.phone {
            let path = format!("/api/users/{}", self.visitor.uid);
            let seen = self.retry_request("the record", || self.authorized("GET", &path)).await.body;
            assert_eq!(seen["phoneNumber"], *phone, "{}: a saved record was lost", self.visitor.email);
        }
    }

    /// A request with the newest session.
    fn authorized(&self, method: &str, path: &str) -> RequestBuilder {
        let cookie = self.visitor.cookie.clone().unwrap_or_default();
        self.visitor.request(method, path).header("cookie", cookie)
    }

    /// Sends the same request until it succeeds. Only outages are retried.
    async fn retry_request(&self, what: &str, request: impl Fn() -> RequestBuilder) -> Answer {
        let began = Instant::now();
        loop {
            self.count_act();
            match try_answer(request().timeout(CALL_TIMEOUT)).await {
                Ok(answer) if answer.status == 200 => return answer,
                Ok(answer) => assert!(matches!(answer.status, 502 | 503), "{what}: {answer:?}"),
                Err(_) => {}
            }
            self.pause_or_time_out(began, what).await;
        }
    }

    async fn wait_out_outage(&self, status: &Status, began: Instant) {
        assert!(is_outage(status), "{}: {status:?}", self.person.email);
        self.pause_or_time_out(began, "an answer").await;
    }

    async fn pause_or_time_out(&self, began: Instant, what: &str) {
        assert!(began.elapsed() < TIMEOUT, "{} waited {TIMEOUT:?} in vain for: {what}", self.person.email);
        tokio::time::sleep(Duration::from_millis(25)).await;
    }

    fn count_act(&self) {
        self.counter.send_modify(|acts| *acts += 1);
    }
}

fn session_cookie(metadata: &tonic::metadata::MetadataMap) -> String {
    let cookie = metadata.get("set-cookie").expect("a session is a cookie").to_str().expect("ascii");
    cookie.split(';').next().unwrap_or_default().to_string()
}
