//! The sandbox, called by the scenarios: a visitor's actions in the provider's frame, faults, the
//! mailbox, the clock.

use hmac::{Hmac, KeyInit, Mac};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::Sha256;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Subject of the confirmation mail of every sign-up.
const CONFIRM_EMAIL: &str = "Confirme seu email no Garimpo";

/// The sandbox's client.
pub struct Provider {
    url: String,
    client: reqwest::Client,
}

impl Provider {
    pub(crate) fn new(url: &str) -> Self {
        // Follows redirects, because the sandbox's pages answer a form with one.
        let follows = reqwest::redirect::Policy::default();
        let client = crate::http::builder().redirect(follows).build().expect("a client");
        Self { url: url.into(), client }
    }

    /// Pays the checkout by card; returns the provider's HTTP status.
    pub async fn pays_by_card(&self, session: &str, card: &str) -> u16 {
        self.post(&format!("/_test/checkout/{session}"), json!({ "card": card })).await.0
    }

    /// Pays by card and refuses the bank's authentication; returns status and error.
    pub async fn pays_by_card_without_consent(&self, session: &str, card: &str) -> (u16, Value) {
        let body = json!({ "card": card, "challenge": "refuse" });
        self.post(&format!("/_test/checkout/{session}"), body).await
    }

    /// The URL of the visitor's actions in the frame.
    pub fn checkout_url(&self, session: &str) -> String {
        format!("{}/_test/checkout/{session}", self.url)
    }

    /// The script of the checkout page.
    pub fn script_url(&self) -> String {
        format!("{}/v3/", self.url)
    }

    /// Asks for a boleto in the checkout.
    pub async fn asks_for_boleto(&self, session: &str) -> u16 {
        let body = json!({ "boleto": { "tax_id": "529.982.247-25" } });
        self.post(&format!("/_test/checkout/{session}"), body).await.0
    }

    /// Pays the boleto of the checkout at the bank.
    pub async fn pays_boleto(&self, session: &str) -> u16 {
        self.post(&format!("/_test/boletos/{session}/pay"), json!({})).await.0
    }

    /// Adds a fault of the provider.
    pub async fn add_fault(&self, fault: Value) {
        let (status, body) = self.post("/_test/faults", fault).await;
        assert!(status < 300, "{status} {body}");
    }

    /// Sets the switches of undocumented or configurable behavior; the others get their defaults.
    pub async fn behaves(&self, behavior: Value) {
        let call = self.client.put(format!("{}/_test/behavior", self.url)).json(&behavior);
        let answer = call.send().await.expect("the sandbox answers");
        assert!(answer.status().is_success(), "{behavior}: {}", answer.status());
    }

    /// Lets the portal set a new card on each subscription and charge open invoices to it at once,
    /// for scenarios about something else.
    pub async fn portal_does_everything(&self) {
        let switches = json!({
            "portal_card": "customer_and_subscriptions", "portal_pays_open_invoices": true,
        });
        self.behaves(switches).await;
    }

    /// Ends all faults.
    pub async fn recovers(&self) {
        let call = self
            .client
            .delete(format!("{}/_test/faults", self.url))
            .send()
            .await
            .expect("the sandbox answers");
        assert!(call.status().is_success(), "{}", call.status());
    }

    /// Moves the clock forward and processes everything that falls due.
    pub async fn advances(&self, seconds: i64) -> Value {
        self.moves_clock(json!({ "advance_seconds": seconds })).await
    }

    /// Moves the clock forward without ending sessions.
    pub async fn advances_days(&self, days: i64) -> Value {
        self.moves_clock(json!({ "advance_seconds": days * 86_400, "keep_sessions": true })).await
    }

