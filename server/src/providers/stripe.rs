//! The payment provider's HTTP API, as much of it as Garimpo uses (design section 7).
//!
//! Typed calls live in `stripe/calls.rs`, what they answer in `stripe/objects.rs`. This file knows how one request is
//! made well: version pinned, time-outs, bounded retries with jitter, a circuit that fails fast. It holds no rule of
//! ours and never reads the database.

mod balance;
mod calls;
mod errors;
mod event;
mod invoice;
mod money_back;
mod objects;
mod params;
mod plan_change;
mod signature;

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::Rng;
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, HeaderValue, RETRY_AFTER};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;

pub use balance::BalanceMove;
pub use calls::{CheckoutOrder, CouponTerms, CustomerOrder, CustomerState, PriceOrder, present};
pub use errors::StripeError;
pub use event::{Event, EventObject};
pub use invoice::Invoice;
pub use objects::{
    BoletoDetails, Charge, CheckoutSession, Coupon, Customer, Dispute, Metadata, PaymentIntent, Price,
    Product, Refund, Subscription, SubscriptionItem,
};
pub use plan_change::PlanChangeOrder;
pub use signature::{SignatureError, verify_signature};

use params::Params;

use super::circuit::Circuit;
use super::{Outcome, client_for, tell};
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
}

/// A client of the payment provider; clones share connections and circuit.
#[derive(Debug, Clone)]
pub struct Stripe {
    http: reqwest::Client,
    settings: Arc<StripeSettings>,
    circuit: Arc<Circuit>,
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
        Ok(Self { http, settings: Arc::new(settings), circuit: Arc::new(Circuit::new(FAILURES_TO_REST)) })
    }

    /// Signing secrets of the webhook endpoint.
    pub fn webhook_secrets(&self) -> &[SecretString] {
        &self.settings.webhook_secrets
    }

    /// Sends one call, again where that is safe, and reads the answer; every call here is idempotent by method or key.
    async fn send<T: DeserializeOwned>(&self, request: Call<'_>) -> Result<T, StripeError> {
        let started = Instant::now();
        if !self.circuit.lets_through() {
            tell(request.name, Outcome::CircuitOpen, started.elapsed(), None);
            return Err(StripeError::circuit_open());
        }
        let answer = self.tried(&request).await;
        // A refusal is an answer: the provider lives.
        let is_open = self.circuit.record(!matches!(answer, Err(StripeError::Unavailable { .. })));
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

    async fn tried(&self, request: &Call<'_>) -> Result<Vec<u8>, StripeError> {
        let mut tries = 1;
        loop {
            let failed = match self.once(request).await {
                Ok(body) => return Ok(body),
                Err(failed) => failed,
            };
            let Some(asked_pause) = failed.retry.filter(|_| tries < TRIES) else {
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
        Err(Failed::answered(StripeError::from_answer(status.as_u16(), asked, &body)))
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
        if error.is_timeout() && !error.is_connect() {
            return Self { error: StripeError::transport("no answer in time"), retry: None };
        }
        Self { error: StripeError::transport("connection failed"), retry: Some(Duration::ZERO) }
    }

    fn answered(error: StripeError) -> Self {
        let retry = match &error {
            StripeError::Unavailable { retry_after, .. } => Some(retry_after.unwrap_or_default()),
            _ => None,
        };
        Self { error, retry }
    }
}

/// Exponential, with full jitter on the upper half, so that a fleet does not come back in step.
fn pause_before(tries: u32) -> Duration {
    let whole = (FIRST_PAUSE * 2u32.pow(tries - 1)).min(LONGEST_PAUSE);
    whole / 2 + rand::rng().random_range(Duration::ZERO..=whole / 2)
}
