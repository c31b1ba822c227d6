//! The mail about a change of plan.

use garimpo_domain::{Centavos, Settlement, Timestamp};

use crate::billing::facts::current_subscription::next_charge_of;
use crate::billing::facts::projection::NewChange;
use crate::billing::notices::phrases;
use crate::billing::notices::phrases::day;
use crate::billing::notices::words::bought;
use crate::mail::Mail;
use crate::store::Subscription;

/// Key of the mail about a change. Without an invoice, its time identifies the change.
pub(super) fn plan_changed_key(change: &NewChange, now: Timestamp) -> String {
    let of_change =
        change.invoice_id.as_ref().map_or_else(|| now.as_micros().to_string(), ToString::to_string);
    format!("plan_changed:{}:{of_change}", change.after.id)
}

/// The mail about a change: old and new plan, amount charged or credited, and the next payment.
pub(super) fn plan_changed(change: &NewChange, balance: Centavos, now: Timestamp) -> Mail {
    let (before, after) = (&change.before, &change.after);
    Mail::PlanChanged {
        before: bought(before, Centavos::ZERO),
        after: bought(after, change.settlement.due.max(Centavos::ZERO)),
        outcome: outcome(&change.settlement),
        next: next(after, balance, now),
    }
}

fn outcome(made: &Settlement) -> String {
    let nothing = Centavos::ZERO;
    if made.due > nothing {
        let also = match (made.credit_used > nothing, made.earlier > nothing) {
            (true, _) => phrases::and_of_your_credit(made.credit_used),
            (false, true) => phrases::and_added(made.earlier),
            (false, false) => String::new(),
        };
        phrases::charged_now(made.due, &also)
    } else if made.due < nothing {
        let less = if made.earlier > nothing { phrases::less(made.earlier) } else { String::new() };
        phrases::became_credit(nothing - made.due, &less)
    } else if made.carried > nothing {
        phrases::too_little_to_charge(made.carried)
    } else if made.credit_used > nothing {
        phrases::credit_paid_the_change(made.credit_used)
    } else {
        phrases::NOTHING_WAS_CHARGED.to_owned()
    }
}

fn next(after: &Subscription, balance: Centavos, now: Timestamp) -> String {
    match next_charge_of(after, balance, now) {
        Some(next) => phrases::next_charge(&next),
        None => phrases::ends_on(&after.paid_until.map(day).unwrap_or_default()),
    }
}
