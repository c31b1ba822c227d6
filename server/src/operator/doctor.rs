//! Checks every invariant of the data once; each finding has the command that repairs it.
//!
//! It only reads, in pages and with limits, so that time and memory are bounded for any number of
//! accounts. Each invariant is one function. The invariants that SQL cannot check, because rights
//! change by time alone, are in `doctor/rights.rs`.

mod finding;
pub(crate) mod hourly;
mod rights;

use std::sync::Arc;

use garimpo_domain::Timestamp;
use garimpo_domain::subscription::Policy;

use crate::billing::HANDLED_EVENT_TYPES;
use crate::clock::{Clock, system_now};
use crate::clock_skew::{MAX_CLOCK_SKEW_US, seconds};
use crate::queue::JobKind;
use crate::store::operator::invariants::Found;
use crate::store::{Absence, ProviderLoss, Result, Store, invariants, job_queries, provider_losses};
use crate::tracking::too_old_to_send;

pub(crate) use finding::TimeLimits;
pub use finding::{Checked, Finding};
use finding::{Findings, MAX_FINDINGS, findings};

/// Jobs and events that are younger are not late yet.
const GRACE_HOURS: i64 = 1;
/// A lease lasts seconds, so a server without renewal for this long is dead.
const LEASE_OVER_SECONDS: i64 = 60;
/// A conversion that failed this often has waited for an hour or two.
const CONVERSION_RUNS: i64 = 12;
/// The daily reconciliation covers older events, with or without a job.
const EVENTS_DAYS: i64 = 3;
/// A boleto can be paid for days, and the provider ends its checkout some days later.
const CHECKOUT_DAYS: i64 = 10;
/// Days for which a checkout with a wrong price is reported.
const PRICE_DAYS: i64 = 7;
/// After a day the provider has dropped an intent's key, and the daily retention ends the intent.
const INTENT_DAYS: i64 = 2;
/// The provider voids an unpaid boleto on the day after its due date.
const BOLETO_DAYS: i64 = 2;
/// Older unconfirmed cancellations are not reported: the subscription was renewed, and the person
/// saw it.
const CANCELLATION_DAYS: i64 = 30;
/// A card refund is one call to the provider, so it takes less than a day.
const CARD_REFUND_DAYS: i64 = 1;
/// Rows may be ahead of this machine's clock by this much.
const CLOCK_SECONDS: i64 = 60;

fn lost_at_provider(loss: ProviderLoss) -> Finding {
    let ProviderLoss { uid, customer_id, kind } = loss;
    if kind == Absence::Deleted {
        let what =
            format!("the customer {customer_id} was deleted at the payment provider, and its paid time runs");
        let mend = format!(
            "nothing: its paid time ends by itself. To end it now, refund its payments at the provider: garimpo admin \
             subscriber {uid} shows each PAYMENT; then: garimpo admin reconcile --uid {uid}"
        );
        return Finding::new(uid, what, mend);
    }
    let what = match kind {
        Absence::Subscription => format!("the payment provider lacks a subscription of {customer_id}"),
        _ => format!("the payment provider does not know the customer {customer_id}"),
    };
    let mend = format!(
        "restore it at the provider, then: garimpo admin reconcile --uid {uid}; if it is lost for good, its paid time \
         ends by itself: garimpo admin subscriber {uid}"
    );
    Finding::new(uid, what, mend)
}

fn reconcile(row: &Found) -> String {
    format!("garimpo admin reconcile --uid {}", row.uid)
}

/// Checks the invariants of the data.
#[derive(Clone)]
pub struct Doctor {
    store: Store,
    clock: Arc<dyn Clock>,
    policy: Policy,
    limits: TimeLimits,
}

impl Doctor {
    pub(crate) fn new(store: Store, clock: Arc<dyn Clock>, policy: Policy, limits: TimeLimits) -> Self {
        Self { store, clock, policy, limits }
    }

