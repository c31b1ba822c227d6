//! The running product with its sandbox, and what visitors do with it.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use garimpo_proto::auth::v1::RequestPasswordResetRequest;
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use reqwest::Client;
use serde_json::{Value, json};

use crate::product::{Product, sign_up_request};

const DEADLINE: Duration = Duration::from_mins(1);
const POLL_EVERY: Duration = Duration::from_millis(10);
/// Settings without rate limits for callers.
pub const LIMITS: [(&str, &str); 6] = [
    ("GARIMPO_LIMIT_RECOVERY_ADDRESS", "100000"),
    ("GARIMPO_LIMIT_SIGN_UP_ADDRESS", "100000"),
    ("GARIMPO_LIMIT_CHECKOUT_READS_ADDRESS", "1000000"),
    ("GARIMPO_LIMIT_CHECKOUT_ACCOUNT", "100000"),
    ("GARIMPO_GRACE_DAYS", "0"),
    ("GARIMPO_PROVIDER_CALLS_PER_SECOND", "25"),
];

/// A customer with a subscription.
pub struct Subscriber {
    pub uid: String,
    pub customer_id: String,
}

/// A signed-in person.
pub struct Buyer {
    pub uid: String,
    email: String,
    cookie: String,
}

/// An unpaid boleto.
pub struct Boleto {
    session: String,
    buyer: Buyer,
}

pub struct World {
    pub product: Product,
    client: Client,
    sandbox: String,
    metrics: String,
}

impl World {
    pub async fn start(data: &Path) -> Result<Self> {
        Self::start_with(data, &[]).await
    }

    pub async fn start_with(data: &Path, more: &[(&str, &str)]) -> Result<Self> {
        let settings: BTreeMap<_, _> = LIMITS.iter().chain(more).copied().collect();
        let settings: Vec<_> = settings.into_iter().collect();
        let product = Product::start_with(data, &settings).await?;
        let sandbox = product.address("sandbox");
        Ok(Self::over(product, sandbox))
    }

    /// A world whose visitors reach `product`, beside a sandbox of its own.
    pub fn over(product: Product, sandbox: String) -> Self {
        let metrics = product.address("metrics");
        Self { product, client: Client::new(), sandbox, metrics }
    }

    /// Signs up and pays a subscription by card.
    pub async fn subscriber(&self, email: &str) -> Result<Subscriber> {
        let buyer = self.buyer(email).await?;
        let session = self.checkout(&buyer).await?;
        self.pays_by_card(&session).await?;
        self.eventually("a subscription", async || self.is_active(&buyer).await).await?;
        self.post("/clock", json!({ "advance_seconds": 0 })).await?;
        let list = self.provider("/v1/customers?limit=1").await?;
        let customer_id = list["data"][0]["id"].as_str().context("a customer")?.to_owned();
        Ok(Subscriber { uid: buyer.uid, customer_id })
    }

    pub async fn boleto(&self, email: &str) -> Result<Boleto> {
        let buyer = self.buyer(email).await?;
        let session = self.checkout(&buyer).await?;
        let form = json!({ "boleto": { "tax_id": "529.982.247-25" } });
        self.post(&format!("/_test/checkout/{session}"), form).await?;
        Ok(Boleto { session, buyer })
    }

    pub async fn buyer(&self, email: &str) -> Result<Buyer> {
        let request = sign_up_request(email);
        let answer =
            AuthServiceClient::connect(self.product.url().to_owned()).await?.sign_up(request).await?;
        let cookie = answer.metadata().get("set-cookie").context("a cookie")?.to_str()?;
        let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        let uid = answer.into_inner().user.context("a user")?.uid;
        Ok(Buyer { uid, email: email.to_owned(), cookie })
    }

    pub async fn pays_by_card(&self, session: &str) -> Result<()> {
        self.post(&format!("/_test/checkout/{session}"), json!({ "card": "4242424242424242" })).await
    }

    /// Opens a checkout and returns the id of its session.
    pub async fn checkout(&self, buyer: &Buyer) -> Result<String> {
        let body = json!({ "email": buyer.email, "planName": "Top Afiliado", "interval": "mensal" });
        let url = format!("{}/create-embedded-checkout-session", self.product.url());
        let began = Instant::now();
        loop {
            let request =
                self.client.post(&url).header("cookie", &buyer.cookie).header("origin", self.product.url());
            let answer = request.json(&body).send().await?;
            // The catalogue is not pushed yet, or a server has ended.
            if answer.status().is_server_error() && began.elapsed() < DEADLINE {
                tokio::time::sleep(POLL_EVERY).await;
                continue;
            }
            let answer: Value = answer.error_for_status()?.json().await?;
            let secret = answer["clientSecret"].as_str().context("a client secret")?;
            return Ok(secret.split("_secret_").next().unwrap_or_default().to_owned());
        }
    }

