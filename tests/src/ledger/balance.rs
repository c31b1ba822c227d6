//! The equation of a customer's money at the provider: cash in - cash back = value given + credit.
//!
//! Value is the price of the paid periods that were not reversed. Trial, grace and refunded periods
//! are worth 0. A refund that was requested by Pix counts as cash back.

use std::collections::BTreeMap;

use serde_json::Value;

use super::documents::{number, subscription_of, text};
use crate::provider::Provider;

/// A customer's money.
#[derive(Debug, PartialEq, Eq)]
pub struct Balance {
    /// Charges that succeeded.
    pub cash_in: i64,
    /// Refunds by card, lost disputes and requested Pix refunds.
    pub cash_back: i64,
    /// Price of the paid periods that were not reversed.
    pub value: i64,
    /// Credit at the provider for the next invoices; negative if the customer owes it.
    pub credit: i64,
    /// Subscriptions that may still charge.
    pub running: usize,
    /// Invoices that may still be paid.
    pub open: usize,
}

impl Balance {
    /// Whether the equation holds.
    pub fn holds(&self) -> bool {
        self.cash_in - self.cash_back == self.value + self.credit
    }

    /// Money received and not refunded, in centavos.
    pub fn kept(&self) -> i64 {
        self.cash_in - self.cash_back
    }
}

/// Our refunds of one account by invoice: those by Pix, and those under the guarantee.
#[derive(Debug, Default)]
pub struct Refunds {
    /// Amount of each Pix request, by invoice.
    pub by_pix: BTreeMap<String, i64>,
    /// Subscriptions that the guarantee gave back.
    pub guaranteed: Vec<String>,
}

/// Reads the money of a customer, who may be deleted.
pub async fn read(provider: &Provider, customer: &str, refunds: &Refunds) -> Balance {
    let held = provider.object(&format!("/v1/customers/{customer}")).await;
    let of = async |what: &str| provider.all(&format!("/v1/{what}customer={customer}")).await;
    let subscriptions = of("subscriptions?status=all&").await;
    let invoices = of("invoices?expand[]=data.payments&").await;
    let charges = of("charges?").await;
    let mut disputes = vec![];
    for charge in charges.iter().filter(|charge| charge["disputed"] == true) {
        disputes.extend(provider.list(&format!("/v1/disputes?charge={}", text(charge, "id"))).await);
    }
    let moves = if held["deleted"] == true {
        vec![]
    } else {
        provider.list(&format!("/v1/customers/{customer}/balance_transactions?limit=100")).await
    };
    let books = Books { invoices, charges, disputes, moves, refunds };
    let runs = |sub: &&Value| !["canceled", "incomplete_expired"].contains(&text(sub, "status"));
    let can_be_paid =
        |invoice: &&Value| ["draft", "open", "uncollectible"].contains(&text(invoice, "status"));
    Balance {
        cash_in: books.succeeded().map(|charge| number(charge, "amount")).sum(),
        cash_back: books.succeeded().map(|charge| books.back(charge)).sum::<i64>()
            + refunds.by_pix.values().sum::<i64>(),
        value: subscriptions.iter().map(|sub| books.value(text(sub, "id"))).sum(),
        credit: -number(&held, "balance"),
        running: subscriptions.iter().filter(runs).count(),
        open: books.invoices.iter().filter(can_be_paid).count(),
    }
}

struct Books<'a> {
    /// Newest first.
    invoices: Vec<Value>,
    charges: Vec<Value>,
    disputes: Vec<Value>,
    moves: Vec<Value>,
    refunds: &'a Refunds,
}

impl Books<'_> {
    fn succeeded(&self) -> impl Iterator<Item = &Value> {
        self.charges.iter().filter(|charge| charge["status"] == "succeeded")
    }

    /// The part of a charge that the payer got back from the provider or the bank.
    fn back(&self, charge: &Value) -> i64 {
        let lost = self
            .disputes
            .iter()
            .filter(|dispute| dispute["charge"] == charge["id"] && dispute["status"] == "lost");
        number(charge, "amount_refunded") + lost.map(|dispute| number(dispute, "amount")).sum::<i64>()
    }

    /// The amount that was charged for an invoice, and the part of it that was not refunded.
    fn money(&self, invoice: &Value) -> (i64, i64) {
        let paying = self.succeeded().filter(|charge| super::documents::pays(invoice, charge));
        let (paid, back) = paying
            .fold((0, 0), |(paid, back), charge| (paid + number(charge, "amount"), back + self.back(charge)));
        let by_pix = self.refunds.by_pix.get(text(invoice, "id")).copied().unwrap_or_default();
        (paid, paid - back - by_pix)
    }

    /// Whether the whole payment of an invoice was refunded.
    fn is_reversed(&self, invoice: &Value) -> bool {
        let (paid, kept) = self.money(invoice);
        let returned = format!("returned:{}", text(invoice, "id"));
        let is_credit_again = self.moves.iter().any(|one| one["metadata"]["cause"] == *returned);
        (paid > 0 && kept == 0) || is_credit_again
    }

    /// Price of the paid periods of a subscription. From a reversed payment on only money counts,
    /// because periods bought with the credit of that payment are worth 0, as the payment is.
    fn value(&self, subscription: &str) -> i64 {
        if self.refunds.guaranteed.iter().any(|id| id == subscription) {
            return 0;
        }
        let mut paid: Vec<&Value> = self
            .invoices
            .iter()
            .rev()
            .filter(|invoice| invoice["status"] == "paid" && subscription_of(invoice) == subscription)
            .collect();
        paid.sort_by_key(|invoice| number(invoice, "created"));
        let reversed = paid.iter().position(|invoice| self.is_reversed(invoice)).unwrap_or(paid.len());
        let before = paid[..reversed].iter().map(|invoice| {
            let (money, kept) = self.money(invoice);
            number(invoice, "total") - (money - kept)
        });
        let after = paid[reversed..].iter().map(|invoice| self.money(invoice).1);
        before.sum::<i64>() + after.sum::<i64>()
    }
}
