//! A running sandbox, and a receiver for its webhooks.

use std::net::SocketAddr;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use garimpo_sandbox::{Sandbox, Settings};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The sandbox under test; dropping it stops everything that it started.
pub struct World {
    pub url: String,
    pub hooks: Arc<Hooks>,
    pub sandbox: Option<Sandbox>,
    serving: JoinHandle<()>,
    receiving: JoinHandle<()>,
    webhook_url: String,
    dir: Option<TempDir>,
}

/// The events that the receiver got, and the status that it returns.
pub struct Hooks {
    events: Mutex<Vec<Value>>,
    signatures: Mutex<Vec<String>>,
    status: Mutex<u16>,
}

impl Hooks {
    pub fn answer_with(&self, status: u16) {
        *self.status.lock().unwrap() = status;
    }

    pub fn types(&self) -> Vec<String> {
        self.events.lock().unwrap().iter().map(|e| e["type"].as_str().unwrap().to_owned()).collect()
    }

    pub fn count(&self, kind: &str) -> usize {
        self.types().iter().filter(|name| *name == kind).count()
    }

    pub fn signatures(&self) -> Vec<String> {
        self.signatures.lock().unwrap().clone()
    }

    pub async fn wait_for(&self, kind: &str, count: usize) {
        eventually(kind, || self.count(kind) >= count).await;
    }
}

