//! Money that was taken back at the provider: refunds made at its dashboard, disputes of the payer's bank, and refunds
//! of ours that a bank did not take. The rule is the domain's ([`garimpo_domain::takeback`]): access follows money.

use std::collections::{BTreeMap, BTreeSet};

use garimpo_domain::Timestamp;
use garimpo_domain::guarantee::pix_refund_due_at;
use garimpo_domain::takeback::{Charge, Money, ends_access};

use super::guarantee::{Told, asked_together};
use super::{Billing, notices};
use crate::providers::stripe::{self, StripeError};
use crate::store::invoices::{Invoice, invoice_by_id_in_tx};
use crate::store::refunds::{Refund, refund_by_pix_in_tx, refund_paid_in_tx, refunds_by_uid_in_tx};
use crate::store::subscriptions::{Subscription, subscription_by_id_in_tx};
use crate::store::{StoreError, Tx, email_left_in_tx};

/// What became of one payment, as the provider says now.
#[derive(Debug, Clone, Default)]
pub(super) struct Fate {
    /// What of it was given back.
    refunded: i64,
    /// The latest dispute that moves money.
    dispute: Option<stripe::Dispute>,
}

/// What the provider says of money that went back.
#[derive(Debug, Default)]
pub(super) struct TakenBack {
    /// By payment intent.
    pub(super) fates: BTreeMap<String, Fate>,
    /// Ids of our refunds that came to nothing there.
    failed: BTreeSet<String>,
}

/// How a dispute stands, as our rows say it: what moves no money is none.
fn standing(dispute: &stripe::Dispute) -> &'static str {
    match dispute.status.as_str() {
        "needs_response" | "under_review" => OPEN,
        "lost" => LOST,
        "won" => "won",
        _ => "",
    }
}

/// The bank has not decided.
const OPEN: &str = "open";
/// The bank gave the money to the payer.
const LOST: &str = "lost";

impl Fate {
    /// What of it the payer has back.
    pub(super) fn back_centavos(&self) -> i64 {
        let lost = self.dispute.as_ref().filter(|dispute| standing(dispute) == LOST);
        self.refunded + lost.map_or(0, |dispute| dispute.amount)
    }

    /// How its dispute stands; empty without one.
    pub(super) fn dispute(&self) -> &'static str {
        self.dispute.as_ref().map_or("", standing)
    }
}

impl Billing {
    /// Reads what became of a customer's payments; nothing where nobody paid yet.
    pub(super) async fn taken_back(
        &self,
        customer_id: &str,
        invoices: &[stripe::Invoice],
        refunds: &[Refund],
    ) -> Result<TakenBack, StripeError> {
        let is_money = |invoice: &stripe::Invoice| invoice.paid_at().is_some() && invoice.amount_paid > 0;
        if !invoices.iter().any(is_money) {
            return Ok(TakenBack::default());
        }
        let mut fates = BTreeMap::new();
        for charge in self.stripe.charges_all(customer_id).await? {
            let disputes =
                if charge.disputed { self.stripe.disputes_all(&charge.id).await? } else { Vec::new() };
            let dispute = disputes.into_iter().find(|dispute| !standing(dispute).is_empty());
            let Some(intent_id) = charge.payment_intent else { continue };
            fates.insert(intent_id, Fate { refunded: charge.amount_refunded, dispute });
        }
        let mut failed = BTreeSet::new();
        for refund in refunds.iter().filter(|refund| refund.goes_by_card()) {
            let paid_by = |invoice: &&stripe::Invoice| invoice.id == refund.invoice_id;
            let intent_id = invoices.iter().find(paid_by).and_then(stripe::Invoice::payment_intent);
            let fate = intent_id.and_then(|id| fates.get(id));
            let (Some(id), Some(fate)) = (&refund.provider_id, fate) else { continue };
            // A refund counts in its charge until it fails: only then is it asked how it stands.
            if fate.refunded < refund.amount_centavos {
                let status = self.stripe.refund_get(id).await?.status;
                if matches!(status.as_deref(), Some("failed" | "canceled")) {
                    failed.insert(refund.id.clone());
                }
            }
        }
        Ok(TakenBack { fates, failed })
    }

