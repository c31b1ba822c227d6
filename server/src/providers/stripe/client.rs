//! Sends requests: retries, circuit breaker, budget of calls and the guard of the account.

use std::sync::Arc;
use std::time::Duration;

use rand::Rng;
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde::de::{DeserializeOwned, IgnoredAny};
use tokio::time::Instant;

use super::errors::{Result, StripeError, present};
use super::request::{Call, Params};
use crate::causes::Causes;
use crate::measures::PROVIDER_CIRCUIT_OPEN;
use crate::providers::budget::{CallBudget, CallClass, OverBudget};
use crate::providers::circuit::{Circuit, Health};
use crate::providers::{CallOutcome, client_for, record_unsent, recorded, retry_after, send};

/// API version that every request pins; the webhook endpoint must be pinned to the same one.
pub(crate) const API_VERSION: &str = "2026-10-28.endive";
/// Two calls without a response fit into the gateway's limit of 20 s for a visitor's request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(8);
const MAX_ATTEMPTS: u32 = 3;
/// Longest wait for another call that uses the same idempotency key. It ends by itself.
const MAX_CONFLICT: Duration = REQUEST_TIMEOUT;
/// Consecutive failed calls that open the circuit.
const MAX_FAULTS: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_millis(150);
const MAX_PAUSE: Duration = Duration::from_secs(2);

/// Calls per second of all servers together by default: the provider's limit for one kind of call.
pub const CALLS_PER_SECOND: u32 = 25;

/// Address and credentials of the provider.
#[derive(Debug, Clone)]
pub struct StripeSettings {
    /// Origin of the API without a trailing slash, for instance `https://api.stripe.com`.
    pub url: String,
    /// Secret key; never logged.
    pub secret_key: SecretString,
    /// Signing secrets of the webhook endpoint; several are valid while one is rolled.
    pub webhook_secrets: Vec<SecretString>,
    /// Calls per second of all servers together.
    pub calls_per_second: u32,
}

/// Decides whether calls may reach the account of the key.
#[tonic::async_trait]
pub trait AccountGuard: std::fmt::Debug + Send + Sync {
    /// Runs before every call; an error prevents the call.
    async fn check(&self, stripe: &Stripe) -> Result<()>;
}

/// A client of the payment provider; clones share connections, circuit and budget.
#[derive(Debug, Clone)]
pub struct Stripe {
    http: reqwest::Client,
    settings: Arc<StripeSettings>,
    circuit: Arc<Circuit>,
    budget: Arc<CallBudget>,
    class: CallClass,
    /// `None`: calls may reach any account.
    guard: Option<Arc<dyn AccountGuard>>,
}

impl Stripe {
    /// Creates a client; sends nothing.
    pub fn new(settings: StripeSettings) -> Result<Self> {
        let bearer = format!("Bearer {}", settings.secret_key.expose_secret());
        let mut bearer = HeaderValue::from_str(&bearer)
            .map_err(|error| StripeError::unusable("the secret key cannot stand in a header", error))?;
        bearer.set_sensitive(true);
        let version = HeaderName::from_static("stripe-version");
        let headers = [(AUTHORIZATION, bearer), (version, HeaderValue::from_static(API_VERSION))];
        let http = client_for(&settings.url)
            .default_headers(headers.into_iter().collect())
            .timeout(REQUEST_TIMEOUT)
            .build()
            .map_err(|error| StripeError::unusable("the HTTP client could not be built", error))?;
        let budget = Arc::new(CallBudget::new(settings.calls_per_second));
        let circuit = Arc::new(Circuit::new(MAX_FAULTS));
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

    /// The same client with a guard for its calls.
    pub fn guarded_by(self, guard: Arc<dyn AccountGuard>) -> Self {
        Self { guard: Some(guard), ..self }
    }

    /// Checks that calls reach the account that the guard expects.
    pub async fn check_account(&self) -> Result<()> {
        match &self.guard {
            Some(guard) => guard.check(self).await,
            None => Ok(()),
        }
    }

    /// Signing secrets of the webhook endpoint.
    pub fn webhook_secrets(&self) -> &[SecretString] {
        &self.settings.webhook_secrets
    }

    pub(super) fn secret_key(&self) -> &str {
        self.settings.secret_key.expose_secret()
    }

    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        name: &'static str,
        path: &[&str],
        params: Params,
    ) -> Result<T> {
        self.send(Call { name, method: Method::GET, path, params, idempotency_key: None }).await
    }

