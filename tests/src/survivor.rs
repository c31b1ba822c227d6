//! A visitor in front of a product that dies under them: who tries again until it works, and
//! remembers every answer.
//!
//! What was answered with success must be there ever after; what was not may be there whole or not
//! at all.

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

/// How long somebody tries the same thing.
const PATIENCE: Duration = Duration::from_mins(2);
/// A call without an answer by then is tried again.
const CALL: Duration = Duration::from_secs(15);
const CARD: &str = "4242424242424242";

/// Counts acts as they begin, over all visitors of a run.
pub type Bell = Arc<watch::Sender<u64>>;

/// What was answered with success.
#[derive(Default)]
struct Acknowledged {
    /// Cookies of sessions that were made.
    sessions: Vec<String>,
    /// Cookies of sessions that were ended.
    ended: Vec<String>,
    /// Checkout sessions that were handed out.
    checkouts: Vec<String>,
    /// Checkout sessions that the provider said are paid.
    paid: Vec<String>,
    phone: Option<String>,
}

/// Somebody with an account of their own and a long breath.
pub struct Survivor {
    visitor: Visitor,
    person: Person,
    provider: Provider,
    sandbox: String,
    client: reqwest::Client,
    bell: Bell,
    acknowledged: Acknowledged,
}

impl Survivor {
    pub(crate) fn new(url: &str, sandbox: &str) -> Self {
        Self {
            visitor: Visitor::new(url),
            person: Person::new(),
            provider: Provider::new(sandbox),
            sandbox: sandbox.into(),
            client: crate::http::client(),
            bell: Bell::default(),
            acknowledged: Acknowledged::default(),
        }
    }

    /// Rings this bell at each act.
    pub fn ringing(mut self, bell: &Bell) -> Self {
        self.bell = bell.clone();
        self
    }

    /// The account as any other scenario sees it, once signed up.
    pub fn visitor(&self) -> &Visitor {
        &self.visitor
    }

    /// Email and password.
    pub fn credentials(&self) -> (String, String) {
        (self.person.email.clone(), self.person.password.clone())
    }

    /// Signs up; when the answer was lost the account may be there, and its password opens it.
    pub async fn signs_up(&mut self) {
        let mut lost = false;
        let began = Instant::now();
        loop {
            match self.sign_up_once().await {
                Ok(()) => return,
                Err(status) if status.code() == Code::AlreadyExists && lost => return self.signs_in().await,
                Err(status) => self.waits_out(&status, began).await,
            }
            lost = true;
        }
    }

    async fn sign_up_once(&mut self) -> Result<(), Status> {
        let request = self.person.sign_up_form();
        let answer = self.auth().await?.sign_up(request).await?;
        let cookie = session_cookie(answer.metadata());
        let answer = answer.into_inner();
        self.is_known_as(cookie, answer.user.map(|user| (user.uid, user.email)), answer.id_token);
        Ok(())
    }

    /// Signs in anew, as from another device.
    pub async fn signs_in(&mut self) {
        let began = Instant::now();
        loop {
            match self.sign_in_once().await {
                Ok(()) => return,
                Err(status) => self.waits_out(&status, began).await,
            }
        }
    }

    async fn sign_in_once(&mut self) -> Result<(), Status> {
        let request =
            SignInRequest { email: self.person.email.clone(), password: self.person.password.clone() };
        let answer = self.auth().await?.sign_in(request).await?;
        let cookie = session_cookie(answer.metadata());
        let answer = answer.into_inner();
        self.is_known_as(cookie, answer.user.map(|user| (user.uid, user.email)), answer.id_token);
        Ok(())
    }

    fn is_known_as(&mut self, cookie: String, user: Option<(String, String)>, id_token: String) {
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
        self.rings();
        let endpoint =
            Endpoint::from_shared(self.visitor.url().to_string()).expect("an address").timeout(CALL);
        endpoint.connect().await.map_err(|error| Status::unavailable(error.to_string()))
    }

    /// Ends the oldest of several sessions.
    pub async fn signs_out_elsewhere(&mut self) {
        if self.acknowledged.sessions.len() < 2 {
            return;
        }
        // From here on it may be ended, answered or not.
        let cookie = self.acknowledged.sessions.remove(0);
        let request = || self.visitor.request("POST", "/api/auth/clear-cookie").header("cookie", &cookie);
        self.insists("sign-out", request).await;
        self.acknowledged.ended.push(cookie);
    }

