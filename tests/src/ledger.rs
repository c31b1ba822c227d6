//! Two sets of books on one account, the provider's and ours, compared object by object from outside.
//!
//! Whatever went wrong before, both must end in agreement: nothing charged twice, nothing paid and not given, one
//! subscription at most, every payment told of once, nothing left open that should have been closed.

use std::fmt::Write;
use std::time::Instant;

use garimpo_proto::billing::v1::{
    GetCheckoutSessionResponse, GetSubscriptionRequest, GetSubscriptionResponse, PlanInterval, Subscription,
};
use serde_json::Value;
use tonic::Code;

use crate::provider::Provider;
use crate::visitor::Visitor;

/// Access ends with our word; the provider is told of it by a job.
const TOLD_EARLIER: i64 = 120;

/// What the provider may still collect money for.
const COLLECTING: [&str; 4] = ["active", "trialing", "past_due", "unpaid"];

/// Waits until both sides agree about the account of `who`; shows every difference when they never do.
///
/// Sessions are asked for last, and once: asking heals what else must heal by itself.
pub async fn eventually_agrees(provider: &Provider, who: &Visitor) {
    let began = Instant::now();
    loop {
        let mut found = differences(provider, who).await;
        if found.is_empty() {
            found = session_differences(provider, who).await;
        }
        if found.is_empty() {
            return;
        }
        assert!(
            began.elapsed() < crate::DEADLINE,
            "the books of {} never agreed:\n{}",
            who.email,
            lines(&found)
        );
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}

/// Asserts that both sides agree now.
pub async fn agrees(provider: &Provider, who: &Visitor) {
    let mut found = differences(provider, who).await;
    found.extend(session_differences(provider, who).await);
    assert!(found.is_empty(), "the books of {} do not agree:\n{}", who.email, lines(&found));
}

/// Every difference in what stands and what was paid. Reading it heals nothing.
pub async fn differences(provider: &Provider, who: &Visitor) -> Vec<String> {
    let ours = Ours::read(provider, who).await;
    let theirs = Theirs::read(provider, who).await;
    let mut found = Vec::new();
    theirs.contradictions(&mut found);
    ours.contradictions(&mut found);
    compare(&theirs, &ours, &mut found);
    found
}

/// Every difference between the provider's sessions and ours; asking for an open one makes us read it anew.
pub async fn session_differences(provider: &Provider, who: &Visitor) -> Vec<String> {
    let mut found = Vec::new();
    let theirs = Theirs::read(provider, who).await;
    for session in &theirs.sessions {
        match who.checkout(text(session, "id")).await {
            Ok(ours) => theirs.compare_session(session, &ours, who, &mut found),
            // One whose answer we never got is nobody's: without its secret it cannot be paid.
            Err(status) if status.code() == Code::NotFound && session["status"] != "complete" => {}
            Err(status) => differ(&mut found, "a session is unknown to us", session, &status),
        }
    }
    found
}

/// The provider's side of one account.
struct Theirs {
    now: i64,
    customers: Vec<Value>,
    /// Newest first, as all lists of the provider.
    subscriptions: Vec<Value>,
    invoices: Vec<Value>,
    charges: Vec<Value>,
    refunds: Vec<Value>,
    /// By their payers' banks.
    disputes: Vec<Value>,
    sessions: Vec<Value>,
    /// What the account was told in "Pagamento em duplicidade".
    returned: Vec<Value>,
}

impl Theirs {
    async fn read(provider: &Provider, who: &Visitor) -> Self {
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
            returned: provider.mails_to(&who.email).await,
        };
        seen.returned.retain(|mail| is_about(mail, "Pagamento em duplicidade"));
        for id in seen.customers.iter().map(|customer| text(customer, "id")) {
            let of = async |what: &str| provider.list(&format!("/v1/{what}customer={id}&limit=100")).await;
            seen.subscriptions.extend(of("subscriptions?status=all&").await);
            seen.invoices.extend(of("invoices?expand[]=data.payments&").await);
            seen.charges.extend(of("charges?").await);
            seen.sessions.extend(of("checkout/sessions?").await);
        }
        for charge in seen.charges.iter().filter(|charge| charge["amount_refunded"] != 0) {
            seen.refunds.extend(provider.list(&format!("/v1/refunds?charge={}", text(charge, "id"))).await);
        }
        for charge in seen.charges.iter().filter(|charge| charge["disputed"] == true) {
            seen.disputes.extend(provider.list(&format!("/v1/disputes?charge={}", text(charge, "id"))).await);
        }
        seen
    }

    /// What must never be so at the provider, whatever we say.
    fn contradictions(&self, found: &mut Vec<String>) {
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
        if let Some(live) = self.standing() {
            self.leftovers(live, found);
        }
    }

    /// Time that was paid for twice and kept.
    fn overlaps(&self, found: &mut Vec<String>) {
        let spans: Vec<_> =
            self.subscriptions.iter().filter_map(|sub| Some((sub, self.paid_span(sub)?))).collect();
        for (at, (one, span)) in spans.iter().enumerate() {
            for (other, other_span) in &spans[at + 1..] {
                // What another replaces ends by a job, a moment after it was paid.
                let ends = |(_, end): &(i64, i64)| end - TOLD_EARLIER;
                if span.0 < ends(other_span) && other_span.0 < ends(span) {
                    differ(found, "the same time was charged twice and kept", one, other);
                }
            }
        }
        let kept_none = self.subscriptions.iter().all(|sub| self.kept(sub).is_empty());
        if let Some(refund) = self.refunds.iter().find(|refund| refund["reason"] == "duplicate" && kept_none)
        {
            differ(found, "every payment was given back as a duplicate", refund, &self.charges);
        }
    }

    /// What a subscription that stands should have closed.
    fn leftovers(&self, live: &Value, found: &mut Vec<String>) {
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

    /// The subscription that is paid for now.
    fn standing(&self) -> Option<&Value> {
        self.subscriptions.iter().find(|sub| {
            sub["ended_at"].is_null()
                && !self.is_disputed(sub)
                && self.paid_span(sub).is_some_and(|(start, end)| start <= self.now && self.now < end)
        })
    }

    /// The subscription that an account is to be shown: the one that stands, else the last that was paid.
    fn spoken_for(&self) -> Option<&Value> {
        self.standing().or_else(|| self.subscriptions.iter().find(|sub| !self.kept(sub).is_empty()))
    }

    /// Whether a bank has still to decide whose the money of the last paid period is.
    fn is_disputed(&self, sub: &Value) -> bool {
        let kept = self.kept(sub);
        let Some(last) = kept.first().map(|invoice| period(invoice)) else { return false };
        let covering = kept.iter().filter(|invoice| period(invoice).1 > last.0);
        covering.filter_map(|invoice| self.charge_of(invoice)).any(|charge| self.dispute_of(charge) == "open")
    }

    /// `open`, `won`, `lost`, or nothing.
    fn dispute_of(&self, charge: &Value) -> &str {
        let dispute = self.disputes.iter().find(|dispute| dispute["charge"] == charge["id"]);
        match dispute.map_or("", |dispute| text(dispute, "status")) {
            "needs_response" | "under_review" => "open",
            decided => decided,
        }
    }

    fn charge_of(&self, invoice: &Value) -> Option<&Value> {
        self.charges.iter().find(|charge| pays(invoice, charge))
    }

    /// Paid invoices of a subscription whose money was not given back, newest first; also those that credit paid, and
    /// changes of plan that gave credit.
    fn kept(&self, sub: &Value) -> Vec<&Value> {
        let is_kept = |invoice: &&Value| {
            invoice["status"] == "paid"
                && charged_lines(invoice).any(|(_, amount)| amount > 0)
                && subscription_of(invoice) == text(sub, "id")
                && !self.was_given_back(invoice, sub)
        };
        self.invoices.iter().filter(is_kept).collect()
    }

    /// Whether any money or credit was ever paid for it, and it was not the second of two.
    fn was_paid(&self, sub: &Value) -> bool {
        let of_sub = |invoice: &&Value| subscription_of(invoice) == text(sub, "id");
        let mut paid = self.invoices.iter().filter(of_sub).filter(|invoice| invoice["status"] == "paid");
        paid.any(|invoice| !(self.is_as_second(invoice) && self.was_given_back(invoice, sub)))
    }

    fn lost_a_payment(&self, sub: &Value) -> bool {
        let of_sub = |invoice: &&Value| subscription_of(invoice) == text(sub, "id");
        let mut paid = self.invoices.iter().filter(of_sub).filter(|invoice| invoice["status"] == "paid");
        paid.any(|invoice| self.was_given_back(invoice, sub))
    }

    /// A card's money goes back at the provider; a boleto's outside of it, which its payer is told by mail.
    fn was_given_back(&self, invoice: &Value, sub: &Value) -> bool {
        let Some(charge) = self.charges.iter().find(|charge| pays(invoice, charge)) else { return false };
        let told = |mail: &Value| digits(text(mail, "subject")) == number(charge, "amount").to_string();
        match text(&charge["payment_method_details"], "type") {
            "boleto" => !sub["ended_at"].is_null() && self.returned.iter().any(told),
            _ => charge["refunded"] == true || self.dispute_of(charge) == "lost",
        }
    }

    /// From the start of the first kept period to the end of the newest one, or of the subscription.
    fn paid_span(&self, sub: &Value) -> Option<(i64, i64)> {
        let kept = self.kept(sub);
        let start = kept.iter().map(|invoice| period(invoice).0).min()?;
        let end = period(kept.first()?).1;
        Some((start, sub["ended_at"].as_i64().map_or(end, |ended| ended.min(end))))
    }

    fn compare_session(
        &self,
        session: &Value,
        ours: &GetCheckoutSessionResponse,
        who: &Visitor,
        found: &mut Vec<String>,
    ) {
        let sub = self.subscriptions.iter().find(|sub| sub["id"] == session["subscription"]);
        // Complete to the provider for ever, although nothing can come of it any more.
        let lapsed =
            session["payment_status"] == "unpaid" && sub.is_some_and(|sub| !sub["ended_at"].is_null());
        let returned = sub.and_then(|sub| {
            let invoice =
                self.given_back_as_second().find(|invoice| subscription_of(invoice) == sub["id"])?;
            let charge = self.charges.iter().find(|charge| pays(invoice, charge))?;
            let by_boleto = charge["payment_method_details"]["type"] == "boleto";
            Some(if by_boleto { "pix" } else { "card" })
        });
        if let Some(live) = self.standing().filter(|_| session["status"] == "open") {
            differ(found, "a checkout can still be paid beside a live subscription", live, session);
        }
        let metadata = &session["metadata"];
        let held = (
            if lapsed { "expired" } else { text(session, "status") },
            text(session, "payment_status"),
            number(session, "amount_total"),
            text(metadata, "plan"),
            interval(text(metadata, "interval")),
            who.email.as_str(),
            returned,
        );
        let told = (
            ours.status.as_str(),
            ours.payment_status.as_str(),
            ours.amount_total_centavos,
            ours.plan_id.as_str(),
            ours.interval(),
            ours.customer_email.as_str(),
            ours.refund_method.as_deref(),
        );
        if held != told {
            differ(found, &format!("the session differs: {held:?} and {told:?}"), session, ours);
        }
    }

    /// Payments that were given back as the second of two, rather than under the guarantee or by a bank.
    fn given_back_as_second(&self) -> impl Iterator<Item = &Value> {
        let paid = self.invoices.iter().filter(|invoice| invoice["status"] == "paid");
        paid.filter(move |invoice| {
            let subscription = self.subscriptions.iter().find(|sub| subscription_of(invoice) == sub["id"]);
            self.is_as_second(invoice) && subscription.is_some_and(|sub| self.was_given_back(invoice, sub))
        })
    }

    /// A boleto is given back by the provider for no reason at all: its payer's mail alone says why.
    fn is_as_second(&self, invoice: &Value) -> bool {
        let Some(charge) = self.charge_of(invoice) else { return false };
        let refund = self.refunds.iter().find(|refund| refund["charge"] == charge["id"]);
        self.dispute_of(charge) != "lost" && refund.is_none_or(|refund| refund["reason"] == "duplicate")
    }
}

/// Our side of one account, as its owner sees it.
struct Ours {
    standing: GetSubscriptionResponse,
    record: Value,
    /// Mails that confirm a payment.
    confirmed: Vec<Value>,
    /// Mails that tell of a change of plan.
    changed: Vec<Value>,
}

impl Ours {
    async fn read(provider: &Provider, who: &Visitor) -> Self {
        let request = who.authorized(GetSubscriptionRequest {});
        let standing = who.billing().await.get_subscription(request).await.expect("GetSubscription answers");
        let mails = provider.mails_to(&who.email).await;
        Self {
            standing: standing.into_inner(),
            record: who.record().await,
            confirmed: about(&mails, "Pagamento confirmado"),
            changed: about(&mails, "Seu plano mudou"),
        }
    }

    /// The record and GetSubscription are two views of one state.
    fn contradictions(&self, found: &mut Vec<String>) {
        let (record, standing) = (&self.record, &self.standing.subscription);
        let seen = standing.as_ref().map_or((None, None, None, None), |sub| {
            let (starts_at, ends_at) = (sub.starts_at.map(|at| at.seconds), sub.ends_at.map(|at| at.seconds));
            (Some(sub.plan_id.as_str()), sub.active, starts_at, ends_at)
        });
        let told = (
            record["subscription_plan"].as_str(),
            record["subscription_active"].as_bool(),
            record["subscription_start"].as_i64(),
            record["subscription_end"].as_i64(),
        );
        if seen != told {
            differ(found, "the record and GetSubscription differ", record, standing);
        }
    }
}

fn compare(theirs: &Theirs, ours: &Ours, found: &mut Vec<String>) {
    // A payment that went back later was told when it came; the second of two never was.
    let moved = |invoice: &&Value| {
        invoice["status"] == "paid" && charged_lines(invoice).any(|(_, amount)| amount > 0)
    };
    let second: Vec<_> = theirs.given_back_as_second().map(|invoice| &invoice["id"]).collect();
    let told = theirs.invoices.iter().filter(moved).filter(|invoice| !second.contains(&&invoice["id"]));
    let (changes, paid): (Vec<_>, Vec<_>) =
        told.partition(|invoice| invoice["billing_reason"] == "subscription_update");
    if ours.changed.len() != changes.len() {
        differ(found, "changes of plan and their mails differ in number", &changes, &ours.changed);
    }
    if ours.confirmed.len() != paid.len() {
        differ(found, "payments and their mails differ in number", &paid, &ours.confirmed);
    }
    if theirs.returned.len() != theirs.given_back_as_second().count() {
        differ(
            found,
            "payments given back and their mails differ in number",
            &theirs.refunds,
            &theirs.returned,
        );
    }
    let shown = &ours.standing.subscription;
    let active = shown.as_ref().and_then(|sub| sub.active);
    let Some(sub) = theirs.spoken_for() else {
        if active == Some(true) {
            differ(found, "access without a payment that was kept", &theirs.subscriptions, shown);
        }
        return;
    };
    let is_over = !sub["ended_at"].is_null();
    if theirs.standing().is_some() && active != Some(true) {
        differ(found, "paid at the provider, not active with us", sub, shown);
    } else if is_over && active == Some(true) {
        differ(found, "over at the provider, active with us", sub, shown);
    }
    // A later purchase is shown in the place of one that is over: it waits for its boleto, or was given back.
    let last = theirs.subscriptions.iter().find(|sub| theirs.was_paid(sub));
    let is_last = theirs.standing().is_some() || last.is_some_and(|last| last["id"] == sub["id"]);
    // What ended because its money went back shows what was bought last, also where that payment was not kept.
    let is_whole = !is_over || !theirs.lost_a_payment(sub);
    if let Some(shown) = shown.as_ref().filter(|shown| shown.active.is_some() && is_last && is_whole) {
        compare_subscription(theirs, sub, shown, found);
    }
}

fn compare_subscription(theirs: &Theirs, sub: &Value, shown: &Subscription, found: &mut Vec<String>) {
    let price = &sub["items"]["data"][0]["price"];
    let kept = theirs.kept(sub);
    // Also one that went back: what was last paid is paid by the same way.
    let mut of_sub = theirs.invoices.iter().filter(|invoice| subscription_of(invoice) == text(sub, "id"));
    let charge = of_sub.find_map(|invoice| theirs.charge_of(invoice));
    let method = charge.map_or("", |charge| text(&charge["payment_method_details"], "type"));
    let (start, end) = period(kept[0]);
    // A change of plan within a period charges the rest of it.
    let item = &sub["items"]["data"][0];
    let goes_on = number(item, "current_period_end") == end;
    let start = if goes_on { start.min(number(item, "current_period_start")) } else { start };
    // What ends before its period ends access then.
    let told_end = shown.ends_at.map(|at| at.seconds).unwrap_or_default();
    let end = match sub["ended_at"].as_i64() {
        Some(ended) if ((ended - TOLD_EARLIER).min(end)..=ended).contains(&told_end) => told_end,
        _ => end,
    };
    let held = (
        text(&price["metadata"], "plan"),
        interval(text(&price["metadata"], "interval")),
        number(price, "unit_amount"),
        (Some(start), Some(end)),
        sub["cancel_at_period_end"] == true,
        method,
    );
    let told = (
        shown.plan_id.as_str(),
        shown.interval(),
        shown.price_centavos,
        (shown.starts_at.map(|at| at.seconds), shown.ends_at.map(|at| at.seconds)),
        shown.cancel_at_period_end,
        shown.payment_method.as_str(),
    );
    if held != told {
        differ(found, &format!("the subscription differs: {held:?} and {told:?}"), sub, shown);
    }
}

fn interval(written: &str) -> PlanInterval {
    match written {
        "monthly" => PlanInterval::Monthly,
        "trimestral" => PlanInterval::Quarterly,
        "semestral" => PlanInterval::Semiannual,
        "anual" => PlanInterval::Annual,
        _ => PlanInterval::Unspecified,
    }
}

fn pays(invoice: &Value, charge: &Value) -> bool {
    let payments = invoice["payments"]["data"].as_array().into_iter().flatten();
    charge["status"] == "succeeded"
        && payments.map(|tie| &tie["payment"]["payment_intent"]).any(|id| *id == charge["payment_intent"])
}

fn subscription_of(invoice: &Value) -> &str {
    text(&invoice["parent"]["subscription_details"], "subscription")
}

/// The time that an invoice pays for: its charged line that ends last.
fn period(invoice: &Value) -> (i64, i64) {
    let charged = charged_lines(invoice).filter(|(_, amount)| *amount > 0);
    charged.map(|(period, _)| period).max_by_key(|(_, end)| *end).unwrap_or_default()
}

/// The lines of an invoice: the time of each, and what it comes to after its discounts.
fn charged_lines(invoice: &Value) -> impl Iterator<Item = ((i64, i64), i64)> {
    invoice["lines"]["data"].as_array().into_iter().flatten().map(|line| {
        let off = line["discount_amounts"].as_array().into_iter().flatten();
        let amount = number(line, "amount") - off.map(|off| number(off, "amount")).sum::<i64>();
        ((number(&line["period"], "start"), number(&line["period"], "end")), amount)
    })
}

fn about(mails: &[Value], subject: &str) -> Vec<Value> {
    mails.iter().filter(|mail| is_about(mail, subject)).cloned().collect()
}

fn is_about(mail: &Value, subject: &str) -> bool {
    text(mail, "subject").starts_with(subject)
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

fn text<'d>(doc: &'d Value, field: &str) -> &'d str {
    doc[field].as_str().unwrap_or_default()
}

fn number(doc: &Value, field: &str) -> i64 {
    doc[field].as_i64().unwrap_or_default()
}

fn differ(
    found: &mut Vec<String>,
    what: &str,
    theirs: &(impl std::fmt::Debug + ?Sized),
    ours: &(impl std::fmt::Debug + ?Sized),
) {
    found.push(format!("{what}:\n  {theirs:?}\n  {ours:?}"));
}

fn lines(found: &[String]) -> String {
    found.iter().fold(String::new(), |mut all, one| {
        let _ = writeln!(all, "- {one}");
        all
    })
}
