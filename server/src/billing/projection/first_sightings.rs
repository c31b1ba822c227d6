//! Changes seen for the first time: purchases, payments, boletos, failures, cancellations, and
//! amounts that are carried over.

use garimpo_domain::provider_status::InvoiceStatus;
use garimpo_domain::{Centavos, Renewal, Timestamp};

use crate::billing::projection::input::{OwnSubscription, StoredState};
use crate::store::{CheckoutState, Invoice, Subscription, was_paid};

/// A cancellation seen for the first time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewCancellation {
    /// Its subscription.
    pub(crate) subscription: Subscription,
    /// When it was requested, in Unix seconds. A person who cancels, resumes and cancels again gets
    /// two mails.
    pub(crate) asked_at: i64,
}

/// A payment seen for the first time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewPayment {
    /// The paid invoice.
    pub(crate) invoice: Invoice,
    /// Its subscription.
    pub(crate) subscription: Subscription,
    /// Whether it is the subscription's first payment.
    pub(crate) opens_subscription: bool,
    /// Whether the account had never paid before.
    pub(crate) is_new_subscriber: bool,
}

pub(super) fn new_payments(
    known: &StoredState<'_>,
    rows: &[Subscription],
    invoices: &[Invoice],
) -> Vec<NewPayment> {
    let had_paid = known.subscriptions.iter().any(Subscription::counts_as_paid);
    let mut new: Vec<NewPayment> = invoices
        .iter()
        .filter(|row| {
            row.is_paid() && row.total_centavos > Centavos::ZERO && !was_paid(known.invoices, &row.id)
        })
        .filter_map(|row| {
            // Confirm the payment even if the subscription has ended since, unless it was refunded.
            let stays = |s: &&Subscription| s.stands() && s.returned_at.is_none();
            let subscription = rows.iter().filter(stays).find(|s| s.id == row.subscription_id)?;
            // A payment after the end gives no rights. It is refunded, and has its own mail.
            if subscription.ended_at.is_some_and(|ended_at| row.paid_at > Some(ended_at)) {
                return None;
            }
            Some(NewPayment {
                opens_subscription: subscription.first_paid_at == row.paid_at,
                is_new_subscriber: false,
                invoice: row.clone(),
                subscription: subscription.clone(),
            })
        })
        .collect();
    new.sort_by_key(|payment| payment.invoice.paid_at);
    if let Some(first) = new.first_mut() {
        first.is_new_subscriber = !had_paid && first.opens_subscription;
    }
    new
}

/// A trial purchase seen for the first time, first charged at the trial's end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewTrialPurchase {
    /// The subscription that it created.
    pub(crate) subscription: Subscription,
    /// Amount of the first charge, as quoted.
    pub(crate) first_centavos: Centavos,
    /// When it is charged.
    pub(crate) first_charge_at: Timestamp,
}

pub(super) fn new_trial_purchases(
    known: &StoredState<'_>,
    rows: &[Subscription],
    states: &[CheckoutState],
) -> Vec<NewTrialPurchase> {
    let was_known = |id: &str| known.subscriptions.iter().any(|stored| stored.id == id);
    let quoted = |row: &Subscription| {
        let state = states.iter().find(|state| state.subscription_id.as_ref() == Some(&row.id))?;
        let checkout = known.checkouts.iter().find(|checkout| checkout.id == state.id)?;
        Some(checkout.first_payment_centavos)
    };
    let new = rows.iter().filter(|row| row.runs() && !was_known(&row.id));
    new.filter_map(|row| {
        Some(NewTrialPurchase {
            first_charge_at: row.first_charge_at?,
            first_centavos: quoted(row)?,
            subscription: row.clone(),
        })
    })
    .collect()
}

/// A refund or loss seen for the first time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewRefund {
    /// The refunded invoice, as it is now.
    pub(crate) invoice: Invoice,
    /// Amount that was refunded or lost.
    pub(crate) centavos: Centavos,
    /// Its subscription.
    pub(crate) subscription: Subscription,
}

/// Our own refunds are mailed when requested.
pub(super) fn new_refunds(
    known: &StoredState<'_>,
    rows: &[Subscription],
    invoices: &[Invoice],
) -> Vec<NewRefund> {
    let is_ours = |invoice: &Invoice| known.refunds.iter().any(|refund| refund.invoice_id == invoice.id);
    let before = |id: &str| {
        known.invoices.iter().find(|row| row.id == id).map_or(Centavos::ZERO, |row| row.refunded_centavos)
    };
    let went_back = invoices.iter().filter_map(|invoice| {
        let centavos = invoice.refunded_centavos - before(&invoice.id);
        // Ended subscriptions are included, because many refunds follow or cause the end.
        let is_its = |row: &&Subscription| row.id == invoice.subscription_id && row.stands();
        let subscription = rows.iter().find(is_its)?.clone();
        (centavos > Centavos::ZERO).then(|| NewRefund { invoice: invoice.clone(), centavos, subscription })
    });
    went_back.filter(|refund| !is_ours(&refund.invoice)).collect()
}