    /// What a bank did not take goes by Pix; its person is told.
    pub(super) async fn failed_refunds_in_tx(
        &self,
        tx: &mut Tx,
        uid: &str,
        email: Option<&str>,
        taken: &TakenBack,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.settled_elsewhere_in_tx(tx, uid, taken, now).await?;
        for id in &taken.failed {
            let email = match email {
                Some(email) => Some(email.to_owned()),
                None => email_left_in_tx(tx, uid).await?,
            };
            if !refund_by_pix_in_tx(tx, id, email.as_deref(), pix_refund_due_at(now)).await? {
                continue;
            }
            tracing::warn!(user.id = uid, refund.id = id, "a bank did not take a refund: it goes by Pix");
            let refunds = refunds_by_uid_in_tx(tx, uid).await?;
            let Some(refund) = refunds.iter().find(|refund| refund.id == *id) else { continue };
            let bought = subscription_by_id_in_tx(tx, &refund.subscription_id).await?;
            if let (Some(bought), Some(told)) = (bought, Told::of(&asked_together(&refunds, refund))) {
                notices::refund_requested_in_tx(tx, uid, &bought, &told, now).await?;
            }
        }
        Ok(())
    }
}

impl Billing {
    /// A refund by card that we did not make yet, and the payer has the money: by the provider's dashboard, or by the bank.
    async fn settled_elsewhere_in_tx(
        &self,
        tx: &mut Tx,
        uid: &str,
        taken: &TakenBack,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        for refund in refunds_by_uid_in_tx(tx, uid).await? {
            if !refund.waits_for_card() {
                continue;
            }
            let Some(invoice) = invoice_by_id_in_tx(tx, &refund.invoice_id).await? else { continue };
            let back = taken.fates.get(&invoice.payment_intent_id).map_or(0, Fate::back_centavos);
            if back >= invoice.amount_due_centavos {
                refund_paid_in_tx(tx, &invoice.id, None, now).await?;
            }
        }
        Ok(())
    }
}

/// Sets what a subscription's payments came to: since when the last paid period is disputed, and when it was given back.
/// `stored` is its row as it was, `refunds` are what is given back to its account, `paid` are its paid invoices, each with the end of the time that it opened, in the order of their making.
pub(super) fn set_takeback(
    row: &mut Subscription,
    (stored, refunds): (Option<&Subscription>, &[Refund]),
    taken: &TakenBack,
    paid: &[(&Invoice, i64)],
    now: Timestamp,
) {
    // What ends as the last paid period begins belongs to a time that is over.
    let covers = |(_, end_us): &&(&Invoice, i64)| row.paid_from_us.is_some_and(|from| *end_us > from);
    let covering: Vec<&(&Invoice, i64)> = paid.iter().filter(covers).collect();
    let ends = |at: usize| ends_access(charge(&covering[..=at]), money(covering[at].0));
    let asked = |refund: &&Refund| refund.was_asked_for() && refund.subscription_id == row.id;
    let asked_at_us = refunds.iter().filter(asked).map(|refund| refund.created_at_us).min();
    let seen_us = || stored.and_then(|stored| stored.returned_at_us).unwrap_or(now.as_micros());
    let back_at_us = (0..covering.len()).any(ends).then(seen_us);
    let disputed_at_us = |invoice: &Invoice| {
        let dispute = taken.fates.get(&invoice.payment_intent_id)?.dispute.as_ref();
        let since = dispute.map(|dispute| Timestamp::from_unix_seconds(dispute.created).as_micros());
        (invoice.dispute == OPEN).then(|| since.or(stored.and_then(|stored| stored.disputed_at_us)))?
    };
    row.returned_at_us = asked_at_us.or(back_at_us);
    row.disputed_at_us = covering.iter().filter_map(|(invoice, _)| disputed_at_us(invoice)).min();
}

/// What the last of these paid invoices charged for; each has the end of its time.
fn charge(paid: &[&(&Invoice, i64)]) -> Charge {
    let Some(((invoice, end), before)) = paid.split_last() else { return Charge::Period };
    let has_paid_for_it = before.iter().any(|(_, ended)| ended == end);
    if invoice.is_of_change() && has_paid_for_it { Charge::Difference } else { Charge::Period }
}

fn money(invoice: &Invoice) -> Money {
    match (invoice.amount_due_centavos, invoice.money_kept()) {
        (1.., 0) if invoice.dispute == LOST => Money::Lost,
        (1.., 0) => Money::GivenBack,
        _ => Money::Kept,
    }
}
