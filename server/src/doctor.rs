//! Checks every invariant of the data once; each finding has the command that repairs it.
//!
//! It only reads, in pages and with limits, so that time and memory are bounded for any number of
//! accounts. Invariants that one query checks are listed in `store/operator/invariants.rs`. Those
//! that SQL cannot check, because rights change by time alone, are in `doctor/rights.rs`.

mod copies;
mod finding;
pub(crate) mod hourly;
mod provider;
mod rights;

use std::sync::Arc;

use garimpo_domain::Timestamp;
use garimpo_domain::subscription::Policy;

use crate::billing::{Billing, HANDLED_EVENT_TYPES};
use crate::clock::Clock;
use crate::clock_skew::{MAX_CLOCK_SKEW_US, seconds};
use crate::providers::CallClass;
use crate::queue::JobKind;
use crate::store::operator::invariants::{DisputeToAnswer, INVARIANTS, Invariant, JOBS_PARKED};
use crate::store::{
    Absence, AdoptionRefusal, PayerWithoutAccount, ProviderLoss, Result, Store, invariants, job_queries,
    orphaned_subscriptions, provider_losses,
};
use crate::tracking::too_old_to_send;

pub(crate) use finding::TimeLimits;
pub use finding::{Checked, Finding};
use finding::{Findings, MAX_FINDINGS, instant};

/// The daily reconciliation covers older events, with or without a job.
const EVENTS_DAYS: i64 = 3;
/// Rows may be ahead of this machine's clock by this much.
const CLOCK_SECONDS: i64 = 60;

fn lost_at_provider(loss: ProviderLoss) -> Finding {
    let ProviderLoss { uid, customer_id, kind } = loss;
    if kind == Absence::Deleted {
        let what =
            format!("the customer {customer_id} was deleted at the payment provider, and its paid time runs");
        let repair = format!(
            "nothing: its paid time ends by itself. To end it now, refund its payments at the provider: garimpo admin \
             subscriber {uid} shows each PAYMENT; then: garimpo admin reconcile --uid {uid}"
        );
        return Finding::new(uid, what, repair);
    }
    let what = match kind {
        Absence::Subscription => format!("the payment provider lacks a subscription of {customer_id}"),
        _ => format!("the payment provider does not know the customer {customer_id}"),
    };
    let repair = format!(
        "restore it at the provider, then: garimpo admin reconcile --uid {uid}; if it is lost for good, its paid time \
         ends by itself: garimpo admin subscriber {uid}"
    );
    Finding::new(uid, what, repair)
}

fn unanswered_dispute(dispute: DisputeToAnswer) -> Finding {
    let DisputeToAnswer { payment_intent_id, uid, amount_due_centavos, answer_by } = dispute;
    let day = answer_by.day_in_sao_paulo();
    let what = format!("the payer's bank disputes {amount_due_centavos}: answer by {day}");
    let repair = format!(
        "send evidence or accept the dispute at the provider; without an answer the money is lost: garimpo admin subscriber {uid}"
    );
    Finding::new(payment_intent_id, what, repair)
}

/// A bank asks about a payment before it disputes it.
fn unanswered_inquiry(inquiry: DisputeToAnswer) -> Finding {
    let DisputeToAnswer { payment_intent_id, uid, amount_due_centavos, answer_by } = inquiry;
    let day = answer_by.day_in_sao_paulo();
    let what = format!("the payer's bank inquires about {amount_due_centavos}: answer by {day}");
    let repair = format!(
        "send evidence or refund the payment at the provider; without an answer it may become a dispute: garimpo admin subscriber {uid}"
    );
    Finding::new(payment_intent_id, what, repair)
}

/// Somebody pays for a subscription and has no account, for example after a restore.
fn payer_without_account(payer: PayerWithoutAccount) -> Finding {
    const NOT_RUN: &str = "its adoption has not run: garimpo admin jobs list --kind payer_adoption";
    let PayerWithoutAccount { subscription_id, customer_id, email, paid_centavos, refused, .. } = payer;
    let email = email.as_deref().unwrap_or("a customer without email");
    let why = refused.map_or(NOT_RUN, AdoptionRefusal::reason);
    let what = format!("{email} paid {paid_centavos} and has no account ({customer_id}): {why}");
    let repair = refused.map_or("garimpo admin adopt SUBSCRIPTION", AdoptionRefusal::action);
    let repair = repair.replace("SUBSCRIPTION", &subscription_id);
    Finding::new(subscription_id, what, repair)
}

/// Checks the invariants of the data.
#[derive(Clone)]
pub struct Doctor {
    store: Store,
    clock: Arc<dyn Clock>,
    policy: Policy,
    limits: TimeLimits,
    /// Parts that call the payment provider. `None`: only the database is read.
    provider: Option<Billing>,
}

impl Doctor {
    pub(crate) fn new(store: Store, clock: Arc<dyn Clock>, policy: Policy, limits: TimeLimits) -> Self {
        Self { store, clock, policy, limits, provider: None }
    }

    /// Also checks the rules that call the payment provider.
    pub(crate) fn with_provider(self, billing: &Billing) -> Self {
        Self { provider: Some(billing.of_class(CallClass::Housekeeping)), ..self }
    }