    pub async fn is_active(&self, buyer: &Buyer) -> Result<bool> {
        let url = format!("{}/api/users/{}", self.product.url(), buyer.uid);
        let answer = self.client.get(url).header("cookie", &buyer.cookie).send().await?;
        let user: Value = answer.error_for_status()?.json().await?;
        Ok(user["subscription_active"] == true)
    }

    /// Requests a recovery mail. Returns the milliseconds until it is sent.
    pub async fn recovers(&self, email: &str) -> Result<f64> {
        let began = Instant::now();
        let request = RequestPasswordResetRequest { email: email.to_owned() };
        AuthServiceClient::connect(self.product.url().to_owned())
            .await?
            .request_password_reset(request)
            .await?;
        self.eventually("a recovery mail", async || {
            let mails: Value =
                self.client.get(format!("{}/mail.json", self.sandbox)).send().await?.json().await?;
            Ok(mails.as_array().is_some_and(|all| all.iter().any(|mail| mail["to"] == email)))
        })
        .await?;
        Ok(began.elapsed().as_secs_f64() * 1000.0)
    }

    /// Pays a boleto. Returns the milliseconds until it gives access.
    pub async fn pays(&self, boleto: &Boleto) -> Result<f64> {
        let began = Instant::now();
        self.post(&format!("/_test/boletos/{}/pay", boleto.session), json!({})).await?;
        self.eventually("access", async || self.is_active(&boleto.buyer).await).await?;
        Ok(began.elapsed().as_secs_f64() * 1000.0)
    }

    pub async fn jobs_waiting(&self) -> Result<f64> {
        self.metric("garimpo_jobs{kind=\"reconcile\",state=\"waiting\"}").await
    }

    pub async fn metric(&self, series: &str) -> Result<f64> {
        let text = self.client.get(format!("{}/metrics", self.metrics)).send().await?.text().await?;
        let value = text.lines().find_map(|line| line.strip_prefix(series));
        Ok(value.map(|value| value.trim().parse()).transpose()?.unwrap_or_default())
    }

    /// Calls to the payment provider since the start.
    pub async fn provider_calls(&self) -> Result<f64> {
        let mut calls = 0.0;
        for class in ["visitor", "payment_event", "renewal", "housekeeping"] {
            let series = "garimpo_provider_budget_wait_duration_seconds_count";
            calls += self.metric(&format!("{series}{{class=\"{class}\"}}")).await?;
        }
        Ok(calls)
    }

    /// Creation times of all events at the provider, in Unix seconds.
    pub async fn events_created(&self) -> Result<Vec<i64>> {
        let (mut all, mut after) = (Vec::new(), String::new());
        loop {
            let page = self.provider(&format!("/v1/events?limit=100{after}")).await?;
            let data = page["data"].as_array().context("a list")?;
            all.extend(data.iter().filter_map(|event| event["created"].as_i64()));
            match data.last() {
                Some(last) if page["has_more"] == true => {
                    after = format!("&starting_after={}", last["id"].as_str().unwrap_or_default());
                }
                _ => return Ok(all),
            }
        }
    }

    async fn provider(&self, path: &str) -> Result<Value> {
        let request = self.client.get(format!("{}{path}", self.sandbox)).bearer_auth("sk_test_garimpo");
        Ok(request.send().await?.error_for_status()?.json().await?)
    }

    pub async fn post(&self, path: &str, body: Value) -> Result<()> {
        let answer = self.client.post(format!("{}{path}", self.sandbox)).json(&body).send().await?;
        let status = answer.status();
        ensure!(status.is_success(), "{path}: {status} {}", answer.text().await?);
        Ok(())
    }

    pub async fn delete(&self, path: &str) -> Result<()> {
        self.client.delete(format!("{}{path}", self.sandbox)).send().await?.error_for_status()?;
        Ok(())
    }

    pub async fn eventually(&self, what: &str, reached: impl AsyncFn() -> Result<bool>) -> Result<()> {
        let began = Instant::now();
        while !reached().await? {
            ensure!(began.elapsed() < DEADLINE, "{what}: not within {DEADLINE:?}");
            tokio::time::sleep(POLL_EVERY).await;
        }
        Ok(())
    }
}
