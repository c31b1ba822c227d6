//! Derives a subscription's row from the provider's subscription and its paid invoices.

use garimpo_domain::checkout::BOLETO_DAYS;
use garimpo_domain::provider_status::InvoiceStatus;
use garimpo_domain::{Centavos, PaymentMethod, Renewal, Timestamp};

use crate::billing::facts::account_credit::AccountCredit;
use crate::billing::facts::projection::after_end::is_after_end;
use crate::billing::facts::projection::input::{InvoiceWithRow, OwnSubscription, ProviderState, StoredState};
use crate::billing::facts::projection::plan_changes::is_of_unpaid_change;
use crate::billing::facts::projection::reversals::{MoneyState, set_reversal};
use crate::providers::stripe;
use crate::store::{Invoice, NonEmpty, Retired, Subscription};

/// The row of one of our subscriptions. `invoices` are the account's.
pub(super) fn subscription_row(
    known: &StoredState,
    observed: &ProviderState,
    own: &OwnSubscription<'_>,
    (invoices, credit): (&[InvoiceWithRow<'_>], &AccountCredit<'_>),
    now: Timestamp,
) -> Subscription {
    let fact = own.fact;
    let stored = known.subscription(&fact.id);
    let mine: Vec<_> = invoices.iter().filter(|(_, row)| row.subscription_id == fact.id).collect();
    let paid: Vec<_> = mine.iter().copied().filter(|(invoice, _)| opens_period(fact, invoice)).collect();
    let last_paid = paid.iter().copied().max_by_key(|(_, row)| row.created_at);
    let item = fact.item();
    let period = last_paid.map(|(invoice, _)| whole_period(invoice, &paid, item));
    let metadata = |name: &str| fact.metadata.get(name).cloned().and_then(NonEmpty::new);
    let mut row = Subscription {
        id: fact.id.clone(),
        uid: known.uid.clone(),
        plan_id: own.plan,
        plan_interval: own.interval,
        coupon_id: metadata("coupon"),
        promo_code: metadata("code"),
        price_centavos: Centavos::new(item.and_then(|item| item.price.unit_amount).unwrap_or_default()),
        payment_method: own.pays_by().or_else(|| last_method(&paid)).or_else(|| last_method(&mine)),
        provider_status: fact.status.clone(),
        live: stored.is_some_and(|row| row.live),
        retired: retired(known, stored, &paid),
        first_paid_at: paid.iter().filter_map(|(_, row)| row.paid_at).min(),
        paid_from: period.map(|(start, _)| Timestamp::from_unix_seconds(start)),
        paid_until: free_days_end(fact, last_paid)
            .or(period.map(|(_, end)| end))
            // The operator may end it at the provider on a day within the paid period.
            .map(|end| fact.cancel_at.map_or(end, |at| end.min(at)))
            .map(Timestamp::from_unix_seconds),
        first_charge_at: fact.trial_end.filter(|_| paid.is_empty()).map(Timestamp::from_unix_seconds),
        renewal: Renewal::Open,
        cancel_at_period_end: fact.cancels() && !known.renews_again(fact),
        ended_at: ended_at(fact).map(Timestamp::from_unix_seconds),
        created_at: Timestamp::from_unix_seconds(fact.created),
        disputed_at: None,
        returned_at: None,
    };
    let opened: Vec<_> = paid
        .iter()
        .map(|(fact, row)| (row, Timestamp::from_unix_seconds(paid_period(fact, item).1)))
        .collect();
    let money = MoneyState { refunds: &known.refunds, reversals: &observed.reversals, credit };
    set_reversal(&mut row, stored, &money, &opened, now);
    let since = last_paid.map(|(_, row)| row.created_at).unwrap_or_default();
    // An amount that moves to the next invoice is not a failed renewal: its invoice counts as paid
    // when the credit note exists.
    let is_asked = |row: &Invoice| {
        row.created_at >= since
            && !(own.pays_by_boleto() && row.is_too_little())
            && !is_of_unpaid_change(row, &fact.status)
    };
    row.renewal = renewal(mine.iter().copied().filter(|(_, row)| is_asked(row)));
    row
}

/// Payment method of the last invoice that has one. An invoice paid by credit has none.
fn last_method(invoices: &[&InvoiceWithRow<'_>]) -> Option<PaymentMethod> {
    let named = invoices.iter().filter(|(_, row)| row.payment_method.is_some());
    named.max_by_key(|(_, row)| row.created_at)?.1.payment_method
}

/// The period of the last payment. A plan change charges the rest of a period that began with an
/// earlier payment.
fn whole_period(
    last: &stripe::Invoice,
    paid: &[&InvoiceWithRow<'_>],
    item: Option<&stripe::SubscriptionItem>,
) -> (i64, i64) {
    let (start, end) = paid_period(last, item);
    let same = paid.iter().map(|(fact, _)| paid_period(fact, item)).filter(|period| period.1 == end);
    (same.map(|(start, _)| start).min().unwrap_or(start), end)
}

/// The end of a trial that began after the last payment: the operator gave free days, and the
/// provider's trial replaces the rest of the paid period.
fn free_days_end(fact: &stripe::Subscription, last_paid: Option<&InvoiceWithRow<'_>>) -> Option<i64> {
    let (paid, began) = (last_paid?.0.created, fact.trial_start?);
    fact.trial_end.filter(|_| paid <= began)
}

/// A replaced subscription that was paid just before its end becomes a duplicate, which is
/// refunded.
fn retired(
    known: &StoredState,
    stored: Option<&Subscription>,
    paid: &[&InvoiceWithRow<'_>],
) -> Option<Retired> {
    let before = stored.and_then(|row| row.retired);
    let is_paid_late = || paid.iter().any(|(_, row)| !known.was_paid(&row.id));
    if before == Some(Retired::Replaced) && is_paid_late() { Some(Retired::Duplicate) } else { before }
}

/// Whether an invoice was paid with money or credit. The zero invoice of a trial's start was not.
pub(crate) fn is_payment(fact: &stripe::Invoice) -> bool {
    fact.paid_at().is_some() && fact.has_moved()
}

/// Whether the invoice opens a period. A payment after the end of its subscription opens none.
pub(super) fn opens_period(subscription: &stripe::Subscription, invoice: &stripe::Invoice) -> bool {
    is_payment(invoice) && !is_after_end(subscription, invoice)
}

/// The period that a paid invoice opened. A plan change within a period charges the rest of it, so
/// the item's period is used.
fn paid_period(invoice: &stripe::Invoice, item: Option<&stripe::SubscriptionItem>) -> (i64, i64) {
    let of_item = item.map(|item| (item.current_period_start, item.current_period_end));
    match (invoice.period(), of_item) {
        (Some((start, end)), Some(current)) if end == current.1 => (start.min(current.0), end),
        (charged, current) => charged.or(current).unwrap_or_default(),
    }
}

fn ended_at(fact: &stripe::Subscription) -> Option<i64> {
    fact.is_over().then(|| fact.ended_at.or(fact.canceled_at).unwrap_or(fact.created))
}

/// The state of the invoices after the last paid one. If several are unpaid, the first one decides
/// since when: a later one gives neither access nor another grace period.
fn renewal<'a>(since_paid: impl Iterator<Item = &'a InvoiceWithRow<'a>> + Clone) -> Renewal {
    let made = |invoice: &&InvoiceWithRow<'_>| invoice.1.created_at;
    // An invoice that was voided after a failed attempt is unpaid, too.
    let was_asked = |fact: &stripe::Invoice, row: &Invoice| {
        row.can_be_paid() || (row.status == InvoiceStatus::Void && fact.attempt_count > 0)
    };
    let asked = since_paid.filter(|(fact, row)| was_asked(fact, row));
    let (Some((first, row)), Some((_, newest))) = (asked.clone().min_by_key(made), asked.max_by_key(made))
    else {
        return Renewal::Open;
    };
    let begun_at = Timestamp::from_unix_seconds(first.finalized_at());
    if row.payment_method == Some(PaymentMethod::Boleto) {
        // The first voucher's expiry counts. Vouchers that the provider issues after it do not
        // extend access.
        let first_due = begun_at.plus_days(BOLETO_DAYS).end_of_day_sao_paulo();
        let due_at = newest.boleto_due_at;
        return Renewal::Voucher { due_at: due_at.map_or(first_due, |due| due.min(first_due)) };
    }
    // The provider does not report the time of the first attempt. It makes it when it finalizes the
    // invoice.
    if first.attempt_count > 0 || row.waits_for_authentication() {
        Renewal::Failed { at: begun_at }
    } else {
        Renewal::Open
    }
}
