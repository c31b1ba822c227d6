//! The provider's ledger of one account, and its contradictions.

use garimpo_proto::billing::v1::GetCheckoutSessionResponse;
use serde_json::Value;

use super::differ;
use super::documents::{
    charged_lines, digits, interval, is_about, number, pays, period, subscription_of, text,
};
use crate::provider::Provider;
use crate::visitor::Visitor;

/// Access ends at once in the product, and a job cancels at the provider up to this many seconds
/// later.
pub(super) const MAX_CANCEL_DELAY: i64 = 120;

/// Statuses in which the provider may still charge.
const COLLECTING: [&str; 4] = ["active", "trialing", "past_due", "unpaid"];

/// The provider's side of one account.
pub(super) struct Theirs {
    pub(super) now: i64,
    pub(super) customers: Vec<Value>,
    /// Newest first, as all lists of the provider.
    pub(super) subscriptions: Vec<Value>,
    pub(super) invoices: Vec<Value>,
    pub(super) charges: Vec<Value>,
    pub(super) refunds: Vec<Value>,
    /// Disputes of the payer's bank.
    pub(super) disputes: Vec<Value>,
    pub(super) sessions: Vec<Value>,
    /// Changes of the customer's balance without an invoice.
    balance_moves: Vec<Value>,
    /// Mails "Pagamento em duplicidade" to the account.
    pub(super) returned: Vec<Value>,
}

impl Theirs {
    pub(super) async fn read(provider: &Provider, who: &Visitor) -> Self {
        let customers = provider.list(&format!("/v1/customers?limit=100&email={}", who.email)).await;
        let mut seen = Self {
            now: provider.now().await,
            customers,
            subscriptions: vec![],
            invoices: vec![],
            charges: vec![],
            refunds: vec![],
            disputes: vec![],
            sessions: vec![],
            balance_moves: vec![],
            returned: provider.mails_to(&who.email).await,
        };
        seen.returned.retain(|mail| is_about(mail, "Pagamento em duplicidade"));
        for id in seen.customers.iter().map(|customer| text(customer, "id")) {
            let of = async |what: &str| provider.list(&format!("/v1/{what}customer={id}&limit=100")).await;
            let next = "expand[]=data.default_payment_method&expand[]=data.customer.invoice_settings.default_payment_method";
            seen.subscriptions.extend(of(&format!("subscriptions?status=all&{next}&")).await);
            seen.invoices.extend(of("invoices?expand[]=data.payments&").await);
            // A failed attempt is a charge that moved no money.
            seen.charges.extend(of("charges?").await.into_iter().filter(|charge| charge["paid"] == true));
            seen.sessions.extend(of("checkout/sessions?").await);
            let moves = format!("/v1/customers/{id}/balance_transactions?limit=100");
            seen.balance_moves.extend(provider.list(&moves).await);
        }
        for charge in seen.charges.iter().filter(|charge| charge["amount_refunded"] != 0) {
            seen.refunds.extend(provider.list(&format!("/v1/refunds?charge={}", text(charge, "id"))).await);
        }
        for charge in seen.charges.iter().filter(|charge| charge["disputed"] == true) {
            seen.disputes.extend(provider.list(&format!("/v1/disputes?charge={}", text(charge, "id"))).await);
        }
        seen
    }

    /// Contradictions that the provider must never have.
    pub(super) fn contradictions(&self, found: &mut Vec<String>) {
        if self.customers.len() > 1 {
            differ(found, "one account, several customers", &self.customers[0], &self.customers[1]);
        }
        let collecting: Vec<_> =
            self.subscriptions.iter().filter(|sub| COLLECTING.contains(&text(sub, "status"))).collect();
        if let [one, other, ..] = collecting[..] {
            differ(found, "two live subscriptions at the provider", one, other);
        }
        for invoice in &self.invoices {
            let paying: Vec<_> = self.charges.iter().filter(|charge| pays(invoice, charge)).collect();
            if let [one, other, ..] = paying[..] {
                differ(found, "one invoice charged twice", one, other);
            }
            let owed = if invoice["status"] == "paid" { number(invoice, "amount_due") } else { 0 };
            let charged: i64 = paying.iter().map(|charge| number(charge, "amount")).sum();
            if charged != owed {
                differ(found, "what an invoice asks for is not what was charged", invoice, &paying);
            }
            let sum: i64 = charged_lines(invoice).map(|(_, amount)| amount).sum();
            if sum != number(invoice, "total") {
                differ(found, "the lines of an invoice do not sum to its total", invoice, &sum);
            }
        }
        self.overlaps(found);
        if let Some(live) = self.paid_subscription() {
            self.leftovers(live, found);
        }
    }