    /// The `stripe-signature` of a body, by a secret and an instant.
    pub fn signs(secret: &str, at: i64, body: &str) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any key length");
        mac.update(format!("{at}.{body}").as_bytes());
        format!("t={at},v1={}", hex::encode(mac.finalize().into_bytes()))
    }

    /// Moves the clock forward by seconds without ending sessions.
    pub async fn advances_kept(&self, seconds: i64) -> Value {
        self.moves_clock(json!({ "advance_seconds": seconds, "keep_sessions": true })).await
    }

    /// Moves the clock to an instant, Unix seconds, without ending sessions.
    pub async fn goes_to(&self, at: i64) -> Value {
        let at = time::OffsetDateTime::from_unix_timestamp(at).expect("an instant");
        let at = at.format(&time::format_description::well_known::Rfc3339).expect("RFC 3339");
        self.moves_clock(json!({ "set": at, "keep_sessions": true })).await
    }

    async fn moves_clock(&self, body: Value) -> Value {
        let (status, body) = self.post("/clock", body).await;
        assert_eq!(status, 200, "{body}");
        body
    }

    /// The current time of the sandbox, in Unix seconds.
    pub async fn now(&self) -> i64 {
        unix_seconds(self.get("/clock").await["now"].as_str().expect("an instant"))
    }

    /// Mails to an address, newest first, without the confirmation mails of sign-ups.
    pub async fn mails_to(&self, email: &str) -> Vec<Value> {
        let mut mails = self.all_mails_to(email).await;
        mails.retain(|mail| mail["subject"] != CONFIRM_EMAIL);
        mails
    }

    /// Confirmation mails to an address, newest first.
    pub async fn confirmations_to(&self, email: &str) -> Vec<Value> {
        let mut mails = self.all_mails_to(email).await;
        mails.retain(|mail| mail["subject"] == CONFIRM_EMAIL);
        mails
    }

    async fn all_mails_to(&self, email: &str) -> Vec<Value> {
        let all: Vec<Value> = serde_json::from_value(self.get("/mail.json").await).expect("a list");
        all.into_iter().filter(|mail| mail["to"] == email).collect()
    }

    /// The conversions that the platform counted, newest first: `event`, `pixel`, `version`,
    /// `repeats`.
    pub async fn conversions(&self) -> Vec<Value> {
        serde_json::from_value(self.get("/graph/events.json").await).expect("a list")
    }

    /// An object of the payments API, as the provider has it.
    pub async fn object(&self, path: &str) -> Value {
        self.get(path).await
    }

    /// Posts to a path of the sandbox's test API, and returns the reply.
    pub async fn acts(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.post(path, body).await;
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    /// Posts a charge to a path of the test API, and returns the HTTP status.
    pub async fn tries(&self, path: &str, charge: &str) -> u16 {
        self.post(path, json!({ "charge": charge })).await.0
    }

    /// Creates or changes an object of the payments API; returns the HTTP status, or 0 without a
    /// reply.
    pub async fn tries_change(&self, path: &str, form: &[(&str, &str)]) -> u16 {
        let request = self.client.post(format!("{}{path}", self.url)).bearer_auth("sk_test_garimpo");
        request.form(form).send().await.map_or(0, |answer| answer.status().as_u16())
    }

    /// Sets another card in the portal; returns the HTTP status, or 0 without a reply.
    pub async fn tries_card_in_portal(&self, portal: &str, number: &str) -> u16 {
        let form = [("number", number), ("expiry", "12/34"), ("cvc", "123"), ("name", "Ana Souza")];
        let answer = self.client.post(format!("{portal}/card")).form(&form).send().await;
        answer.map_or(0, |answer| answer.status().as_u16())
    }

    /// A list of the payments API, its first page.
    pub async fn list(&self, path: &str) -> Vec<Value> {
        let page = self.get(path).await;
        assert_ne!(page["has_more"], true, "{path} has more than a page");
        page["data"].as_array().unwrap_or_else(|| panic!("{path}: {page}")).clone()
    }

    /// Creates or changes an object of the payments API, as in the dashboard.
    pub async fn changes(&self, path: &str, form: &[(&str, &str)]) -> Value {
        let request = self.client.post(format!("{}{path}", self.url)).bearer_auth("sk_test_garimpo");
        let answer = request.form(form).send().await.expect("the sandbox answers");
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.json().await.expect("JSON")
    }

    /// Deletes an object of the payments API, as in the dashboard.
    pub async fn deletes(&self, path: &str) {
        let request = self.client.delete(format!("{}{path}", self.url)).bearer_auth("sk_test_garimpo");
        let answer = request.send().await.expect("the sandbox answers");
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
    }

    /// The same, retried over outages under one idempotency key.
    pub async fn retry_change(&self, path: &str, form: &[(&str, &str)]) -> Value {
        let key = format!("insists-{:016x}", rand::random::<u64>());
        let (url, key) = (&format!("{}{path}", self.url), &key);
        crate::eventually(path, || async move {
            let request = self.client.post(url).bearer_auth("sk_test_garimpo").header("idempotency-key", key);
            let answer = request.form(form).send().await.ok()?;
            let (status, body) = (answer.status(), answer.json().await.ok()?);
            assert!(status.is_success() || status.is_server_error(), "{path}: {body}");
            status.is_success().then_some(body)
        })
        .await
    }

    /// Id of an account's customer.
    pub async fn customer_of(&self, email: &str) -> String {
        let customers = self.list(&format!("/v1/customers?email={email}")).await;
        customers[0]["id"].as_str().expect("an id").to_owned()
    }

    /// Sets another card in the portal.
    pub async fn takes_card_in_portal(&self, portal: &str, number: &str) {
        let form = [("number", number), ("expiry", "12/34"), ("cvc", "123"), ("name", "Ana Souza")];
        let answer =
            self.client.post(format!("{portal}/card")).form(&form).send().await.expect("the portal answers");
        assert!(answer.status().is_success(), "{}", answer.status());
        assert!(answer.text().await.expect("a page").contains("Alteração salva"), "the card is taken");
    }

    /// A list of the payments API, all of its pages; `path` has a query.
    pub async fn all(&self, path: &str) -> Vec<Value> {
        let mut found: Vec<Value> = Vec::new();
        loop {
            let after =
                found.last().map(|last| format!("&starting_after={}", last["id"].as_str().expect("an id")));
            let page = self.get(&format!("{path}&limit=100{}", after.unwrap_or_default())).await;
            found.extend(page["data"].as_array().expect("a list").iter().cloned());
            if page["has_more"] != true {
                return found;
            }
        }
    }

    async fn get(&self, path: &str) -> Value {
        let request = self.client.get(format!("{}{path}", self.url)).bearer_auth("sk_test_garimpo");
        request.send().await.expect("the sandbox answers").json().await.expect("JSON")
    }

    async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        let request = self.client.request(Method::POST, format!("{}{path}", self.url)).json(&body);
        let answer = request.send().await.expect("the sandbox answers");
        (answer.status().as_u16(), answer.json().await.unwrap_or(Value::Null))
    }
}

/// Unix seconds of an instant in RFC 3339.
pub fn unix_seconds(instant: &str) -> i64 {
    OffsetDateTime::parse(instant, &Rfc3339).expect("RFC 3339").unix_timestamp()
}

/// An instant of Unix seconds in RFC 3339.
pub fn rfc3339(unix_seconds: i64) -> String {
    let instant = OffsetDateTime::from_unix_timestamp(unix_seconds).expect("an instant");
    instant.format(&Rfc3339).expect("RFC 3339")
}
