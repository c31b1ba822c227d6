//! What a payment that went back, or is disputed, means for the subscription that it was for. The rule is the domain's
//! ([`garimpo_domain::takeback`]): access follows money.

use std::collections::{BTreeMap, BTreeSet};

use garimpo_domain::Timestamp;
use garimpo_domain::instant::micros_of;
use garimpo_domain::takeback::{Charge, Money, ends_access};

use crate::providers::stripe;
use crate::store::invoices::Invoice;
use crate::store::refunds::Refund;
use crate::store::subscriptions::Subscription;

/// What became of one payment, as the provider says now.
#[derive(Debug, Clone, Default)]
pub(in crate::billing) struct Fate {
    /// What of it was given back.
    pub(in crate::billing) refunded: i64,
    /// The latest dispute that moves money.
    pub(in crate::billing) dispute: Option<stripe::Dispute>,
}

/// What the provider says of money that went back.
#[derive(Debug, Default)]
pub(in crate::billing) struct TakenBack {
    /// By payment intent.
    pub(in crate::billing) fates: BTreeMap<String, Fate>,
    /// Ids of our refunds that came to nothing there.
    pub(in crate::billing) failed: BTreeSet<String>,
}

/// How a dispute stands, as our rows say it: what moves no money is none.
pub(in crate::billing) fn standing(dispute: &stripe::Dispute) -> &'static str {
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
    pub(in crate::billing) fn back_centavos(&self) -> i64 {
        let lost = self.dispute.as_ref().filter(|dispute| standing(dispute) == LOST);
        self.refunded + lost.map_or(0, |dispute| dispute.amount)
    }

    /// How its dispute stands; empty without one.
    pub(in crate::billing) fn dispute(&self) -> &'static str {
        self.dispute.as_ref().map_or("", standing)
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
        let since = dispute.map(|dispute| micros_of(dispute.created));
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