    /// Changes the phone of the record.
    pub async fn saves_phone(&mut self, phone: &str) {
        self.acknowledged.phone = None;
        let (uid, email) = (self.visitor.uid.clone(), self.visitor.email.clone());
        let name = &self.person.display_name;
        let body = json!({ "uid": uid, "email": email, "displayName": name, "phoneNumber": phone });
        self.insists("the record", || self.authorized("POST", "/api/users").json(&body)).await;
        self.acknowledged.phone = Some(phone.into());
    }

    /// Opens a checkout and answers its session.
    pub async fn opens_checkout(&mut self, plan: &str, interval: &str) -> String {
        let body = json!({ "email": self.visitor.email, "planName": plan, "interval": interval });
        let path = "/create-embedded-checkout-session";
        let answer = self.insists("a checkout", || self.authorized("POST", path).json(&body)).await;
        let session = session_id(answer.body["clientSecret"].as_str().expect("clientSecret"));
        self.acknowledged.checkouts.push(session.clone());
        session
    }

    /// Pays by card in the provider's frame; answers whether it was paid, since a session may be
    /// closed meanwhile.
    pub async fn pays_by_card(&mut self, session: &str) -> bool {
        self.pays_by(CARD, session).await
    }

    /// The same by this card.
    pub async fn pays_by(&mut self, card: &str, session: &str) -> bool {
        let is_paid =
            self.finishes(session, "checkout", json!({ "card": card })).await["payment_status"] == "paid";
        self.knows_paid(session, is_paid)
    }

    /// Pays two checkouts at once, as from two tabs; one of them may be closed by then.
    pub async fn pays_both_by_card(&mut self, [one, other]: [&str; 2]) {
        let pay = async |session| {
            self.finishes(session, "checkout", json!({ "card": CARD })).await["payment_status"] == "paid"
        };
        let (one_paid, other_paid) = tokio::join!(pay(one), pay(other));
        assert!(one_paid || other_paid, "neither checkout could be paid");
        self.knows_paid(one, one_paid);
        self.knows_paid(other, other_paid);
    }

    /// Asks for a boleto in the provider's frame; answers whether it was issued.
    pub async fn asks_for_boleto(&self, session: &str) -> bool {
        let body = json!({ "boleto": { "tax_id": "529.982.247-25" } });
        self.finishes(session, "checkout", body).await["status"] == "complete"
    }

    /// Pays the boleto at the bank.
    pub async fn pays_boleto(&mut self, session: &str) -> bool {
        let is_paid = self.finishes(session, "boletos", json!({})).await["payment_status"] == "paid";
        self.knows_paid(session, is_paid)
    }

    fn knows_paid(&mut self, session: &str, is_paid: bool) -> bool {
        if is_paid {
            self.acknowledged.paid.push(session.into());
        }
        is_paid
    }

    /// Does an act at the provider and answers the session as it is then. An act that was refused
    /// was done before, its answer lost, or the session is over.
    async fn finishes(&self, session: &str, door: &str, body: Value) -> Value {
        let end = if door == "boletos" { "/pay" } else { "" };
        let url = format!("{}/_test/{door}/{session}{end}", self.sandbox);
        let began = Instant::now();
        loop {
            self.rings();
            let tried = self.client.post(&url).timeout(CALL).json(&body).send().await;
            if tried.is_ok_and(|answer| !answer.status().is_server_error()) {
                break;
            }
            self.is_patient(began, "an act at the provider").await;
        }
        let url = format!("{}/v1/checkout/sessions/{session}", self.sandbox);
        let read = || self.client.get(&url).bearer_auth("sk_test_garimpo");
        let seen = self.insists("the session at the provider", read).await.body;
        assert_ne!(seen["status"], "open", "{door}: refused, and neither done nor over: {seen}");
        seen
    }

    /// Looks at the return page until the session is complete there, as the tab does.
    pub async fn returns(&self, session: &str) {
        let path = format!("/session-status?session_id={session}");
        let began = Instant::now();
        while self.insists("the return page", || self.visitor.request("GET", &path)).await.body["status"]
            != "complete"
        {
            self.is_patient(began, "a complete session").await;
        }
    }

    /// Waits until the record says that the subscription is active.
    pub async fn becomes_active(&self) {
        self.sees_on_record("subscription_active", true).await;
    }

    /// Waits until the record says that a boleto was issued and is not paid yet.
    pub async fn awaits_payment(&self) {
        self.sees_on_record("subscription_status", "awaiting_payment").await;
    }

    async fn sees_on_record(&self, field: &str, wanted: impl Into<Value>) {
        let (path, wanted) = (format!("/api/users/{}", self.visitor.uid), wanted.into());
        let began = Instant::now();
        while self.insists("the record", || self.authorized("GET", &path)).await.body[field] != wanted {
            self.is_patient(began, &format!("{field}: {wanted}")).await;
        }
    }