pub(super) fn new_boletos(
    known: &StoredState<'_>,
    rows: &[Subscription],
    invoices: &[Invoice],
) -> Vec<Invoice> {
    let was_known =
        |row: &Invoice| known.invoices.iter().any(|s| s.id == row.id && s.boleto_line == row.boleto_line);
    // Ended subscriptions are included: the mail of their end says that the boleto is void.
    let is_told = |row: &Invoice| rows.iter().any(|s| s.id == row.subscription_id && s.stands());
    invoices
        .iter()
        .filter(|row| {
            row.status == InvoiceStatus::Open && row.boleto_line.is_some() && !was_known(row) && is_told(row)
        })
        .cloned()
        .collect()
}

pub(super) fn too_little(
    ours: &[OwnSubscription<'_>],
    rows: &[Subscription],
    invoices: &[Invoice],
) -> Vec<Invoice> {
    let pays_by_boleto = |id: &str| ours.iter().any(|own| own.fact.id == id && own.pays_by_boleto());
    let waits_for = |s: &Subscription| s.goes_on() && pays_by_boleto(&s.id);
    let is_asked = |row: &&Invoice| rows.iter().any(|s| s.id == row.subscription_id && waits_for(s));
    invoices.iter().filter(|row| row.is_too_little()).filter(is_asked).cloned().collect()
}

/// Each card of an invoice that needs authentication counts once. The stored row has the card.
pub(super) fn new_authentications(
    known: &StoredState<'_>,
    rows: &[Subscription],
    invoices: &[Invoice],
) -> Vec<Invoice> {
    let was_known = |row: &Invoice| {
        known.invoices.iter().any(|stored| stored.id == row.id && stored.authentication == row.authentication)
    };
    let is_asked = |row: &Invoice| {
        rows.iter().any(|s| s.id == row.subscription_id && s.goes_on() && !s.cancel_at_period_end)
    };
    invoices
        .iter()
        .filter(|row| row.waits_for_authentication() && !was_known(row) && is_asked(row))
        .cloned()
        .collect()
}

/// Invoices of failed renewals that are not stored yet. A failure is stored if the subscription's
/// row has the same `renewal`.
pub(super) fn new_failures(
    known: &StoredState<'_>,
    rows: &[Subscription],
    invoices: &[Invoice],
) -> Vec<Invoice> {
    let was_known =
        |row: &Subscription| known.subscriptions.iter().any(|s| s.id == row.id && s.renewal == row.renewal);
    let failed = rows
        .iter()
        .filter(|row| matches!(row.renewal, Renewal::Failed { .. }) && row.runs() && !was_known(row));
    failed
        .filter_map(|subscription| {
            let own = invoices.iter().filter(|row| row.subscription_id == subscription.id);
            own.filter(|row| row.can_be_paid())
                .max_by_key(|row| row.created_at)
                // The mail about the authentication covers it.
                .filter(|row| !row.waits_for_authentication())
                .cloned()
        })
        .collect()
}

/// Subscriptions that were cancelled or ended since the stored rows, if they were paid or have a
/// scheduled charge. Replaced ones and those refunded on request are left out.
pub(super) fn new_cancellations(
    known: &StoredState<'_>,
    rows: &[Subscription],
    ours: &[OwnSubscription<'_>],
) -> Vec<NewCancellation> {
    let ends =
        |row: &Subscription| row.cancel_at_period_end || row.ended_at.is_some() || row.returned_at.is_some();
    let asked_back = |row: &Subscription| {
        known.refunds.iter().any(|refund| refund.was_asked_for() && refund.subscription_id == row.id)
    };
    let bought = |row: &&Subscription| {
        row.stands() && !asked_back(row) && (row.first_paid_at.is_some() || row.first_charge_at.is_some())
    };
    rows.iter()
        .filter(bought)
        .filter_map(|row| {
            let stood = known.subscriptions.iter().any(|stored| stored.id == row.id && !ends(stored));
            let fact = ours.iter().map(|own| own.fact).find(|fact| fact.id == row.id)?;
            let asked_at = fact.canceled_at.or(fact.ended_at).unwrap_or(fact.created);
            (stood && ends(row)).then(|| NewCancellation { subscription: row.clone(), asked_at })
        })
        .collect()
}