    /// Periods that were paid twice and not refunded.
    pub(super) fn overlaps(&self, found: &mut Vec<String>) {
        let spans: Vec<_> =
            self.subscriptions.iter().filter_map(|sub| Some((sub, self.paid_span(sub)?))).collect();
        for (at, (one, span)) in spans.iter().enumerate() {
            for (other, other_span) in &spans[at + 1..] {
                // A replaced subscription is cancelled by a job, a moment after the payment.
                let ends = |(_, end): &(i64, i64)| end - MAX_CANCEL_DELAY;
                let beside = self.was_disputed_by(one, other_span.0) || self.was_disputed_by(other, span.0);
                if span.0 < ends(other_span) && other_span.0 < ends(span) && !beside {
                    differ(found, "the same time was charged twice and kept", one, other);
                }
            }
        }
        let kept_none = self.subscriptions.iter().all(|sub| self.kept(sub).is_empty());
        let as_second = |refund: &&Value| refund["reason"] == "duplicate";
        let is_lost = self.charges.iter().any(|charge| self.dispute_of(charge) == "lost");
        let went_back_otherwise = is_lost || !self.refunds.iter().all(|refund| as_second(&refund));
        if let Some(refund) =
            self.refunds.iter().find(as_second).filter(|_| kept_none && !went_back_otherwise)
        {
            differ(found, "every payment was refunded as a duplicate", refund, &self.charges);
        }
    }

    /// Whether the payment of a subscription was disputed by then. The subscription is suspended,
    /// another may be bought, and it ends when the dispute is known: a day later without events.
    fn was_disputed_by(&self, sub: &Value, at: i64) -> bool {
        let charges = self.kept(sub).into_iter().filter_map(|invoice| self.charge_of(invoice));
        let of_sub: Vec<_> = charges.map(|charge| &charge["id"]).collect();
        let mut disputes = self.disputes.iter().filter(|dispute| of_sub.contains(&&dispute["charge"]));
        disputes.any(|dispute| number(dispute, "created") <= at)
    }

    /// Objects that a paid subscription should have closed.
    pub(super) fn leftovers(&self, live: &Value, found: &mut Vec<String>) {
        let is_other = |doc: &&Value| doc["id"] != live["id"];
        for sub in self.subscriptions.iter().filter(is_other).filter(|sub| sub["status"] == "incomplete") {
            differ(found, "a subscription still waits beside a live one", live, sub);
        }
        let of_live = |invoice: &&Value| subscription_of(invoice) == text(live, "id");
        let is_open = |invoice: &&Value| ["open", "uncollectible"].contains(&text(invoice, "status"));
        for invoice in self.invoices.iter().filter(is_open).filter(|invoice| !of_live(invoice)) {
            differ(found, "an invoice can still be paid beside a live subscription", live, invoice);
        }
    }

    /// The subscription whose period is paid now.
    pub(super) fn paid_subscription(&self) -> Option<&Value> {
        self.subscriptions.iter().find(|sub| {
            sub["ended_at"].is_null()
                && !self.is_disputed(sub)
                && self.paid_span(sub).is_some_and(|(start, end)| start <= self.now && self.now < end)
        })
    }

    /// The subscription that the account shows: the one whose period is paid now, or else the last
    /// paid one.
    pub(super) fn shown_subscription(&self) -> Option<&Value> {
        self.paid_subscription().or_else(|| self.subscriptions.iter().find(|sub| !self.kept(sub).is_empty()))
    }

    /// Whether a dispute of the last paid period is open.
    pub(super) fn is_disputed(&self, sub: &Value) -> bool {
        let kept = self.kept(sub);
        let Some(last) = kept.first().map(|invoice| period(invoice)) else { return false };
        let covering = kept.iter().filter(|invoice| period(invoice).1 > last.0);
        covering.filter_map(|invoice| self.charge_of(invoice)).any(|charge| self.dispute_of(charge) == "open")
    }

    /// `open`, `won`, `lost`, or empty.
    pub(super) fn dispute_of(&self, charge: &Value) -> &str {
        let dispute = self.disputes.iter().find(|dispute| dispute["charge"] == charge["id"]);
        match dispute.map_or("", |dispute| text(dispute, "status")) {
            "needs_response" | "under_review" => "open",
            decided => decided,
        }
    }

    pub(super) fn charge_of(&self, invoice: &Value) -> Option<&Value> {
        self.charges.iter().find(|charge| pays(invoice, charge))
    }

    /// Paid invoices of a subscription that were not refunded, newest first, including those paid
    /// by credit and plan changes that gave credit.
    pub(super) fn kept(&self, sub: &Value) -> Vec<&Value> {
        let is_kept = |invoice: &&Value| {
            invoice["status"] == "paid"
                && charged_lines(invoice).any(|(_, amount)| amount > 0)
                && subscription_of(invoice) == text(sub, "id")
                && !self.was_given_back(invoice, sub)
        };
        self.invoices.iter().filter(is_kept).collect()
    }

