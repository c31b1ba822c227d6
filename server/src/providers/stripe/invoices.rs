//! Invoices as the provider answers them: what they charge for, what of it is due, and what became of it.

use garimpo_domain::Centavos;
use garimpo_domain::balance::Settlement;
use serde::Deserialize;

use super::objects::{Page, reference};

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
    /// What of it is charged, after the customer's balance.
    #[serde(default)]
    pub amount_due: i64,
    /// What was paid.
    #[serde(default)]
    pub amount_paid: i64,
    /// The customer's balance before it; negative is credit.
    #[serde(default)]
    pub starting_balance: i64,
    ending_balance: Option<i64>,
    #[serde(default)]
    pre_payment_credit_notes_amount: i64,
    /// When it was made.
    pub created: i64,
    /// Failed and successful attempts to collect it.
    #[serde(default)]
    pub attempt_count: u32,
    /// Whether the provider finalizes it and collects it by itself. Paid and void invoices have `false`.
    auto_advance: Option<bool>,
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
    #[serde(default, deserialize_with = "reference")]
    price: Option<String>,
}

/// One line of an invoice, its discounts taken off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charged<'a> {
    /// Price that it is for.
    pub price: Option<&'a str>,
    /// Amount; negative for time that is given back.
    pub centavos: i64,
    /// That time, Unix seconds.
    pub period: (i64, i64),
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

/// An open invoice with the secret that confirms its payment. No `Debug`: whoever has the secret can pay.
#[derive(Deserialize)]
pub struct InvoiceConfirmation {
    /// `draft`, `open`, `paid`, `uncollectible` or `void`.
    pub status: Option<String>,
    /// Page of the provider on which it can be paid; valid for some weeks.
    pub hosted_invoice_url: Option<String>,
    confirmation_secret: Option<ConfirmationSecret>,
    payments: Option<Page<InvoicePayment>>,
}

#[derive(Deserialize)]
struct ConfirmationSecret {
    client_secret: Option<String>,
}

impl InvoiceConfirmation {
    /// Secret of the payment that is under way.
    pub fn client_secret(&self) -> Option<&str> {
        self.confirmation_secret.as_ref()?.client_secret.as_deref()
    }

    /// The payment that is under way.
    pub fn payment_intent(&self) -> Option<&str> {
        let open = self.payments.as_ref()?.data.iter().find(|payment| payment.status == "open");
        open?.payment.payment_intent.as_deref()
    }
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

    /// Whether it waits to be finalized or paid, and the provider has stopped to collect it.
    pub fn is_stopped(&self) -> bool {
        self.auto_advance == Some(false) && matches!(self.status.as_deref(), Some("draft" | "open"))
    }

    /// The time that it pays for: the charged line that ends last. A credit's line names a time that is given back.
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

    /// Whether it moved money or credit; the empty invoice that opens a trial did not.
    pub fn moved(&self) -> bool {
        self.total != 0 || self.lines().any(|line| line.centavos != 0)
    }

    /// The customer's balance after it; before it is finalized, what it will be then.
    pub fn ending_balance(&self) -> i64 {
        self.ending_balance.unwrap_or(self.starting_balance + self.total - self.amount_due)
    }

    /// How its total becomes what is charged.
    pub fn settlement(&self) -> Settlement {
        let of = [self.total, self.starting_balance, self.ending_balance()];
        let [total, before, after] = of.map(Centavos::new);
        Settlement::of(total, before, after)
    }

    /// What of it was too little to be charged and waits for the next one: noted by us, or kept by the provider.
    pub fn carried(&self) -> i64 {
        let kept = if self.total > 0 { self.ending_balance.unwrap_or_default().max(0) } else { 0 };
        self.pre_payment_credit_notes_amount + kept
    }

    /// The payment that collected it, else the one that is under way, else any that was begun.
    pub fn payment_intent(&self) -> Option<&str> {
        let payments = &self.payments.as_ref()?.data;
        let of_status = |status: &str| payments.iter().find(|payment| payment.status == status);
        let chosen = of_status("paid").or_else(|| of_status("open")).or_else(|| payments.first())?;
        chosen.payment.payment_intent.as_deref()
    }
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
