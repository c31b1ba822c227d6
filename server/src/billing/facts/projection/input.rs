//! The input of a projection: the provider's state and our rows.

use std::collections::BTreeMap;

use garimpo_domain::{
    CheckoutId, Interval, InvoiceId, PaymentIntentId, PaymentMethod, PlanId, SubscriptionId, Timestamp, Uid,
};

use crate::billing::facts::projection::reversals::Reversals;
use crate::providers::stripe;
use crate::store::{
    Absence, Checkout, Invoice, PlanChange, Refund, Result, Store, Subscription, accounts, checkouts,
    invoices, plan_changes, refunds, subscriptions,
};

/// An invoice of the provider, and our row of it.
pub(super) type InvoiceWithRow<'a> = (&'a stripe::Invoice, Invoice);

/// The provider's state of one customer, read after one ticket.
#[derive(Debug, Default)]
pub(crate) struct ProviderState {
    /// Subscriptions, invoices and payments.
    pub(crate) state: stripe::CustomerState,
    /// Payments by id, of invoices that are open or whose method is unknown.
    pub(crate) payments: BTreeMap<PaymentIntentId, stripe::PaymentIntent>,
    /// Sessions of unsettled checkouts by our checkout id; `None` if the provider has none. Those
    /// of paid purchases are not read.
    pub(crate) sessions: BTreeMap<CheckoutId, Option<stripe::CheckoutSession>>,
    /// Refunds and disputes.
    pub(crate) reversals: Reversals,
    /// Why the provider does not have the customer; `None` if it does.
    pub(crate) absence: Option<Absence>,
    /// End of the paid time by stored invoice, if the provider no longer lists some of them.
    pub(crate) paid_until: BTreeMap<InvoiceId, Timestamp>,
}

/// The stored rows of the account.
#[derive(Debug)]
pub(crate) struct StoredState {
    pub(crate) uid: Uid,
    pub(crate) subscriptions: Vec<Subscription>,
    pub(crate) invoices: Vec<Invoice>,
    pub(crate) refunds: Vec<Refund>,
    /// Its unsettled checkouts.
    pub(crate) checkouts: Vec<Checkout>,
    /// Its unfinished plan change that undoes a cancellation. The provider does both one after the
    /// other.
    pub(crate) renewing: Option<PlanChange>,
    /// Whether the account exists. The purchases of a deleted account are not kept.
    pub(crate) has_account: bool,
}

impl StoredState {
    pub(crate) async fn read(store: &Store, uid: &Uid) -> Result<Self> {
        Ok(Self {
            uid: uid.clone(),
            subscriptions: subscriptions::by_uid(store, uid).await?,
            invoices: invoices::by_uid(store, uid).await?,
            refunds: refunds::by_uid(store, uid).await?,
            checkouts: checkouts::unsettled(store, uid).await?,
            renewing: plan_changes::renewing(store, uid).await?,
            has_account: accounts::by_uid(store, uid).await?.is_some(),
        })
    }

    pub(crate) fn subscription(&self, id: &SubscriptionId) -> Option<&Subscription> {
        self.subscriptions.iter().find(|row| row.id == *id)
    }

    pub(crate) fn invoice(&self, id: &InvoiceId) -> Option<&Invoice> {
        self.invoices.iter().find(|row| row.id == *id)
    }

    /// Whether the invoice is stored as paid.
    pub(crate) fn was_paid(&self, invoice_id: &InvoiceId) -> bool {
        self.invoice(invoice_id).is_some_and(Invoice::is_paid)
    }

    /// Whether the cancellation of a subscription is about to be undone, because its plan change
    /// was applied.
    pub(super) fn renews_again(&self, fact: &stripe::Subscription) -> bool {
        self.renewing.as_ref().is_some_and(|change| {
            change.subscription_id == fact.id
                && fact.item().is_some_and(|item| item.price.id == change.price_id)
        })
    }

    /// Whether we have requested a refund of the invoice.
    pub(crate) fn has_refund(&self, invoice_id: &InvoiceId) -> bool {
        self.refunds.iter().any(|refund| refund.invoice_id == *invoice_id)
    }
}

/// A subscription with our metadata, which names the account and the plan.
pub(super) struct OwnSubscription<'a> {
    pub(super) fact: &'a stripe::Subscription,
    pub(super) plan: PlanId,
    pub(super) interval: Interval,
}

impl<'a> OwnSubscription<'a> {
    pub(super) fn of(fact: &'a stripe::Subscription, uid: &Uid) -> Option<Self> {
        if fact.uid().as_ref() != Some(uid) {
            return None;
        }
        let price = &fact.item()?.price.metadata;
        // The portal and a plan change move the item to another price. Its metadata then replaces
        // the subscription's.
        let key = |name: &str| price.get(name).or_else(|| fact.metadata.get(name));
        let plan = PlanId::parse(key("plan")?)?;
        let interval = Interval::parse(key("interval")?)?;
        Some(Self { fact, plan, interval })
    }

    /// Payment method of the next invoice; `None` if the subscription has ended.
    pub(super) fn pays_by(&self) -> Option<PaymentMethod> {
        self.fact.method().filter(|_| !self.fact.is_over())
    }

    pub(super) fn pays_by_boleto(&self) -> bool {
        self.fact.method() == Some(PaymentMethod::Boleto)
    }
}