    /// Delivers an event of an unknown kind, as the provider would, until it is taken.
    pub async fn delivers_event(&self, id: &str) {
        let now = self.now().await;
        let event = json!({ "id": id, "object": "event", "type": "soak.noted", "data": { "object": {} } });
        let (body, path) = (event.to_string(), "/webhooks/stripe");
        let proof = Provider::signs("whsec_garimpo", now, &body);
        let request =
            || self.visitor.request("POST", path).header("stripe-signature", &proof).body(body.clone());
        self.insists("an event", request).await;
    }

    /// The instant at which the world is, Unix seconds.
    pub async fn now(&self) -> i64 {
        let url = format!("{}/clock", self.sandbox);
        let clock = self.insists("the clock", || self.client.get(&url)).await.body;
        unix_seconds(clock["now"].as_str().expect("an instant"))
    }

    /// Lets the clock walk to an instant; who asks again after an outage finds it on its way or
    /// there.
    pub async fn lets_time_pass(&self, until: i64) {
        let url = format!("{}/clock", self.sandbox);
        let until_text = rfc3339(until);
        let began = Instant::now();
        loop {
            let body = json!({ "set": until_text, "keep_sessions": true });
            let walk = self.client.post(&url).json(&body).timeout(PATIENCE).send().await;
            if self.now().await >= until && walk.is_ok() {
                return;
            }
            self.is_patient(began, "the passing of time").await;
        }
    }

    /// Asserts that everything that was ever answered with success is there now.
    pub async fn finds_all_again(&self) {
        for (cookies, alive) in [(&self.acknowledged.sessions, true), (&self.acknowledged.ended, false)] {
            for cookie in cookies {
                let request =
                    || self.visitor.request("GET", "/api/auth/check-cookie").header("cookie", cookie);
                let seen = self.insists("the session", request).await.body;
                assert_eq!(
                    seen["authenticated"], alive,
                    "{}: a session was lost or came back",
                    self.visitor.email
                );
            }
        }
        for session in &self.acknowledged.checkouts {
            let path = format!("/session-status?session_id={session}");
            let seen = self.insists("the checkout", || self.visitor.request("GET", &path)).await.body;
            assert_eq!(seen["customer_email"], self.visitor.email, "{session} was lost");
        }
        for session in &self.acknowledged.paid {
            let seen = self.provider.object(&format!("/v1/checkout/sessions/{session}")).await;
            assert_eq!(seen["payment_status"], "paid", "{session}: the provider lost a payment");
        }
        if let Some(phone) = &self.acknowledged.phone {
            let path = format!("/api/users/{}", self.visitor.uid);
            let seen = self.insists("the record", || self.authorized("GET", &path)).await.body;
            assert_eq!(seen["phoneNumber"], *phone, "{}: a saved record was lost", self.visitor.email);
        }
    }

    /// A request with the newest session.
    fn authorized(&self, method: &str, path: &str) -> RequestBuilder {
        let cookie = self.visitor.cookie.clone().unwrap_or_default();
        self.visitor.request(method, path).header("cookie", cookie)
    }

    /// Sends the same request until it is answered with success; only an outage is tried again.
    async fn insists(&self, what: &str, request: impl Fn() -> RequestBuilder) -> Answer {
        let began = Instant::now();
        loop {
            self.rings();
            match try_answer(request().timeout(CALL)).await {
                Ok(answer) if answer.status == 200 => return answer,
                Ok(answer) => assert!(matches!(answer.status, 502 | 503), "{what}: {answer:?}"),
                Err(_) => {}
            }
            self.is_patient(began, what).await;
        }
    }

    async fn waits_out(&self, status: &Status, began: Instant) {
        assert!(is_outage(status), "{}: {status:?}", self.person.email);
        self.is_patient(began, "an answer").await;
    }

    async fn is_patient(&self, began: Instant, what: &str) {
        assert!(began.elapsed() < PATIENCE, "{} waited {PATIENCE:?} in vain for: {what}", self.person.email);
        tokio::time::sleep(Duration::from_millis(25)).await;
    }

    fn rings(&self) {
        self.bell.send_modify(|acts| *acts += 1);
    }
}

fn session_cookie(metadata: &tonic::metadata::MetadataMap) -> String {
    let cookie = metadata.get("set-cookie").expect("a session is a cookie").to_str().expect("ascii");
    cookie.split(';').next().unwrap_or_default().to_string()
}
