//! What the provider answers, reduced to the fields that Garimpo reads.
//!
//! Times are Unix seconds and amounts centavos, as they come. A field that names another object accepts the id or the
//! expanded object.

use std::collections::BTreeMap;

use garimpo_domain::checkout::PaymentMethod;
use serde::{Deserialize, Deserializer};

/// Free keys of ours on the provider's objects.
pub type Metadata = BTreeMap<String, String>;

/// A list's page.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Page<T> {
    pub(super) data: Vec<T>,
    #[serde(default)]
    pub(super) has_more: bool,
}

/// A customer.
#[derive(Debug, Clone, Deserialize)]
pub struct Customer {
    /// Id, `cus_…`.
    pub id: String,
    /// Our keys: uid.
    #[serde(default)]
    pub metadata: Metadata,
    /// Whether it was removed; its id still answers then.
    #[serde(default)]
    pub deleted: bool,
}

/// A product of the provider's catalogue: one plan of ours.
#[derive(Debug, Clone, Deserialize)]
pub struct Product {
    /// Id, chosen by us.
    pub id: String,
    /// Name on receipts.
    pub name: String,
    /// Whether it can be bought.
    pub active: bool,
}

/// A recurring price.
#[derive(Debug, Clone, Deserialize)]
pub struct Price {
    /// Id, `price_…`.
    pub id: String,
    /// Regular price of each period.
    pub unit_amount: Option<i64>,
    /// Our name for it, moved to its successor when the amount changes.
    pub lookup_key: Option<String>,
    /// How often it is charged.
    pub recurring: Option<Recurring>,
    /// Our keys: plan and interval.
    #[serde(default)]
    pub metadata: Metadata,
}

/// How often a price is charged.
#[derive(Debug, Clone, Deserialize)]
pub struct Recurring {
    /// `day` for every price of ours.
    pub interval: String,
    /// How many of them.
    pub interval_count: u32,
}

/// A coupon.
#[derive(Debug, Clone, Deserialize)]
pub struct Coupon {
    /// Id, chosen by us.
    pub id: String,
    /// Whole or broken percent off.
    pub percent_off: Option<f64>,
    /// Centavos off.
    pub amount_off: Option<i64>,
    /// `once` for every coupon of ours.
    pub duration: String,
}

/// A checkout session.
#[derive(Debug, Clone, Deserialize)]
pub struct CheckoutSession {
    /// Id, `cs_…`.
    pub id: String,
    /// What the page needs to show it.
    pub client_secret: Option<String>,
    /// `open`, `complete` or `expired`.
    pub status: String,
    /// `unpaid`, `paid` or `no_payment_required`.
    pub payment_status: String,
    /// First payment.
    pub amount_total: Option<i64>,
    /// Subscription it made, once complete.
    #[serde(default, deserialize_with = "reference")]
    pub subscription: Option<String>,
    /// First invoice, once complete.
    #[serde(default, deserialize_with = "reference")]
    pub invoice: Option<String>,
    /// When it stops being open.
    pub expires_at: Option<i64>,
    /// Where the portal or a hosted page is.
    pub url: Option<String>,
}

/// A management session of the provider's portal.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct PortalSession {
    pub(super) url: String,
}

/// A subscription.
#[derive(Debug, Clone, Deserialize)]
pub struct Subscription {
    /// Id, `sub_…`.
    pub id: String,
    /// `incomplete`, `incomplete_expired`, `trialing`, `active`, `past_due`, `unpaid`, `canceled` or `paused`.
    pub status: String,
    /// Who pays, `cus_…`.
    #[serde(default, deserialize_with = "reference")]
    pub customer: Option<String>,
    /// What is paid for; one item each.
    items: Page<SubscriptionItem>,
    /// Whether it ends with the paid period.
    #[serde(default)]
    pub cancel_at_period_end: bool,
    /// A date on which it ends, set by the portal in place of the flag above.
    pub cancel_at: Option<i64>,
    /// When it ended.
    pub ended_at: Option<i64>,
    /// When its end was asked for.
    pub canceled_at: Option<i64>,
    /// When its trial at the provider ends.
    pub trial_end: Option<i64>,
    /// When it was made.
    pub created: i64,
    /// Our keys: uid, plan, interval, coupon, code.
    #[serde(default)]
    pub metadata: Metadata,
}

/// A subscription's item.
#[derive(Debug, Clone, Deserialize)]
pub struct SubscriptionItem {
    /// Price of each period.
    pub price: Price,
    /// Start of the period in Unix seconds.
    pub current_period_start: i64,
    /// End of the period in Unix seconds.
    pub current_period_end: i64,
}

impl Subscription {
    /// Whether it ended for good.
    pub fn is_over(&self) -> bool {
        matches!(self.status.as_str(), "canceled" | "incomplete_expired")
    }

    /// The one item that is paid for; `None` for subscriptions that are not of our making.
    pub fn item(&self) -> Option<&SubscriptionItem> {
        self.items.data.first()
    }
}

