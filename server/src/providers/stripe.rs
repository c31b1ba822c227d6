//! The payment provider's HTTP API, as much of it as Garimpo uses.
//!
//! Typed calls live in `stripe/calls.rs`, what they answer in `stripe/objects.rs`. This file knows how one request is
//! made well: version pinned, time-outs, bounded retries with jitter, a circuit that fails fast. It holds no rule of
//! ours and never reads the database.

mod account;
mod balance;
mod calls;
mod errors;
mod events;
mod invoices;
mod lists;
mod objects;
mod refunds;
pub mod rehearsal;
mod request;
mod signature;
mod subscriptions;

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::Rng;
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, RETRY_AFTER};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;

pub use account::{AccountGuard, AccountMark, AccountReading};
pub use balance::BalanceMove;
pub use calls::{CheckoutOrder, CouponOrder, CouponTerms, CustomerOrder, CustomerState, PriceOrder, present};
pub use errors::StripeError;
pub use events::{Event, EventObject};
pub use invoices::Invoice;
pub use objects::{
    BoletoDetails, Charge, CheckoutSession, Coupon, Customer, Dispute, InvoiceSettings, Metadata, Page,
    PaymentIntent, Price, Product, Refund, SavedMethod, Subscription, SubscriptionItem,
};
pub use signature::{SignatureError, SignatureHeader};
pub use subscriptions::PlanChangeOrder;

use request::Params;

use super::budget::{CallBudget, CallClass};
use super::circuit::{Circuit, Health};
use super::{Outcome, client_for, tell, wire_failure};
use crate::measures::PROVIDER_CIRCUIT_OPEN;

/// API version that every request pins; the webhook endpoint must be pinned to the same one.
pub const API_VERSION: &str = "2026-10-28.endive";

const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Two calls that get no answer at all still fit into what a visitor's request may take (the gateway's 20 s).
const REQUEST_TIMEOUT: Duration = Duration::from_secs(8);
const TRIES: u32 = 3;
/// Calls that fail in a row before the provider is given a rest.
const FAILURES_TO_REST: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_millis(150);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Where the provider is and who we are to it.
#[derive(Debug, Clone)]
pub struct StripeSettings {
    /// Origin of the API without a trailing slash, for instance `https://api.stripe.com`.
    pub url: String,
    /// Secret key; never logged.
    pub secret_key: SecretString,
    /// Signing secrets of the webhook endpoint, all valid at once while one is rolled.
    pub webhook_secrets: Vec<SecretString>,
    /// Calls per second of the whole fleet.
    pub calls_per_second: u32,
}

/// Calls per second of the fleet without a setting: the provider's limit for one kind of call.
pub const CALLS_PER_SECOND: u32 = 25;

/// A client of the payment provider; clones share connections, circuit and budget.
#[derive(Debug, Clone)]
pub struct Stripe {
    http: reqwest::Client,
    settings: Arc<StripeSettings>,
    circuit: Arc<Circuit>,
    budget: Arc<CallBudget>,
    /// Who waits for the calls of this clone.
    class: CallClass,
    /// Checked before every call; `None` where calls may reach any account.
    guard: Option<Arc<dyn AccountGuard>>,
}

impl Stripe {
    /// Makes a client; nothing is sent yet.
    ///
    /// # Errors
    /// When the secret key cannot stand in a header or the TLS roots cannot be read.
    pub fn new(settings: StripeSettings) -> Result<Self, StripeError> {
        let mut bearer = HeaderValue::from_str(&format!("Bearer {}", settings.secret_key.expose_secret()))
            .map_err(|_| StripeError::Unusable("the secret key cannot stand in a header"))?;
        bearer.set_sensitive(true);
        let headers = [
            (AUTHORIZATION, bearer),
            (
                reqwest::header::HeaderName::from_static("stripe-version"),
                HeaderValue::from_static(API_VERSION),
            ),
        ];
        let http = client_for(&settings.url)
            .default_headers(headers.into_iter().collect())
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(REQUEST_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|_| StripeError::Unusable("the HTTP client could not be built"))?;
        let circuit = Arc::new(Circuit::new(FAILURES_TO_REST));
        let budget = Arc::new(CallBudget::new(settings.calls_per_second));
        let class = CallClass::default();
        Ok(Self { http, settings: Arc::new(settings), circuit, budget, class, guard: None })
    }

    /// The same client for calls of a class.
    pub fn of_class(&self, class: CallClass) -> Self {
        Self { class, ..self.clone() }
    }

    /// Divides the budget of calls among the live servers.
    pub fn divide_budget(&self, servers: u32) {
        self.budget.divide(servers);
    }

    /// The same client, whose calls go out only while a guard allows them.
    pub fn guarded_by(self, guard: Arc<dyn AccountGuard>) -> Self {
        Self { guard: Some(guard), ..self }
    }

