//! Invoices and their payments.

use garimpo_domain::provider_status::{InvoicePaymentStatus, InvoiceReason, InvoiceStatus};
use garimpo_domain::{Centavos, InvoiceId, PaymentIntentId, Settlement, SubscriptionId};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::client::Stripe;
use super::errors::{Result, unless_settled};
use super::lists::{Page, listed};
use super::references;
use super::request::Params;

/// Stripe's `Invoice`, with the fields that we read.
#[derive(Debug, Clone, Deserialize)]
pub struct Invoice {
    pub id: InvoiceId,
    /// `draft`, `open`, `paid`, `uncollectible` or `void`.
    pub status: Option<InvoiceStatus>,
    /// `subscription_create`, `subscription_cycle`, `subscription_update`, `manual`, …
    pub billing_reason: Option<InvoiceReason>,
    #[serde(default)]
    pub total: i64,
    /// The part of the total that is charged, after the customer's balance.
    #[serde(default)]
    pub amount_due: i64,
    #[serde(default)]
    pub amount_paid: i64,
    /// The customer's balance before it; negative is credit.
    #[serde(default)]
    pub starting_balance: i64,
    ending_balance: Option<i64>,
    #[serde(default)]
    pre_payment_credit_notes_amount: i64,
    pub created: i64,
    /// Failed and successful attempts to collect it.
    #[serde(default)]
    pub attempt_count: u32,
    pub next_payment_attempt: Option<i64>,
    /// Printed on the invoice and its receipt; a draft has none.
    pub number: Option<String>,
    /// Whether the provider finalizes and collects it. Paid and void invoices have `false`.
    pub auto_advance: Option<bool>,
    /// The provider's page with the payment or the receipt.
    pub hosted_invoice_url: Option<String>,
    #[serde(default)]
    status_transitions: StatusTransitions,
    parent: Option<Parent>,
    lines: Option<Page<InvoiceLine>>,
    payments: Option<Page<InvoicePayment>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct StatusTransitions {
    finalized_at: Option<i64>,
    paid_at: Option<i64>,
}

#[derive(Debug, Clone, Deserialize)]
struct Parent {
    subscription_details: Option<SubscriptionDetails>,
}

#[derive(Debug, Clone, Deserialize)]
struct SubscriptionDetails {
    #[serde(default, deserialize_with = "references::id")]
    subscription: Option<SubscriptionId>,
}

#[derive(Debug, Clone, Deserialize)]
struct InvoiceLine {
    #[serde(default)]
    amount: i64,
    #[serde(default)]
    discount_amounts: Vec<DiscountAmount>,
    period: Period,
    pricing: Option<Pricing>,
}

#[derive(Debug, Clone, Deserialize)]
struct DiscountAmount {
    amount: i64,
}

#[derive(Debug, Clone, Deserialize)]
struct Pricing {
    price_details: Option<PriceDetails>,
}

#[derive(Debug, Clone, Deserialize)]
struct PriceDetails {
    #[serde(default, deserialize_with = "references::id")]
    price: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct Period {
    start: i64,
    end: i64,
}

/// A line of an invoice, after its discounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charged<'a> {
    pub price: Option<&'a str>,
    /// Amount; negative for time that is given back.
    pub centavos: i64,
    /// Start and end of that time.
    pub period: (i64, i64),
}

/// The link between an invoice and a payment intent.
#[derive(Debug, Clone, Deserialize)]
pub struct InvoicePayment {
    /// `inpay_…`.
    #[serde(default)]
    pub id: String,
    /// `open`, `paid` or `canceled`.
    pub status: Option<InvoicePaymentStatus>,
    /// Whether the provider created it when it finalized the invoice.
    #[serde(default)]
    pub is_default: bool,
    payment: Payment,
}

#[derive(Debug, Clone, Deserialize)]
struct Payment {
    #[serde(default, deserialize_with = "references::id")]
    payment_intent: Option<PaymentIntentId>,
}

listed!(Invoice, InvoicePayment);

impl InvoicePayment {
    /// Id of the payment intent.
    pub fn intent(&self) -> Option<&PaymentIntentId> {
        self.payment.payment_intent.as_ref()
    }
}

/// An open invoice with the secret that confirms its payment.
#[derive(Deserialize)]
pub struct InvoiceConfirmation {
    /// `draft`, `open`, `paid`, `uncollectible` or `void`.
    pub status: Option<InvoiceStatus>,
    /// The provider's payment page, valid for some weeks.
    pub hosted_invoice_url: Option<String>,
    confirmation_secret: Option<ConfirmationSecret>,
    payments: Option<Page<InvoicePayment>>,
}

#[derive(Deserialize)]
struct ConfirmationSecret {
    client_secret: Option<SecretString>,
}

impl InvoiceConfirmation {
    /// Secret of the open payment.
    pub fn client_secret(&self) -> Option<&str> {
        self.confirmation_secret.as_ref()?.client_secret.as_ref().map(ExposeSecret::expose_secret)
    }

