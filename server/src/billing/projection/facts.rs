//! What a projection is derived from: the provider's state and our rows.

use std::collections::BTreeMap;

use garimpo_domain::{Interval, PaymentMethod, PlanId, Timestamp};

use crate::billing::projection::reversals::TakenBack;
use crate::providers::stripe;
use crate::store::{Absence, Checkout, Invoice, Refund, Subscription};

/// An invoice as the provider holds it, and the row that it comes to.
pub(super) type InvoiceRead<'a> = (&'a stripe::Invoice, Invoice);

/// What the provider says of one customer, all read after one ticket.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    /// Subscriptions and invoices.
    pub(crate) state: stripe::CustomerState,
    /// Payments of the invoices that are open or whose method is not known yet, by id.
    pub(crate) payments: BTreeMap<String, stripe::PaymentIntent>,
    /// Sessions of the checkouts that are not settled, by our checkout's id; `None` where the
    /// provider has none.
    pub(crate) sessions: BTreeMap<String, Option<stripe::CheckoutSession>>,
    /// What of the money went back.
    pub(crate) taken: TakenBack,
    /// Why the provider has no such customer; `None` where it has.
    pub(crate) absence: Option<Absence>,
    /// End of the time that each stored invoice pays for, where the provider lists some of them no
    /// more.
    pub(crate) paid_until: BTreeMap<String, Timestamp>,
}

/// What we stored of the account before.
#[derive(Debug)]
pub(crate) struct Known<'a> {
    /// Account.
    pub(crate) uid: &'a str,
    /// Its subscriptions.
    pub(crate) subscriptions: &'a [Subscription],
    /// Its invoices.
    pub(crate) invoices: &'a [Invoice],
    /// Its checkouts that are not settled.
    pub(crate) checkouts: &'a [Checkout],
    /// What is given back to it.
    pub(crate) refunds: &'a [Refund],
    /// Whether the account stands. What a deleted one bought is not kept up.
    pub(crate) has_account: bool,
}

/// A subscription of our making: the metadata says for whom and what.
pub(super) struct Ours<'a> {
    pub(super) fact: &'a stripe::Subscription,
    pub(super) plan: PlanId,
    pub(super) interval: Interval,
}

impl<'a> Ours<'a> {
    pub(super) fn of(fact: &'a stripe::Subscription, uid: &str) -> Option<Self> {
        if fact.metadata.get("uid").map(String::as_str) != Some(uid) {
            return None;
        }
        let price = &fact.item()?.price.metadata;
        // The portal and a plan change move the item to another price, whose own metadata is then
        // the truth.
        let key = |name: &str| price.get(name).or_else(|| fact.metadata.get(name));
        let plan = PlanId::parse(key("plan")?)?;
        let interval = Interval::parse(key("interval")?)?;
        Some(Self { fact, plan, interval })
    }

    /// What the next invoice is paid by; nothing says it of what is over.
    pub(super) fn pays_by(&self) -> Option<PaymentMethod> {
        self.fact.method().filter(|_| !self.fact.is_over())
    }

    pub(super) fn pays_by_boleto(&self) -> bool {
        self.fact.method() == Some(PaymentMethod::Boleto)
    }
}