    /// Checks that calls reach the account that the guard expects.
    ///
    /// # Errors
    /// [`StripeError::OtherAccount`]; why the account could not be read.
    pub async fn account_check(&self) -> Result<(), StripeError> {
        match &self.guard {
            Some(guard) => guard.check(self).await,
            None => Ok(()),
        }
    }

    /// Signing secrets of the webhook endpoint.
    pub fn webhook_secrets(&self) -> &[SecretString] {
        &self.settings.webhook_secrets
    }

    /// Sends one call, again where that is safe, and reads the answer; every call here is idempotent by method or key.
    async fn send<T: DeserializeOwned>(&self, request: Call<'_>) -> Result<T, StripeError> {
        if request.path.contains(calls::NO_OBJECT) {
            return Err(StripeError::no_such_object());
        }
        self.account_check().await?;
        self.send_unchecked(request, TRIES).await
    }

    /// The same without the check of the account, for the calls that this check makes.
    async fn send_unchecked<T: DeserializeOwned>(
        &self,
        request: Call<'_>,
        max_tries: u32,
    ) -> Result<T, StripeError> {
        if !self.circuit.lets_through() {
            tell(request.name, Outcome::CircuitOpen, Duration::ZERO, None);
            return Err(StripeError::circuit_open());
        }
        // A wait for the budget is no answer of the provider: neither its time nor its end is recorded as one.
        if self.budget.acquire(self.class).await.is_err() {
            tell(request.name, Outcome::OverBudget, Duration::ZERO, None);
            return Err(StripeError::over_budget());
        }
        let started = Instant::now();
        let answer = self.tried(&request, max_tries).await;
        let health = answer.as_ref().err().map_or(Health::Up, StripeError::health);
        let is_open = self.circuit.record(health);
        metrics::gauge!(PROVIDER_CIRCUIT_OPEN).set(f64::from(u8::from(is_open)));
        let read = answer.and_then(|body| {
            serde_json::from_slice(&body)
                .map_err(|source| StripeError::Unreadable { call: request.name, source: Arc::new(source) })
        });
        let error = read.as_ref().err();
        let outcome = error.map_or(Outcome::Ok, StripeError::outcome);
        tell(request.name, outcome, started.elapsed(), error.map(|error| error as _));
        read
    }

    async fn tried(&self, request: &Call<'_>, max_tries: u32) -> Result<Vec<u8>, StripeError> {
        let mut tries = 1;
        loop {
            let failed = match self.once(request).await {
                Ok(body) => return Ok(body),
                Err(failed) => failed,
            };
            let Some(asked_pause) = failed.retry.filter(|_| tries < max_tries) else {
                return Err(failed.error);
            };
            // A provider that asks for minutes gets its rest from our caller's later try, not from a held request.
            if asked_pause > LONGEST_PAUSE {
                return Err(failed.error);
            }
            tracing::warn!(
                call = request.name,
                tries,
                error = %failed.error,
                "payment provider call is tried again"
            );
            tokio::time::sleep(asked_pause.max(pause_before(tries))).await;
            if self.budget.acquire(self.class).await.is_err() {
                return Err(failed.error);
            }
            tries += 1;
        }
    }

    async fn once(&self, request: &Call<'_>) -> Result<Vec<u8>, Failed> {
        let url = format!("{}{}", self.settings.url.trim_end_matches('/'), request.path);
        let mut builder = self.http.request(request.method.clone(), url);
        builder = if request.method == Method::POST {
            builder.form(request.params.pairs())
        } else {
            builder.query(request.params.pairs())
        };
        if let Some(key) = request.idempotency_key {
            builder = builder.header("idempotency-key", key);
        }
        let answer = builder.send().await.map_err(Failed::transport)?;
        let (status, headers) = (answer.status(), answer.headers().clone());
        let body = answer.bytes().await.map_err(Failed::transport)?;
        if status.is_success() {
            return Ok(body.into());
        }
        // In seconds, as the provider and those before it write it; a date counts as none.
        let asked =
            headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
        let error = StripeError::from_answer(status.as_u16(), asked, &body);
        Err(Failed::answered(error, status.as_u16(), &headers))
    }
}

/// One request to be made: its name is the metric's label, its key makes a POST safe to repeat.
struct Call<'a> {
    name: &'static str,
    method: Method,
    path: String,
    params: Params,
    idempotency_key: Option<&'a str>,
}

/// A request that failed, with the pause asked for when it may be made again.
struct Failed {
    error: StripeError,
    retry: Option<Duration>,
}

impl Failed {
    fn transport(error: reqwest::Error) -> Self {
        // Who waited a whole time-out has waited enough; the caller's own next try repeats the call under its key.
        let is_late = error.is_timeout() && !error.is_connect();
        let error = StripeError::transport(&wire_failure(error));
        Self { error, retry: (!is_late).then_some(Duration::ZERO) }
    }