    /// Id of the open payment's intent.
    pub fn payment_intent(&self) -> Option<&PaymentIntentId> {
        let payments = &self.payments.as_ref()?.data;
        let open = payments.iter().find(|payment| payment.status == Some(InvoicePaymentStatus::Open));
        open?.intent()
    }
}

impl Invoice {
    /// Whether a change of plan made it.
    pub fn is_of_change(&self) -> bool {
        self.billing_reason == Some(InvoiceReason::SubscriptionUpdate)
    }

    /// Whether the start of a subscription made it.
    pub(super) fn opens_subscription(&self) -> bool {
        self.billing_reason == Some(InvoiceReason::SubscriptionCreate)
    }

    /// Whether it has this status.
    pub fn is(&self, status: InvoiceStatus) -> bool {
        self.status == Some(status)
    }

    /// Id of the subscription that it charges for.
    pub fn subscription(&self) -> Option<&SubscriptionId> {
        self.parent.as_ref()?.subscription_details.as_ref()?.subscription.as_ref()
    }

    /// When it was paid.
    pub fn paid_at(&self) -> Option<i64> {
        self.is(InvoiceStatus::Paid).then(|| self.status_transitions.paid_at.unwrap_or(self.created))
    }

    /// When its collection began.
    pub fn finalized_at(&self) -> i64 {
        self.status_transitions.finalized_at.unwrap_or(self.created)
    }

    /// Whether it is unpaid and the provider has stopped its collection.
    pub fn is_stopped(&self) -> bool {
        self.auto_advance == Some(false) && (self.is(InvoiceStatus::Draft) || self.is(InvoiceStatus::Open))
    }

    /// The paid time: the charged line that ends last. A credit's line has time that is given back.
    pub fn period(&self) -> Option<(i64, i64)> {
        let charged = self.lines.as_ref()?.data.iter().filter(|line| line.amount > 0);
        charged.map(|line| (line.period.start, line.period.end)).max_by_key(|(_, end)| *end)
    }

    /// Its lines, in the provider's order.
    pub fn lines(&self) -> impl Iterator<Item = Charged<'_>> {
        self.lines.iter().flat_map(|page| &page.data).map(|line| Charged {
            price: line.pricing.as_ref().and_then(|p| p.price_details.as_ref()?.price.as_deref()),
            centavos: line.amount - line.discount_amounts.iter().map(|off| off.amount).sum::<i64>(),
            period: (line.period.start, line.period.end),
        })
    }

    /// Whether it moves money or credit; the empty invoice that opens a trial does not.
    pub fn has_moved(&self) -> bool {
        self.total != 0 || self.lines().any(|line| line.centavos != 0)
    }