pub async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(15);
    while !holds() {
        assert!(Instant::now() < deadline, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn receive(State(hooks): State<Arc<Hooks>>, headers: HeaderMap, body: String) -> StatusCode {
    let status = *hooks.status.lock().unwrap();
    if status == 200 {
        hooks.events.lock().unwrap().push(serde_json::from_str(&body).unwrap());
        let signature = headers["stripe-signature"].to_str().unwrap();
        hooks.signatures.lock().unwrap().push(signature.to_owned());
    }
    StatusCode::from_u16(status).unwrap()
}

pub async fn listen() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

async fn open(dir: &TempDir, webhook_url: &str) -> (Sandbox, String, JoinHandle<()>) {
    let (listener, address) = listen().await;
    let url = format!("http://{address}");
    let clock_start = time::OffsetDateTime::from_unix_timestamp(1_796_000_000).ok();
    let settings = Settings {
        data_dir: dir.path().to_owned(),
        url: url.clone(),
        webhook_url: webhook_url.to_owned(),
        clock_start,
    };
    let sandbox = Sandbox::start(settings).await.unwrap();
    let router = sandbox.router();
    let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (sandbox, url, serving)
}

impl World {
    pub async fn start() -> Self {
        let hooks = Arc::new(Hooks {
            events: Mutex::default(),
            signatures: Mutex::default(),
            status: Mutex::new(200),
        });
        let (listener, address) = listen().await;
        let router = Router::new().route("/webhooks/stripe", post(receive)).with_state(hooks.clone());
        let receiving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        let webhook_url = format!("http://{address}/webhooks/stripe");
        let dir = tempfile::tempdir().unwrap();
        let (sandbox, url, serving) = open(&dir, &webhook_url).await;
        Self { url, hooks, sandbox: Some(sandbox), serving, receiving, webhook_url, dir: Some(dir) }
    }

    /// Drops the running sandbox without a shutdown, and opens its folder again.
    pub async fn crash_and_restart(&mut self) {
        self.serving.abort();
        drop(self.sandbox.take());
        let dir = self.dir.as_ref().unwrap();
        let (sandbox, url, serving) = open(dir, &self.webhook_url).await;
        (self.sandbox, self.url, self.serving) = (Some(sandbox), url, serving);
    }

    /// A call of the payments API: status and body.
    pub async fn call(&self, method: &str, path: &str, form: &str, key: Option<&str>) -> (u16, Value) {
        let method = method.parse().unwrap();
        let mut request = client()
            .request(method, format!("{}{path}", self.url))
            .header("authorization", "Bearer sk_test_garimpo")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form.to_owned());
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    pub async fn post(&self, path: &str, form: &str) -> Value {
        let (status, body) = self.call("POST", path, form, None).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    pub async fn get(&self, path: &str) -> Value {
        let (status, body) = self.call("GET", path, "", None).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// A JSON call without a key.
    pub async fn json(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        let answer = client()
            .request(method.parse().unwrap(), format!("{}{path}", self.url))
            .json(&body)
            .send()
            .await
            .unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    /// Waits until only one event is undelivered, because a response is recorded with a delay.
    pub async fn only_undelivered(&self, kind: &str) {
        self.undelivered_are(&[kind]).await;
    }

    /// Waits until each event is delivered to all endpoints.
    pub async fn all_delivered(&self) {
        self.undelivered_are(&[]).await;
    }

    async fn undelivered_are(&self, wanted: &[&str]) {
        let deadline = Instant::now() + Duration::from_secs(15);
        loop {
            let lost = self.get("/v1/events?delivery_success=false").await;
            let kinds: Vec<&Value> =
                lost["data"].as_array().unwrap().iter().map(|event| &event["type"]).collect();
            if kinds == wanted {
                return;
            }
            assert!(Instant::now() < deadline, "still undelivered: {kinds:?}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    pub async fn advance_days(&self, days: i64) -> Value {
        self.advance_seconds(days * 86_400).await
    }

    pub async fn advance_seconds(&self, seconds: i64) -> Value {
        let (status, body) = self.json("POST", "/clock", json!({"advance_seconds": seconds})).await;
        assert_eq!(status, 200, "{body}");
        body
    }

    /// A 30-day price of 217,90, a 10% coupon, a customer, and an open session for them.
    pub async fn session(&self) -> Value {
        self.session_with("").await
    }

    pub async fn session_with(&self, more: &str) -> Value {
        let product = self.post("/v1/products", "name=Elite+N%C3%ADvel+2").await;
        let price = format!(
            "currency=brl&unit_amount=21790&recurring[interval]=day&recurring[interval_count]=30&product={}",
            product["id"].as_str().unwrap()
        );
        let price = self.post("/v1/prices", &price).await;
        let customer = self.post("/v1/customers", "email=ana@example.com&name=Ana+Souza").await;
        self.call("POST", "/v1/coupons", "id=novo10&percent_off=10&duration=once", None).await;
        let form = format!(
            "mode=subscription&ui_mode=embedded_page&customer={}&line_items[0][price]={}&line_items[0][quantity]=1\
             &discounts[0][coupon]=novo10&allowed_payment_method_types[0]=card&allowed_payment_method_types[1]=boleto\
             &metadata[uid]=u1&subscription_data[metadata][uid]=u1&redirect_on_completion=if_required\
             &return_url=http%3A%2F%2F127.0.0.1%3A8080%2Fcheckout-return%3Fsession_id%3D%7BCHECKOUT_SESSION_ID%7D{more}",
            customer["id"].as_str().unwrap(),
            price["id"].as_str().unwrap()
        );
        self.post("/v1/checkout/sessions", &form).await
    }

    pub async fn pay_by_card(&self, session: &Value, card: &str) -> (u16, Value) {
        self.json("POST", &format!("/_test/checkout/{}", id(session)), json!({"card": card})).await
    }

    pub async fn issue_boleto(&self, session: &Value) -> (u16, Value) {
        let body = json!({"boleto": {"tax_id": "529.982.247-25"}});
        self.json("POST", &format!("/_test/checkout/{}", id(session)), body).await
    }

    pub async fn reread(&self, session: &Value, expand: &str) -> Value {
        self.get(&format!("/v1/checkout/sessions/{}?{expand}", id(session))).await
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.serving.abort();
        self.receiving.abort();
    }
}

/// The amounts of an invoice's lines, in centavos.
pub fn amounts(invoice: &Value) -> Vec<i64> {
    let lines = invoice["lines"]["data"].as_array().unwrap();
    lines.iter().map(|line| line["amount"].as_i64().unwrap()).collect()
}

/// Start and end of a subscription's current period, in Unix seconds.
pub fn period(subscription: &Value) -> (i64, i64) {
    let item = &subscription["items"]["data"][0];
    (item["current_period_start"].as_i64().unwrap(), item["current_period_end"].as_i64().unwrap())
}

pub fn id(doc: &Value) -> &str {
    doc["id"].as_str().unwrap()
}

/// One client for the whole test process: making one reads the machine's certificates.
pub fn client() -> reqwest::Client {
    static CLIENT: LazyLock<reqwest::Client> = LazyLock::new(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
        // No pooled connections: each test has a runtime of its own.
        reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().unwrap()
    });
    CLIENT.clone()
}