    fn answered(error: StripeError, status: u16, headers: &HeaderMap) -> Self {
        let asked =
            if let StripeError::Unavailable { retry_after, .. } = &error { *retry_after } else { None };
        let retry = is_retryable(&error, status, headers).then(|| asked.unwrap_or_default());
        Self { error, retry }
    }
}

/// Whether a failed call is repeated at once: the rule of the provider's own SDKs. `Stripe-Should-Retry` decides. Without
/// it, conflicts and faults of the provider are repeated. A 429 with a reason is a rate limit: repeating it at once adds
/// to the load. A 429 without a reason is a lock timeout, which the provider did not execute.
fn is_retryable(error: &StripeError, status: u16, headers: &HeaderMap) -> bool {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    match header("stripe-should-retry") {
        Some("true") => true,
        Some("false") => false,
        _ => match status {
            409 | 500.. => true,
            429 => header("stripe-rate-limited-reason").is_none(),
            _ => matches!(error, StripeError::Unavailable { .. }),
        },
    }
}

/// Exponential, with full jitter on the upper half, so that a fleet does not come back in step.
fn pause_before(tries: u32) -> Duration {
    let whole = (FIRST_PAUSE * 2u32.pow(tries - 1)).min(LONGEST_PAUSE);
    whole / 2 + rand::rng().random_range(Duration::ZERO..=whole / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_repeated(status: u16, code: &str, headers: &[(&'static str, &'static str)]) -> bool {
        let body = format!(r#"{{"error":{{"code":"{code}"}}}}"#);
        let error = StripeError::from_answer(status, None, body.as_bytes());
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, HeaderValue::from_static(value));
        }
        Failed::answered(error, status, &map).retry.is_some()
    }

    #[test]
    fn so_se_repete_na_hora_o_que_os_clientes_do_provedor_repetem() {
        let limited = ("stripe-rate-limited-reason", "endpoint-rate");
        let (yes, no) = (("stripe-should-retry", "true"), ("stripe-should-retry", "false"));
        for (status, code, headers, repeated) in [
            (409, "idempotency_key_in_use", vec![], true),
            (409, "idempotency_key_in_use", vec![no], false),
            (500, "", vec![], true),
            (500, "", vec![no], false),
            (503, "", vec![yes], true),
            (429, "rate_limit", vec![limited], false),
            (429, "rate_limit", vec![limited, yes], true),
            (429, "lock_timeout", vec![], true),
            (429, "lock_timeout", vec![yes], true),
            (429, "lock_timeout", vec![no], false),
            (400, "parameter_invalid", vec![], false),
            (400, "parameter_invalid", vec![yes], true),
            (402, "card_declined", vec![], false),
            (404, "resource_missing", vec![], false),
        ] {
            assert_eq!(is_repeated(status, code, &headers), repeated, "{status} {code} {headers:?}");
        }
    }

    #[tokio::test]
    async fn conexao_que_falha_diz_a_causa_e_nao_o_objeto() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let stripe = Stripe::new(StripeSettings {
            url: "http://127.0.0.1:9".to_owned(),
            secret_key: "sk_test".into(),
            webhook_secrets: Vec::new(),
            calls_per_second: CALLS_PER_SECOND,
        })
        .expect("a client");

        let told = stripe.checkout_get("cs_1").await.expect_err("nobody listens").to_string();

        assert!(told.contains("refused") && !told.contains("cs_1"), "{told}");
    }

    #[test]
    fn so_a_queda_do_provedor_conta_para_o_circuito() {
        for status in [400, 402, 404, 409, 424, 429] {
            let answered = StripeError::from_answer(status, None, b"{}");
            assert_eq!(answered.health(), Health::Up, "{status}");
        }
        for status in [500, 502, 503] {
            let broken = StripeError::from_answer(status, None, b"<html>");
            assert_eq!(broken.health(), Health::Down, "{status}");
        }
        assert_eq!(StripeError::transport("connection failed").health(), Health::Down);
    }

    #[tokio::test]
    async fn identificador_com_sinais_estranhos_nao_le_outro_objeto() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let stripe = Stripe::new(StripeSettings {
            url: "http://127.0.0.1:9".to_owned(),
            secret_key: "sk_test".into(),
            webhook_secrets: Vec::new(),
            calls_per_second: CALLS_PER_SECOND,
        })
        .expect("a client");
        for id in ["cs_1/../x", "cs_1?x", "..", "", "cs_1#", "cs_ç", "cs_1%2e"] {
            let answer = stripe.checkout_get(id).await;
            assert!(answer.as_ref().is_err_and(StripeError::is_missing), "{id}: {answer:?}");
        }
    }
}