    /// A POST goes without an idempotency key only if repeating it has the same effect.
    pub(super) async fn post<'k, T: DeserializeOwned>(
        &self,
        name: &'static str,
        path: &'k [&'k str],
        params: Params,
        key: impl Into<Option<&'k str>>,
    ) -> Result<T> {
        self.send(Call { name, method: Method::POST, path, params, idempotency_key: key.into() }).await
    }

    /// Updates an object; repeating it has the same effect.
    pub(super) async fn update(&self, name: &'static str, path: &[&str], params: Params) -> Result<()> {
        self.post::<IgnoredAny>(name, path, params, None).await.map(drop)
    }

    /// Deletes an object; succeeds if it does not exist.
    pub(super) async fn delete(&self, name: &'static str, path: &[&str]) -> Result<()> {
        let (method, params) = (Method::DELETE, Params::new());
        present(self.send::<IgnoredAny>(Call { name, method, path, params, idempotency_key: None }).await)
            .map(drop)
    }

    async fn send<T: DeserializeOwned>(&self, call: Call<'_>) -> Result<T> {
        self.check_account().await?;
        self.send_unguarded(call, MAX_ATTEMPTS).await
    }

    /// Sends a call without the guard: for the calls of the guard itself.
    pub(super) async fn send_unguarded<T: DeserializeOwned>(
        &self,
        call: Call<'_>,
        max_attempts: u32,
    ) -> Result<T> {
        let url = call.url(&self.settings.url).ok_or_else(StripeError::no_such_object)?;
        if !self.circuit.try_acquire() {
            record_unsent(call.name, CallOutcome::CircuitOpen);
            return Err(StripeError::unavailable("circuit open"));
        }
        // A wait for the budget is neither latency nor a fault of the provider.
        if let Err(over) = self.budget.acquire(self.class).await {
            let (outcome, error) = match over {
                OverBudget::Late => (CallOutcome::OverBudget, StripeError::over_budget()),
                OverBudget::OfClient => (CallOutcome::ClientOverBudget, StripeError::TooManyOfClient),
            };
            record_unsent(call.name, outcome);
            return Err(error);
        }
        recorded(call.name, async {
            let body = self.send_with_retries(&call, &url, max_attempts).await;
            let is_open = self.circuit.record(body.as_ref().err().map_or(Health::Up, StripeError::health));
            metrics::gauge!(PROVIDER_CIRCUIT_OPEN).set(f64::from(u8::from(is_open)));
            let unreadable = |error| StripeError::Unreadable { call: call.name, source: Arc::new(error) };
            body.and_then(|body| serde_json::from_slice(&body).map_err(unreadable))
        })
        .await
    }

    async fn send_with_retries(&self, call: &Call<'_>, url: &str, max_attempts: u32) -> Result<Vec<u8>> {
        let (mut attempts, began) = (1, Instant::now());
        loop {
            let Failed { error, retry } = match self.send_once(call, url).await {
                Ok(body) => return Ok(body),
                Err(failed) => failed,
            };
            let may_repeat =
                attempts < max_attempts || (error.is_conflict() && began.elapsed() < MAX_CONFLICT);
            // A longer pause is the job's or the visitor's, because a request must not wait for it.
            let Some(asked) = retry.filter(|asked| may_repeat && *asked <= MAX_PAUSE) else {
                return Err(error);
            };
            let cause = Causes(&error).to_string();
            tracing::warn!(call = call.name, attempts, error = cause, "payment provider call is repeated");
            tokio::time::sleep(asked.max(pause_after(attempts))).await;
            if self.budget.acquire(self.class).await.is_err() {
                return Err(error);
            }
            attempts += 1;
        }
    }

    async fn send_once(&self, call: &Call<'_>, url: &str) -> Result<Vec<u8>, Failed> {
        let request = self.http.request(call.method.clone(), url);
        let mut request = match call.method {
            Method::POST => request.form(call.params.pairs()),
            _ => request.query(call.params.pairs()),
        };
        if let Some(key) = call.idempotency_key {
            request = request.header("idempotency-key", key);
        }
        let response = send(request).await.map_err(Failed::transport)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.bytes().await.map_err(Failed::transport)?;
        if status.is_success() {
            return Ok(body.into());
        }
        Err(Failed::response(status.as_u16(), &headers, &body))
    }
}

/// A failed attempt, with the pause before the next one if the call may be repeated.
struct Failed {
    error: StripeError,
    retry: Option<Duration>,
}

impl Failed {
    /// Do not retry after a timeout: the caller's deadline is spent, and its retry is idempotent.
    fn transport(error: reqwest::Error) -> Self {
        let is_late = error.is_timeout() && !error.is_connect();
        Self { error: StripeError::transport(error), retry: (!is_late).then_some(Duration::ZERO) }
    }

    fn response(status: u16, headers: &HeaderMap, body: &[u8]) -> Self {
        let error = StripeError::from_response(status, retry_after(headers), body);
        let retry = is_retryable(&error, status, headers).then(|| error.retry_after().unwrap_or_default());
        Self { error, retry }
    }
}

/// Whether to repeat a failed call at once, by the rule of the provider's own SDKs.
///
/// `Stripe-Should-Retry` decides. Without it, conflicts and faults of the provider are repeated. A
/// 429 with a reason is a rate limit, and repeating it adds to the load. A 429 without a reason is
/// a lock timeout, which the provider did not execute.
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

/// Doubles with each attempt; half of it is jitter, so that servers do not retry in step.
fn pause_after(attempts: u32) -> Duration {
    let whole = (FIRST_PAUSE * 2u32.pow((attempts - 1).min(8))).min(MAX_PAUSE);
    whole / 2 + rand::rng().random_range(Duration::ZERO..=whole / 2)
}

#[cfg(test)]
mod tests;
