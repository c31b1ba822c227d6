//! Faults on request: answers that fail, come late or never, and webhooks that get lost, doubled,
//! shuffled or held. They are durable, so a restart does not end them.

use std::collections::HashMap;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::state::moment::{DAY, Moment};
use crate::state::setting::Setting;
use crate::state::store::Store;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fault {
    /// Calls of this path and below it.
    pub path: Option<String>,
    /// Only calls of this method.
    pub method: Option<String>,
    /// Answer this status and do nothing.
    pub status: Option<u16>,
    /// `retry-after` in seconds; with `status`.
    pub retry_after: Option<u64>,
    /// `Stripe-Rate-Limited-Reason` of a 429. A 429 without a reason is a lock timeout, which the
    /// provider did not execute.
    pub rate_limited_reason: Option<RateLimitedReason>,
    /// `Stripe-Should-Retry`; with `status`. A lock timeout has `true` without it.
    pub should_retry: Option<bool>,
    /// The failure stays the result of its idempotency key for a day, as at the provider after a
    /// call began; with `status`.
    pub kept: bool,
    /// Close the connection without executing the call, as if the host were down.
    pub drop: bool,
    /// Execute the call after a delay in real milliseconds.
    pub delay_ms: Option<u64>,
    /// Execute the call, then close the connection without an answer.
    pub act_then_drop: bool,
    /// What happens to deliveries.
    pub webhooks: Option<WebhookFault>,
    /// Number of uses. Default: until `DELETE /_test/faults`.
    pub times: Option<u32>,
}

/// Values of `Stripe-Rate-Limited-Reason`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RateLimitedReason {
    /// Calls per second of the account.
    GlobalRate,
    /// Calls at once of the account.
    GlobalConcurrency,
    /// Calls per second of one endpoint.
    EndpointRate,
    /// Calls at once of one endpoint.
    EndpointConcurrency,
    /// Calls on one object.
    ResourceSpecific,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WebhookFault {
    /// Never delivered: only `/v1/events` has the event.
    Drop,
    /// Delivered twice.
    Double,
    /// Delivered in any order.
    Shuffle,
    /// Delivered after `DELETE /_test/faults`.
    Hold,
}

pub struct Faults {
    active: Setting<Vec<Fault>>,
    /// Failures that idempotency keys keep, with the instant of the first; gone when the sandbox
    /// stops.
    kept: Mutex<HashMap<String, (Moment, Fault)>>,
}

impl Faults {
    pub async fn open(store: &Store) -> Result<Self, sqlx::Error> {
        let active = Setting::open(store, "faults", Vec::new).await?;
        Ok(Self { active, kept: Mutex::default() })
    }

    pub fn list(&self) -> Vec<Fault> {
        self.active.get()
    }

    /// The first fault that matches. Counts its use.
    pub async fn hit(
        &self,
        store: &Store,
        matches: impl Fn(&Fault) -> bool,
    ) -> Result<Option<Fault>, sqlx::Error> {
        let found = self.list().into_iter().find(&matches);
        if found.as_ref().is_none_or(|fault| fault.times.is_none()) {
            return Ok(found);
        }
        self.active.change(store, |active| count_use(active, matches)).await
    }

    /// The failure that an idempotency key keeps. A given fault becomes that failure.
    pub fn keep(&self, key: &str, now: Moment, fault: Option<&Fault>) -> Option<Fault> {
        let mut kept = self.kept.lock();
        kept.retain(|_, (since, _)| now < since.plus(DAY));
        if let Some(fault) = fault {
            kept.insert(key.to_owned(), (now, fault.clone()));
        }
        kept.get(key).map(|(_, fault)| fault.clone())
    }

    /// Whether deliveries are being shuffled now.
    pub fn is_shuffling(&self) -> bool {
        self.list().iter().any(|fault| fault.webhooks == Some(WebhookFault::Shuffle))
    }

    pub async fn add(&self, store: &Store, fault: Fault) -> Result<(), sqlx::Error> {
        self.active.change(store, |active| active.push(fault)).await
    }

    pub async fn clear(&self, store: &Store) -> Result<(), sqlx::Error> {
        self.active.change(store, Vec::clear).await
    }
}

/// Takes one use of the first fault that matches, and removes the fault with its last use.
fn count_use(active: &mut Vec<Fault>, matches: impl Fn(&Fault) -> bool) -> Option<Fault> {
    let at = active.iter().position(matches)?;
    if let Some(times) = &mut active[at].times {
        *times = times.saturating_sub(1);
    }
    let hit = active[at].clone();
    if hit.times == Some(0) {
        active.remove(at);
    }
    Some(hit)
}