    /// Whether money or credit paid for a subscription. A refunded duplicate does not count.
    pub(super) fn was_paid(&self, sub: &Value) -> bool {
        let of_sub = |invoice: &&Value| subscription_of(invoice) == text(sub, "id");
        let mut paid = self.invoices.iter().filter(of_sub).filter(|invoice| invoice["status"] == "paid");
        paid.any(|invoice| !(self.is_as_second(invoice) && self.was_given_back(invoice, sub)))
    }

    pub(super) fn lost_a_payment(&self, sub: &Value) -> bool {
        let of_sub = |invoice: &&Value| subscription_of(invoice) == text(sub, "id");
        let mut paid = self.invoices.iter().filter(of_sub).filter(|invoice| invoice["status"] == "paid");
        paid.any(|invoice| self.was_given_back(invoice, sub))
    }

    /// A card payment is refunded at the provider. A boleto is refunded outside of it, so only the
    /// mail to its payer shows it.
    pub(super) fn was_given_back(&self, invoice: &Value, sub: &Value) -> bool {
        let Some(charge) = self.charges.iter().find(|charge| pays(invoice, charge)) else {
            return self.is_credit_again(invoice);
        };
        let is_mail_of_refund =
            |mail: &Value| digits(text(mail, "subject")) == number(charge, "amount").to_string();
        match text(&charge["payment_method_details"], "type") {
            "boleto" => !sub["ended_at"].is_null() && self.returned.iter().any(is_mail_of_refund),
            _ => charge["refunded"] == true || self.dispute_of(charge) == "lost",
        }
    }

    /// From the start of the first kept period to the end of the newest one, or of the
    /// subscription.
    pub(super) fn paid_span(&self, sub: &Value) -> Option<(i64, i64)> {
        let kept = self.kept(sub);
        let start = kept.iter().map(|invoice| period(invoice).0).min()?;
        let end = period(kept.first()?).1;
        Some((start, sub["ended_at"].as_i64().map_or(end, |ended| ended.min(end))))
    }

    pub(super) fn compare_session(
        &self,
        session: &Value,
        ours: &GetCheckoutSessionResponse,
        who: &Visitor,
        found: &mut Vec<String>,
    ) {
        let sub = self.subscriptions.iter().find(|sub| sub["id"] == session["subscription"]);
        // The session stays `complete` at the provider, although its boleto can no longer be paid.
        let lapsed =
            session["payment_status"] == "unpaid" && sub.is_some_and(|sub| !sub["ended_at"].is_null());
        let returned = sub.and_then(|sub| {
            let invoice =
                self.given_back_as_second().find(|invoice| subscription_of(invoice) == sub["id"])?;
            let Some(charge) = self.charge_of(invoice) else { return Some("credit") };
            let by_boleto = charge["payment_method_details"]["type"] == "boleto";
            Some(if by_boleto { "pix" } else { "card" })
        });
        if let Some(live) = self.paid_subscription().filter(|_| session["status"] == "open") {
            differ(found, "a checkout can still be paid beside a live subscription", live, session);
        }
        let metadata = &session["metadata"];
        let held = (
            if lapsed { "expired" } else { text(session, "status") },
            // Credit may have paid the whole amount.
            if session["payment_status"] == "unpaid" { "unpaid" } else { "paid" },
            number(session, "amount_total"),
            text(metadata, "plan"),
            interval(text(metadata, "interval")),
            who.email.as_str(),
            returned,
        );
        let own = (
            ours.status.as_str(),
            ours.payment_status.as_str(),
            ours.amount_total_centavos,
            ours.plan_id.as_str(),
            ours.interval(),
            ours.customer_email.as_str(),
            ours.refund_method.as_deref(),
        );
        if held != own {
            differ(found, &format!("the session differs: {held:?} and {own:?}"), session, ours);
        }
    }

    /// Payments that were refunded as duplicates, rather than under the guarantee or by a bank.
    pub(super) fn given_back_as_second(&self) -> impl Iterator<Item = &Value> {
        let paid = self.invoices.iter().filter(|invoice| invoice["status"] == "paid");
        paid.filter(move |invoice| {
            let subscription = self.subscriptions.iter().find(|sub| subscription_of(invoice) == sub["id"]);
            self.is_as_second(invoice) && subscription.is_some_and(|sub| self.was_given_back(invoice, sub))
        })
    }

    /// The provider has no reason for the refund of a boleto; only the mail to its payer has it.
    pub(super) fn is_as_second(&self, invoice: &Value) -> bool {
        let Some(charge) = self.charge_of(invoice) else { return self.is_credit_again(invoice) };
        let refund = self.refunds.iter().find(|refund| refund["charge"] == charge["id"]);
        self.dispute_of(charge) != "lost" && refund.is_none_or(|refund| refund["reason"] == "duplicate")
    }

    /// Whether only credit paid an invoice and the credit was restored.
    fn is_credit_again(&self, invoice: &Value) -> bool {
        let cause = format!("returned:{}", text(invoice, "id"));
        self.balance_moves.iter().any(|one| one["metadata"]["cause"] == *cause)
    }
}