    /// The customer's balance after it; before its finalization, the expected one.
    pub fn ending_balance(&self) -> i64 {
        self.ending_balance.unwrap_or(self.starting_balance + self.total - self.amount_due)
    }

    /// How its total becomes the charged amount.
    pub fn settlement(&self) -> Settlement {
        let of = [self.total, self.starting_balance, self.ending_balance()];
        let [total, before, after] = of.map(Centavos::new);
        Settlement::of(total, before, after)
    }

    /// The part that was too small to charge and moves to the next invoice: by a credit note of
    /// ours, or by the provider.
    pub fn carried(&self) -> i64 {
        let kept = if self.total > 0 { self.ending_balance.unwrap_or_default().max(0) } else { 0 };
        self.pre_payment_credit_notes_amount + kept
    }

    /// Ids of the intents of all its payments.
    pub(super) fn payment_intents(&self) -> impl Iterator<Item = &PaymentIntentId> {
        self.payments.iter().flat_map(|page| &page.data).filter_map(InvoicePayment::intent)
    }

    /// Id of the intent of the paid payment, else of the open one, else of the first one.
    pub fn payment_intent(&self) -> Option<&PaymentIntentId> {
        let payments = &self.payments.as_ref()?.data;
        let of_status = |status| payments.iter().find(|payment| payment.status.as_ref() == Some(status));
        of_status(&InvoicePaymentStatus::Paid)
            .or_else(|| of_status(&InvoicePaymentStatus::Open))
            .or_else(|| payments.first())?
            .intent()
    }
}

impl Stripe {
    /// Reads a page of the invoices created since `since`.
    pub async fn list_invoices_page(&self, since: i64, after: &str) -> Result<Page<Invoice>> {
        self.page("invoice_list", &["invoices"], Params::created_since(since), after).await
    }

    /// Reads the open invoices of a subscription, newest first.
    pub async fn list_open_invoices(&self, subscription: &SubscriptionId) -> Result<Vec<Invoice>> {
        let params = Params::new().set("subscription", subscription).set("status", "open");
        self.list("invoice_list", &["invoices"], params).await
    }

    /// Reads what confirms the payment of an open invoice.
    pub async fn get_invoice_confirmation(&self, id: &InvoiceId) -> Result<InvoiceConfirmation> {
        let params = Params::new().list("expand", ["confirmation_secret", "payments"]);
        self.get("invoice_confirmation", &["invoices", id], params).await
    }

    /// Pays an open invoice with a card of its customer, who is absent and cannot authenticate.
    pub async fn pay_invoice(&self, id: &InvoiceId, card: &str, key: &str) -> Result<()> {
        let params = Params::new().set("payment_method", card).set("off_session", true);
        self.post::<IgnoredAny>("invoice_pay", &["invoices", id, "pay"], params, key).await.map(drop)
    }

    /// Voids an open invoice; an invoice in another state stays as it is.
    pub async fn void_invoice(&self, id: &InvoiceId) -> Result<()> {
        unless_settled(self.update("invoice_void", &["invoices", id, "void"], Params::new()).await)
    }

    /// Resumes the automatic collection of a draft or open invoice; an invoice in another state
    /// stays as it is.
    pub async fn collect_invoice(&self, id: &InvoiceId) -> Result<()> {
        let params = Params::new().set("auto_advance", true);
        unless_settled(self.update("invoice_collect", &["invoices", id], params).await)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_may_be_an_id_or_an_object() {
        for written in [r#""sub_1""#, r#"{"id":"sub_1","object":"subscription"}"#] {
            let text = format!(
                r#"{{"id":"in_1","created":5,"status":"paid","parent":{{"subscription_details":{{"subscription":{written}}}}}}}"#
            );
            let invoice: Invoice = serde_json::from_str(&text).unwrap();
            assert_eq!(invoice.subscription(), Some(&SubscriptionId::new("sub_1")));
            assert_eq!(invoice.paid_at(), Some(5));
        }
    }
}