    /// Checks every invariant; last those that read every account.
    pub async fn check_all(&self) -> Vec<Checked> {
        let (now, time) = (self.clock.now(), self.limits.begin());
        let mut checked = vec![
            time.check("clock", self.clock_agrees(now)).await,
            time.check(JOBS_PARKED.name, self.no_job_parked(now)).await,
            time.check("event_has_job", self.every_event_has_a_job(now)).await,
            time.check("provider_knows_customers", self.provider_knows_customers()).await,
            time.check("empty_beside_payers", self.empty_beside_payers()).await,
            time.check("backup_inside_data_dir", self.backup_inside_data_dir()).await,
            time.check("backup_recent", self.backup_recent()).await,
            time.check("replica_recent", self.replica_recent()).await,
            time.check("dispute_answered", self.disputes_are_answered()).await,
            time.check("inquiry_answered", self.inquiries_are_answered()).await,
            time.check("payer_without_account", self.payers_have_accounts(now)).await,
        ];
        for invariant in INVARIANTS {
            checked.push(time.check(invariant.name, self.violations(invariant, now)).await);
        }
        checked.extend(self.rights(now, &time).await);
        if let Some(billing) = &self.provider {
            checked.push(provider::check(billing, &time).await);
        }
        checked
    }

    /// The violations of an invariant, each with the command that repairs it.
    async fn violations(&self, invariant: &Invariant, now: Timestamp) -> Findings {
        let violations = invariant.violations(&self.store, now, MAX_FINDINGS).await?;
        Ok(violations
            .into_iter()
            .map(|row| Finding::new(&row.subject, &row.what, invariant.repair(&row)))
            .collect())
    }

    /// No row is from the future, and the clocks of database and machine agree.
    async fn clock_agrees(&self, now: Timestamp) -> Findings {
        let mut findings = Vec::new();
        let ahead = |at_us: i64, now: Timestamp| Timestamp::from_micros(at_us).micros_since(now) / 1_000_000;
        let newest = invariants::newest_instant(&self.store).await?.map_or(0, |at_us| ahead(at_us, now));
        if newest > CLOCK_SECONDS {
            let what = format!("rows were written {newest} s later than it is here");
            findings.push(Finding::new(
                "clock",
                what,
                "timedatectl status: this machine's clock was set back",
            ));
        }
        let skew_us = invariants::clock_skew_us(&self.store).await?.unwrap_or_default();
        if skew_us.abs() > MAX_CLOCK_SKEW_US {
            let seconds = seconds(skew_us);
            let what =
                format!("PostgreSQL's clock is {seconds:.1} s ahead of this machine's; allowed are 2 s");
            findings.push(Finding::new("clock", what, "timedatectl status, here and there"));
        }
        Ok(findings)
    }

    /// A parked conversion that the platform no longer accepts is discarded, not repaired.
    async fn no_job_parked(&self, now: Timestamp) -> Findings {
        let mut findings = self.violations(&JOBS_PARKED, now).await?;
        for finding in &mut findings {
            if self.is_too_old(&finding.subject, now).await? {
                finding.repair = format!(
                    "garimpo admin jobs discard {}: the platform no longer accepts it",
                    finding.subject
                );
            }
        }
        Ok(findings)
    }

    /// Whether a job is a conversion that the platform no longer accepts.
    async fn is_too_old(&self, subject: &str, now: Timestamp) -> Result<bool> {
        let Some(key) = subject.strip_prefix("conversion ") else { return Ok(false) };
        let job = job_queries::by_key(&self.store, JobKind::Conversion, key).await?;
        Ok(job.is_some_and(|job| too_old_to_send(&job, now).is_some()))
    }

    async fn every_event_has_a_job(&self, now: Timestamp) -> Findings {
        let span = (now.plus_days(-EVENTS_DAYS).as_micros(), now.as_micros());
        let rows =
            invariants::events_without_job(&self.store, HANDLED_EVENT_TYPES, span, MAX_FINDINGS).await?;
        let repair = |event: &str| format!("garimpo admin events replay {event}");
        Ok(rows.into_iter().map(|row| Finding::new(&row.subject, row.what, repair(&row.subject))).collect())
    }

    /// No dispute waits for our answer. Only the operator can answer it, at the provider.
    async fn disputes_are_answered(&self) -> Findings {
        let waiting = invariants::disputes_to_answer(&self.store, MAX_FINDINGS).await?;
        Ok(waiting.into_iter().map(unanswered_dispute).collect())
    }

    /// No inquiry waits for our answer. It moves no money, so it opens a ticket of its own.
    async fn inquiries_are_answered(&self) -> Findings {
        let waiting = invariants::inquiries_to_answer(&self.store, MAX_FINDINGS).await?;
        Ok(waiting.into_iter().map(unanswered_inquiry).collect())
    }

    /// Each payer that reconciliation met has an account, an hour after it was found.
    async fn payers_have_accounts(&self, now: Timestamp) -> Findings {
        let found_before = now.plus_hours(-1);
        let waiting = orphaned_subscriptions::waiting(&self.store, found_before, MAX_FINDINGS).await?;
        Ok(waiting.into_iter().map(payer_without_account).collect())
    }

    /// The provider has the customers and subscriptions of our accounts.
    async fn provider_knows_customers(&self) -> Findings {
        let mut findings = Vec::new();
        if let Some(stop) = provider_losses::current_stop(&self.store).await? {
            let at = instant(stop.stopped_at);
            let what = format!(
                "reconciliation is stopped since {at}: {} of {} customers were unknown to the payment provider",
                stop.losses, stop.customers
            );
            findings.push(Finding::new(
                "reconciliation",
                what,
                "restore the provider's data or the key of its account; then: garimpo admin reconcile",
            ));
        }
        let lost = provider_losses::list(&self.store, MAX_FINDINGS).await?;
        findings.extend(lost.into_iter().map(lost_at_provider));
        Ok(findings)
    }
}