    /// Checks every invariant.
    pub async fn check_all(&self) -> Vec<Checked> {
        let (now, time) = (self.clock.now(), self.limits.begin());
        let mut checked = vec![
            time.check("clock", self.clock_agrees(now)).await,
            time.check("jobs_parked", self.no_job_parked(now)).await,
            time.check("jobs_abandoned", self.no_job_abandoned()).await,
            time.check("jobs_late", self.no_job_late(now)).await,
            time.check("conversions_leave", self.no_conversion_held_up()).await,
            time.check("event_has_job", self.every_event_has_a_job(now)).await,
            time.check("one_live_subscription", self.one_live_subscription()).await,
        ];
        checked.extend(self.rights(now, &time).await);
        checked.extend([
            time.check("paid_invoice_has_subscription", self.every_payment_buys()).await,
            time.check("subscription_has_account", self.no_subscription_by_hand()).await,
            time.check("duplicate_given_back", self.every_duplicate_goes_back(now)).await,
            time.check("difference_given_back", self.no_difference_kept(now)).await,
            time.check("credit_ended_with_refund", self.no_credit_after_refund(now)).await,
            time.check("refund_in_time", self.no_refund_overdue(now)).await,
            time.check("card_refund_made", self.no_card_refund_stuck(now)).await,
            time.check("checkout_settles", self.every_checkout_settles(now)).await,
            time.check("intent_answered", self.every_intent_is_answered(now)).await,
            time.check("checkout_price_is_ours", self.every_checkout_has_our_price(now)).await,
            time.check("plan_change_finished", self.every_change_is_finished(now)).await,
            time.check("cancellation_told", self.every_cancellation_is_told(now)).await,
            time.check("boleto_lapses", self.every_boleto_lapses(now)).await,
            time.check("customer_unique", self.every_customer_has_one_account()).await,
            time.check("provider_knows_customers", self.provider_knows_customers()).await,
            time.check("session_has_account", self.every_session_has_an_account()).await,
        ]);
        checked
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

    async fn no_job_parked(&self, now: Timestamp) -> Findings {
        let mut findings = Vec::new();
        for row in invariants::jobs_parked(&self.store, MAX_FINDINGS).await? {
            let mend = if self.is_too_old(&row.subject, now).await? {
                format!("garimpo admin jobs discard {}: the platform no longer accepts it", row.subject)
            } else {
                format!(
                    "garimpo admin jobs show {0}; after the repair: garimpo admin jobs replay {0}",
                    row.subject
                )
            };
            findings.push(Finding { mend, subject: row.subject, what: row.what });
        }
        Ok(findings)
    }

    /// Whether a job is a conversion that the platform no longer accepts.
    async fn is_too_old(&self, subject: &str, now: Timestamp) -> Result<bool> {
        let Some(key) = subject.strip_prefix("conversion ") else { return Ok(false) };
        let job = job_queries::by_key(&self.store, JobKind::Conversion, key).await?;
        Ok(job.is_some_and(|job| too_old_to_send(&job, now).is_some()))
    }

    async fn no_job_abandoned(&self) -> Findings {
        let before = system_now().plus_seconds(-LEASE_OVER_SECONDS);
        let rows = invariants::jobs_abandoned(&self.store, before.as_micros(), MAX_FINDINGS).await?;
        Ok(findings(rows, |_| "start garimpo: no server runs that takes it over (/readyz)".to_owned()))
    }

    async fn no_job_late(&self, now: Timestamp) -> Findings {
        let before = now.plus_hours(-GRACE_HOURS);
        let rows = invariants::jobs_late(&self.store, before.as_micros(), MAX_FINDINGS).await?;
        Ok(findings(rows, |_| "start garimpo: no server runs that does it (/readyz)".to_owned()))
    }

    async fn no_conversion_held_up(&self) -> Findings {
        let rows = invariants::conversions_failing(&self.store, CONVERSION_RUNS, MAX_FINDINGS).await?;
        Ok(findings(rows, |_| {
            "garimpo config: GARIMPO_META_ACCESS_TOKEN, _PIXEL_ID, _API_VERSION; else wait: each is tried for 7 days"
                .to_owned()
        }))
    }

    async fn every_event_has_a_job(&self, now: Timestamp) -> Findings {
        let span = (now.plus_days(-EVENTS_DAYS).as_micros(), now.as_micros());
        let rows =
            invariants::events_without_job(&self.store, HANDLED_EVENT_TYPES, span, MAX_FINDINGS).await?;
        Ok(findings(rows, |row| format!("garimpo admin events replay {}", row.subject)))
    }

    async fn one_live_subscription(&self) -> Findings {
        Ok(findings(invariants::accounts_with_two_live(&self.store, MAX_FINDINGS).await?, reconcile))
    }

    async fn every_payment_buys(&self) -> Findings {
        Ok(findings(invariants::invoices_paid_for_nothing(&self.store, MAX_FINDINGS).await?, reconcile))
    }

    async fn no_subscription_by_hand(&self) -> Findings {
        let rows = invariants::subscriptions_by_hand(&self.store, MAX_FINDINGS).await?;
        Ok(findings(rows, |row| {
            format!(
                "end it at the provider, or write `uid` {} into its metadata there; then: garimpo admin reconcile --uid {}",
                row.uid, row.uid
            )
        }))
    }

    async fn every_duplicate_goes_back(&self, now: Timestamp) -> Findings {
        let before = now.plus_hours(-GRACE_HOURS);
        Ok(findings(
            invariants::duplicates_kept(&self.store, before.as_micros(), MAX_FINDINGS).await?,
            reconcile,
        ))
    }

    async fn no_difference_kept(&self, now: Timestamp) -> Findings {
        let before = now.plus_hours(-GRACE_HOURS);
        Ok(findings(
            invariants::differences_kept(&self.store, before.as_micros(), MAX_FINDINGS).await?,
            |row| {
                format!(
                    "refund it at the provider too: garimpo admin subscriber {} shows its PAYMENT; then: garimpo admin reconcile --uid {}",
                    row.subject, row.uid
                )
            },
        ))
    }

    async fn no_credit_after_refund(&self, now: Timestamp) -> Findings {
        let before = now.plus_hours(-GRACE_HOURS);
        Ok(findings(
            invariants::credit_of_returned(&self.store, before.as_micros(), MAX_FINDINGS).await?,
            reconcile,
        ))
    }

    async fn no_refund_overdue(&self, now: Timestamp) -> Findings {
        let rows = invariants::refunds_overdue(&self.store, now.as_micros(), MAX_FINDINGS).await?;
        Ok(findings(rows, |row| format!("pay it, then: garimpo admin refunds paid {} --pix E…", row.subject)))
    }

    async fn no_card_refund_stuck(&self, now: Timestamp) -> Findings {
        let before = now.plus_days(-CARD_REFUND_DAYS);
        Ok(findings(
            invariants::refunds_by_card_stuck(&self.store, before.as_micros(), MAX_FINDINGS).await?,
            reconcile,
        ))
    }

    async fn every_checkout_settles(&self, now: Timestamp) -> Findings {
        let (ended, begun) = (now.plus_hours(-GRACE_HOURS), now.plus_days(-CHECKOUT_DAYS));
        let rows =
            invariants::checkouts_stuck(&self.store, ended.as_micros(), begun.as_micros(), MAX_FINDINGS)
                .await?;
        Ok(findings(rows, reconcile))
    }

    async fn every_intent_is_answered(&self, now: Timestamp) -> Findings {
        let before = now.plus_days(-INTENT_DAYS);
        let rows = invariants::checkouts_unanswered(&self.store, before.as_micros(), MAX_FINDINGS).await?;
        Ok(findings(rows, |_| {
            "garimpo admin jobs show retention daily: it ends such an intent each day".to_owned()
        }))
    }

    async fn every_checkout_has_our_price(&self, now: Timestamp) -> Findings {
        let after = now.plus_days(-PRICE_DAYS);
        let rows =
            invariants::checkouts_priced_otherwise(&self.store, after.as_micros(), MAX_FINDINGS).await?;
        Ok(findings(rows, |_| {
            "garimpo admin catalog push --dry-run: it compares prices and coupons".to_owned()
        }))
    }

    async fn every_change_is_finished(&self, now: Timestamp) -> Findings {
        let before = now.plus_hours(-GRACE_HOURS);
        let rows = invariants::plan_changes_unfinished(&self.store, before.as_micros(), MAX_FINDINGS).await?;
        Ok(findings(rows, |row| {
            format!(
                "garimpo admin jobs show plan_change {0}; then: garimpo admin jobs replay plan_change {0}",
                row.subject
            )
        }))
    }

    async fn every_cancellation_is_told(&self, now: Timestamp) -> Findings {
        let (after, before) = (now.plus_days(-CANCELLATION_DAYS), now.plus_hours(-GRACE_HOURS));
        let rows = invariants::cancellations_untold(
            &self.store,
            (after.as_micros(), before.as_micros()),
            MAX_FINDINGS,
        )
        .await?;
        Ok(findings(rows, reconcile))
    }

    async fn every_boleto_lapses(&self, now: Timestamp) -> Findings {
        let before = now.plus_days(-BOLETO_DAYS);
        Ok(findings(
            invariants::boletos_lapsed(&self.store, before.as_micros(), MAX_FINDINGS).await?,
            reconcile,
        ))
    }

    async fn every_customer_has_one_account(&self) -> Findings {
        let rows = invariants::customers_shared(&self.store, MAX_FINDINGS).await?;
        Ok(findings(rows, |row| {
            format!("garimpo admin subscriber {}: the provider's customer says whose it is", row.subject)
        }))
    }

    /// The provider has the customers and subscriptions of our accounts.
    async fn provider_knows_customers(&self) -> Findings {
        let mut findings = Vec::new();
        if let Some(stop) = provider_losses::current_stop(&self.store).await? {
            let at = stop.stopped_at;
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

    async fn every_session_has_an_account(&self) -> Findings {
        let rows = invariants::sessions_of_nobody(&self.store, MAX_FINDINGS).await?;
        Ok(findings(rows, |row| format!("garimpo admin sessions end {}", row.subject)))
    }
}
