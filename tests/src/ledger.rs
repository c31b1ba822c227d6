//! Compares the provider's ledger of one account with ours, object by object and from outside.
//!
//! After any fault both must agree: nothing is charged twice, every payment gives access or is
//! refunded, there is at most one live subscription, every payment is mailed once, and no object is
//! left open that should be closed.

pub mod balance;
mod documents;
mod ours;
mod theirs;

use std::fmt::Write;
use std::time::Instant;

use garimpo_proto::billing::v1::Subscription;
use serde_json::Value;
use tonic::Code;

use crate::provider::Provider;
use crate::visitor::Visitor;

use documents::{charged_lines, interval, number, period, subscription_of, text};
use ours::Ours;
use theirs::{MAX_CANCEL_DELAY, Theirs};

/// Waits until both sides agree about the account of `who`, or fails with every difference.
///
/// Sessions are read last and once, because reading them repairs them.
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
            "the ledgers of {} never agreed:\n{}",
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
    assert!(found.is_empty(), "the ledgers of {} do not agree:\n{}", who.email, lines(&found));
}

/// Every difference in subscriptions and payments. Reading them repairs nothing.
pub async fn differences(provider: &Provider, who: &Visitor) -> Vec<String> {
    let ours = Ours::read(provider, who).await;
    let theirs = Theirs::read(provider, who).await;
    let mut found = Vec::new();
    theirs.contradictions(&mut found);
    ours.contradictions(&mut found);
    compare(&theirs, &ours, &mut found);
    found
}

/// Every difference between the provider's sessions and ours. Reading an open session makes the
/// product sync it.
pub async fn session_differences(provider: &Provider, who: &Visitor) -> Vec<String> {
    let mut found = Vec::new();
    let theirs = Theirs::read(provider, who).await;
    for session in &theirs.sessions {
        match who.checkout(text(session, "id")).await {
            Ok(ours) => theirs.compare_session(session, &ours, who, &mut found),
            // A session without a local row is unknown to the product. Without its secret it cannot
            // be paid.
            Err(status) if status.code() == Code::NotFound && session["status"] != "complete" => {}
            Err(status) => differ(&mut found, "a session is unknown to us", session, &status),
        }
    }
    found
}

fn compare(theirs: &Theirs, ours: &Ours, found: &mut Vec<String>) {
    // A payment that was refunded later had its mail; a duplicate that was refunded never had one.
    let moved = |invoice: &&Value| {
        invoice["status"] == "paid" && charged_lines(invoice).any(|(_, amount)| amount > 0)
    };
    let second: Vec<_> = theirs.given_back_as_second().map(|invoice| &invoice["id"]).collect();
    let mailed = theirs.invoices.iter().filter(moved).filter(|invoice| !second.contains(&&invoice["id"]));
    let (changes, paid): (Vec<_>, Vec<_>) =
        mailed.partition(|invoice| invoice["billing_reason"] == "subscription_update");
    if ours.changed.len() != changes.len() {
        differ(found, "changes of plan and their mails differ in number", &changes, &ours.changed);
    }
    if ours.confirmed.len() != paid.len() {
        differ(found, "payments and their mails differ in number", &paid, &ours.confirmed);
    }
    if theirs.returned.len() != theirs.given_back_as_second().count() {
        differ(
            found,
            "the numbers of refunded payments and of their mails differ",
            &theirs.refunds,
            &theirs.returned,
        );
    }
    let shown = &ours.subscription_response.subscription;
    let active = shown.as_ref().and_then(|sub| sub.active);
    let Some(sub) = theirs.shown_subscription() else {
        if active == Some(true) {
            differ(found, "access without a payment that was kept", &theirs.subscriptions, shown);
        }
        return;
    };
    let is_over = !sub["ended_at"].is_null();
    if theirs.paid_subscription().is_some() && active != Some(true) {
        differ(found, "paid at the provider, not active with us", sub, shown);
    } else if is_over && active == Some(true) {
        differ(found, "over at the provider, active with us", sub, shown);
    }
    // A later purchase replaces one that has ended: it waits for its boleto or was refunded.
    let last = theirs.subscriptions.iter().find(|sub| theirs.was_paid(sub));
    let is_last = theirs.paid_subscription().is_some() || last.is_some_and(|last| last["id"] == sub["id"]);
    // A subscription that ended by a refund shows the last purchase, even if that payment was not
    // kept.
    let is_whole = !is_over || !theirs.lost_a_payment(sub);
    if let Some(shown) = shown.as_ref().filter(|shown| shown.active.is_some() && is_last && is_whole) {
        compare_subscription(theirs, sub, shown, ours.subscription_response.refund.is_some(), found);
    }
}

fn compare_subscription(
    theirs: &Theirs,
    sub: &Value,
    shown: &Subscription,
    is_refunded: bool,
    found: &mut Vec<String>,
) {
    let price = &sub["items"]["data"][0]["price"];
    let kept = theirs.kept(sub);
    let of_customer = &sub["customer"]["invoice_settings"]["default_payment_method"];
    let next = [&sub["default_payment_method"], of_customer].into_iter().find_map(|by| by["type"].as_str());
    // An ended subscription has no next invoice, so its last payment has the method, even if it was
    // refunded.
    let mut of_sub = theirs.invoices.iter().filter(|invoice| subscription_of(invoice) == text(sub, "id"));
    let charge = of_sub.find_map(|invoice| theirs.charge_of(invoice));
    let last = charge.map(|charge| text(&charge["payment_method_details"], "type"));
    let method = next.filter(|_| sub["ended_at"].is_null()).or(last).unwrap_or(&shown.payment_method);
    let end = period(kept[0]).1;
    // A plan change within a period charges its rest, so the period began with the earlier payment.
    let same = kept.iter().map(|invoice| period(invoice)).filter(|period| period.1 == end);
    let start = same.map(|(start, _)| start).min().unwrap_or_default();
    let item = &sub["items"]["data"][0];
    let goes_on = number(item, "current_period_end") == end;
    let start = if goes_on { start.min(number(item, "current_period_start")) } else { start };
    // Free days that were given after the last payment move the end of its period.
    let is_given = sub["trial_start"].as_i64().is_some_and(|began| number(kept[0], "created") <= began);
    let end = if is_given { number(sub, "trial_end") } else { end };
    // A subscription that ends before its period ends access then. A refund ends access at once:
    // the clock may move far before a job cancels the subscription at the provider.
    let told_end = shown.ends_at.map(|at| at.seconds).unwrap_or_default();
    let earliest = |ended: i64| if is_refunded { start } else { (ended - MAX_CANCEL_DELAY).min(end) };
    let end = match sub["ended_at"].as_i64() {
        Some(ended) if (earliest(ended)..=ended).contains(&told_end) => told_end,
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
    let own = (
        shown.plan_id.as_str(),
        shown.interval(),
        shown.price_centavos,
        (shown.starts_at.map(|at| at.seconds), shown.ends_at.map(|at| at.seconds)),
        shown.cancel_at_period_end,
        shown.payment_method.as_str(),
    );
    if held != own {
        let ended = &sub["ended_at"];
        differ(found, &format!("the subscription differs: {held:?}, ended {ended}, and {own:?}"), sub, shown);
    }
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