/// An invoice.
#[derive(Debug, Clone, Deserialize)]
pub struct Invoice {
    /// Id, `in_…`.
    pub id: String,
    /// `draft`, `open`, `paid`, `uncollectible` or `void`.
    pub status: Option<String>,
    /// `subscription_create`, `subscription_cycle`, `subscription_update`, `manual`, …
    pub billing_reason: Option<String>,
    /// What it asks for.
    #[serde(default)]
    pub total: i64,
    /// What was paid.
    #[serde(default)]
    pub amount_paid: i64,
    /// When it was made.
    pub created: i64,
    /// Failed and successful attempts to collect it.
    #[serde(default)]
    pub attempt_count: u32,
    /// Page of the provider with the receipt.
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
    #[serde(default, deserialize_with = "reference")]
    subscription: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct InvoiceLine {
    #[serde(default)]
    amount: i64,
    period: Period,
}

#[derive(Debug, Clone, Deserialize)]
struct Period {
    start: i64,
    end: i64,
}

#[derive(Debug, Clone, Deserialize)]
struct InvoicePayment {
    payment: Payment,
    #[serde(default)]
    status: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Payment {
    #[serde(default, deserialize_with = "reference")]
    payment_intent: Option<String>,
}

impl Invoice {
    /// The subscription that it charges for.
    pub fn subscription(&self) -> Option<&str> {
        self.parent.as_ref()?.subscription_details.as_ref()?.subscription.as_deref()
    }

    /// When it was paid, in Unix seconds.
    pub fn paid_at(&self) -> Option<i64> {
        (self.status.as_deref() == Some("paid"))
            .then(|| self.status_transitions.paid_at.unwrap_or(self.created))
    }

    /// When it began to be collected, in Unix seconds.
    pub fn finalized_at(&self) -> i64 {
        self.status_transitions.finalized_at.unwrap_or(self.created)
    }

    /// The time that it pays for: the charged line that ends last. A credit's line names a time that is given back.
    pub fn period(&self) -> Option<(i64, i64)> {
        let charged = self.lines.as_ref()?.data.iter().filter(|line| line.amount > 0);
        charged.map(|line| (line.period.start, line.period.end)).max_by_key(|(_, end)| *end)
    }

    /// The payment that collected it, else the one that is under way, else any that was begun.
    pub fn payment_intent(&self) -> Option<&str> {
        let payments = &self.payments.as_ref()?.data;
        let of_status = |status: &str| payments.iter().find(|payment| payment.status == status);
        let chosen = of_status("paid").or_else(|| of_status("open")).or_else(|| payments.first())?;
        chosen.payment.payment_intent.as_deref()
    }
}

/// One attempt to collect an invoice.
#[derive(Debug, Clone, Deserialize)]
pub struct PaymentIntent {
    /// Id, `pi_…`.
    pub id: String,
    /// `requires_payment_method`, `requires_action`, `processing`, `succeeded`, `canceled`, …
    pub status: String,
    /// What it collects.
    pub amount: i64,
    next_action: Option<NextAction>,
    payment_method: Option<ExpandedMethod>,
    #[serde(default)]
    payment_method_types: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct NextAction {
    boleto_display_details: Option<BoletoDetails>,
}

/// A voucher that waits for payment.
#[derive(Debug, Clone, Deserialize)]
pub struct BoletoDetails {
    /// 47 digits of the typeable line.
    pub number: Option<String>,
    /// When it stops being payable.
    pub expires_at: Option<i64>,
    /// Page of the provider with the slip.
    pub hosted_voucher_url: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum ExpandedMethod {
    Object {
        #[serde(rename = "type")]
        kind: String,
    },
    Id(#[expect(dead_code, reason = "an id that was not expanded says nothing")] String),
}

impl PaymentIntent {
    /// The voucher to show, while it waits for payment.
    pub fn boleto(&self) -> Option<&BoletoDetails> {
        self.next_action.as_ref()?.boleto_display_details.as_ref()
    }

    /// How it is paid; `None` before the payer has chosen.
    pub fn method(&self) -> Option<PaymentMethod> {
        let kind = match &self.payment_method {
            Some(ExpandedMethod::Object { kind }) => kind.as_str(),
            _ if self.boleto().is_some() => "boleto",
            _ => match self.payment_method_types.as_slice() {
                [only] => only.as_str(),
                _ => return None,
            },
        };
        match kind {
            "boleto" => Some(PaymentMethod::Boleto),
            "card" => Some(PaymentMethod::Card),
            _ => None,
        }
    }
}

/// Reads a reference: an id, an expanded object, or nothing.
pub(super) fn reference<'de, D: Deserializer<'de>>(source: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Reference {
        Id(String),
        Object { id: String },
    }
    Ok(Option::<Reference>::deserialize(source)?.map(|reference| match reference {
        Reference::Id(id) | Reference::Object { id } => id,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn referencia_pode_ser_id_ou_objeto() {
        for written in [r#""sub_1""#, r#"{"id":"sub_1","object":"subscription"}"#] {
            let text = format!(
                r#"{{"id":"in_1","created":5,"status":"paid","parent":{{"subscription_details":{{"subscription":{written}}}}}}}"#
            );
            let invoice: Invoice = serde_json::from_str(&text).unwrap();
            assert_eq!(invoice.subscription(), Some("sub_1"));
            assert_eq!(invoice.paid_at(), Some(5));
        }
    }
}
