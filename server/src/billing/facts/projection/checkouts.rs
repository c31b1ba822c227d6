//! The state of a checkout, from its session and its subscription.

use garimpo_domain::provider_status::{CheckoutPaymentStatus, CheckoutSessionStatus};
use garimpo_domain::{Centavos, CheckoutId};

use crate::billing::facts::projection::input::ProviderState;
use crate::billing::facts::projection::subscriptions::opens_period;
use crate::providers::stripe::{self, CustomerState};
use crate::store::{Checkout, CheckoutState, CheckoutStatus, PaymentStatus, Subscription};

/// Metadata key of a subscription: the id of the checkout that created it. Subscriptions of older
/// versions have none.
pub(crate) const CHECKOUT_KEY: &str = "checkout";

/// The subscription that a checkout created, once it was paid: its metadata names the checkout.
pub(crate) fn paid_purchase<'a>(
    state: &'a CustomerState,
    checkout_id: &CheckoutId,
) -> Option<&'a stripe::Subscription> {
    let is_of_it =
        |fact: &&stripe::Subscription| fact.metadata.get(CHECKOUT_KEY).is_some_and(|id| *id == **checkout_id);
    state.subscriptions.iter().filter(is_of_it).find(|fact| {
        let mut own = state.invoices.iter().filter(|invoice| invoice.subscription() == Some(&fact.id));
        own.any(|invoice| opens_period(fact, invoice))
    })
}

/// The state of an unsettled checkout; `None` if its session was not read.
pub(super) fn checkout_state(
    checkout: &Checkout,
    observed: &ProviderState,
    rows: &[Subscription],
) -> Option<CheckoutState> {
    let gone = CheckoutState {
        id: checkout.id.clone(),
        status: CheckoutStatus::Expired,
        payment_status: checkout.payment_status,
        settled: true,
        subscription_id: checkout.subscription_id.clone(),
        amount_total_centavos: None,
    };
    if let Some(purchase) = paid_purchase(&observed.state, &checkout.id) {
        let (status, payment_status) = (CheckoutStatus::Complete, PaymentStatus::Paid);
        return Some(CheckoutState {
            status,
            payment_status,
            subscription_id: Some(purchase.id.clone()),
            ..gone
        });
    }
    let Some(session) = observed.sessions.get(&checkout.id)? else { return Some(gone) };
    let subscription_id = session.subscription.clone().or(checkout.subscription_id.clone());
    let subscription = rows.iter().find(|row| Some(&row.id) == subscription_id.as_ref());
    // A boleto's session may stay unpaid. The invoice of its subscription shows the payment.
    let opened = subscription.is_some_and(|row| row.first_paid_at.is_some());
    let is_over = subscription.is_some_and(|row| row.ended_at.is_some());
    // A boleto that was paid after its subscription had ended bought nothing.
    let bought_nothing = session.payment_status == CheckoutPaymentStatus::Paid && is_over && !opened;
    let is_paid = opened || session.payment_status != CheckoutPaymentStatus::Unpaid && !bought_nothing;
    // A session that is neither open nor complete has expired.
    let status = match session.status {
        CheckoutSessionStatus::Open => CheckoutStatus::Open,
        CheckoutSessionStatus::Complete => CheckoutStatus::Complete,
        CheckoutSessionStatus::Expired | CheckoutSessionStatus::Other(_) => CheckoutStatus::Expired,
    };
    let is_paid = is_paid && status == CheckoutStatus::Complete;
    Some(CheckoutState {
        id: checkout.id.clone(),
        status,
        payment_status: if is_paid { PaymentStatus::Paid } else { PaymentStatus::Unpaid },
        settled: match status {
            CheckoutStatus::Open => false,
            CheckoutStatus::Complete => is_paid || is_over,
            _ => true,
        },
        subscription_id,
        // A session that is charged at the trial's end has the amount zero now. Its first payment
        // is the quoted amount.
        amount_total_centavos: session.amount_total.filter(|total| *total > 0).map(Centavos::new),
    })
}
