//! Invoices: what a period costs, and whether it is paid.

use serde_json::{Value, json};

use crate::objects::payment_intent::PaymentIntent;
use crate::provider::billing::collection;
use crate::provider::billing::collection::{Attempt, Collected};
use crate::provider::billing::{invoice_payments, subscriptions};
use crate::provider::catalog::get;
use crate::provider::checkout::amounts;
use crate::provider::error::ApiError;
use crate::provider::params::Params;
use crate::provider::{Call, Reply, customers, events, listing};
use crate::state::store::{Tx, number, text};
use crate::state::timers::INVOICE_RETRIES;

/// Closes a draft: the customer's balance is settled with it, and from here on it can be paid.
/// Creates its default payment and returns its PaymentIntent, unless nothing is due.
pub async fn finalize(tx: &mut Tx, invoice: &mut Value) -> Result<Option<PaymentIntent>, ApiError> {
    finalize_with(tx, invoice, None).await
}

/// Like [`finalize`], with the PaymentIntent of attempts that a checkout session saw declined.
pub async fn finalize_with(
    tx: &mut Tx,
    invoice: &mut Value,
    attempted: Option<PaymentIntent>,
) -> Result<Option<PaymentIntent>, ApiError> {
    let now = tx.now.seconds();
    let customer = get(tx, "customer", text(invoice, "customer")).await?;
    let starting = number(&customer, "balance");
    let (due, ending) = amounts::settle(number(invoice, "total"), starting);
    invoice["starting_balance"] = json!(starting);
    invoice["ending_balance"] = json!(ending);
    invoice["amount_due"] = json!(due);
    invoice["amount_remaining"] = json!(due);
    invoice["status"] = json!("open");
    invoice["effective_at"] = json!(now);
    invoice["status_transitions"]["finalized_at"] = json!(now);
    let page = format!("{}/invoices/{}", tx.url, text(invoice, "_page"));
    invoice["invoice_pdf"] = json!(format!("{page}/pdf"));
    invoice["hosted_invoice_url"] = json!(page);
    tx.update(invoice).await?;
    events::emit(tx, "invoice.finalized", invoice, None).await?;
    customers::set_balance(tx, customer, ending).await?;
    if due == 0 {
        return Ok(None);
    }
    invoice_payments::create_default(tx, invoice, attempted).await.map(Some)
}

/// The money is there.
pub async fn mark_paid(tx: &mut Tx, invoice: &mut Value, attempted: bool) -> Result<(), ApiError> {
    invoice["status"] = json!("paid");
    invoice["auto_advance"] = json!(false);
    invoice["amount_paid"] = invoice["amount_due"].clone();
    invoice["amount_remaining"] = json!(0);
    invoice["attempted"] = json!(true);
    invoice["next_payment_attempt"] = Value::Null;
    if attempted {
        invoice["attempt_count"] = json!(number(invoice, "attempt_count") + 1);
    }
    invoice["status_transitions"]["paid_at"] = json!(tx.now.seconds());
    tx.update(invoice).await?;
    tx.timers_clear(text(invoice, "id")).await?;
    events::emit(tx, "invoice.paid", invoice, None).await?;
    events::emit(tx, "invoice.payment_succeeded", invoice, None).await?;
    Ok(())
}

/// Counts an attempt that did not pay. `retry_at` is the time of the next one. An attempt that was
/// scheduled and not executed sends no `invoice.payment_failed`.
pub async fn mark_attempted(
    tx: &mut Tx,
    invoice: &mut Value,
    retry_at: Option<crate::state::moment::Moment>,
    is_executed: bool,
) -> Result<(), ApiError> {
    let before = invoice.clone();
    invoice["attempted"] = json!(true);
    invoice["attempt_count"] = json!(number(invoice, "attempt_count") + 1);
    invoice["next_payment_attempt"] = json!(retry_at.map(crate::state::moment::Moment::seconds));
    tx.update(invoice).await?;
    match retry_at {
        Some(at) => tx.timer_set(text(invoice, "id"), INVOICE_RETRIES, at).await?,
        None => tx.timers_clear(text(invoice, "id")).await?,
    }
    events::emit(tx, "invoice.updated", invoice, Some(events::changed(&before, invoice))).await?;
    if is_executed {
        events::emit(tx, "invoice.payment_failed", invoice, None).await?;
    }
    Ok(())
}

/// Nobody owes it any more; its voucher cannot be paid.
pub async fn void(tx: &mut Tx, id: &str) -> Reply {
    void_with(tx, id, IntentOnVoid::Canceled).await
}

/// Voids an invoice whose voucher can still be paid at a bank.
pub async fn void_but_voucher(tx: &mut Tx, id: &str) -> Reply {
    void_with(tx, id, IntentOnVoid::Kept).await
}

/// What a void does to the PaymentIntents of the invoice.
#[derive(PartialEq, Eq)]
enum IntentOnVoid {
    Canceled,
    Kept,
}

async fn void_with(tx: &mut Tx, id: &str, intents: IntentOnVoid) -> Reply {
    let mut doc = get(tx, "invoice", id).await?;
    if !matches!(text(&doc, "status"), "open" | "uncollectible") {
        let message = "You can only pass in open or uncollectible invoices. This invoice isn't.";
        return Err(ApiError::state(Some("invoice_not_editable"), message));
    }
    doc["status"] = json!("void");
    doc["auto_advance"] = json!(false);
    doc["amount_remaining"] = json!(0);
    doc["next_payment_attempt"] = Value::Null;
    doc["status_transitions"]["voided_at"] = json!(tx.now.seconds());
    tx.update(&doc).await?;
    tx.timers_clear(id).await?;
    // The credit that it used is there again.
    let customer = get(tx, "customer", text(&doc, "customer")).await?;
    let used = number(&doc, "ending_balance") - number(&doc, "starting_balance");
    let balance = number(&customer, "balance") - used;
    customers::set_balance(tx, customer, balance).await?;
    let canceled = invoice_payments::close_open(tx, id).await?;
    if intents == IntentOnVoid::Canceled {
        invoice_payments::cancel_intents(tx, &canceled, "void_invoice").await?;
    }
    events::emit(tx, "invoice.voided", &doc, None).await?;
    let subscription = text(&doc, "_subscription").to_owned();
    // An incomplete subscription has only its first invoice to become one by.
    if tx.find(&subscription).await?.is_some_and(|sub| sub["status"] == "incomplete") {
        subscriptions::set_status(tx, &subscription, "incomplete_expired").await?;
    } else if tx.behavior.void_reactivates {
        subscriptions::follow_latest_invoice(tx, &subscription).await?;
    }
    Ok(doc)
}

/// `POST /v1/invoices/{id}`: whether it is collected automatically, and its metadata.
pub async fn update(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    params.only(&["auto_advance", "metadata"])?;
    let mut doc = get(tx, "invoice", id).await?;
    doc["metadata"] = params.metadata("metadata", Some(&doc["metadata"]));
    tx.update(&doc).await?;
    let Some(is_on) = params.boolean("auto_advance")? else { return Ok(doc) };
    if !matches!(text(&doc, "status"), "draft" | "open") {
        let message = "auto_advance can be changed on draft and open invoices only.";
        return Err(ApiError::state(Some("invoice_not_editable"), message));
    }
    collection::set_auto_advance(tx, doc, is_on).await
}

/// `POST /v1/invoices/{id}/pay`: one more attempt, with a method of the caller's choice.
///
/// # Errors
/// 402 when the attempt is declined, with `invoice_payment_intent_requires_action` when the bank
/// wants the holder's authentication. 400 when the invoice is paid or void.
pub async fn pay(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    params.only(&["payment_method", "off_session"])?;
    let mut invoice = get(tx, "invoice", id).await?;
    let method = match params.text("payment_method") {
        Some(method) => Some(customers::own_method(tx, text(&invoice, "customer"), method).await?),
        None => None,
    };
    match text(&invoice, "status") {
        "draft" => drop(finalize(tx, &mut invoice).await?),
        "open" | "uncollectible" => {}
        "paid" => return Err(ApiError::state(Some("invoice_already_paid"), "Invoice is already paid")),
        _ => return Err(ApiError::state(Some("invoice_not_editable"), "This invoice cannot be paid.")),
    }
    if number(&invoice, "amount_remaining") == 0 {
        mark_paid(tx, &mut invoice, false).await?;
        return get(tx, "invoice", id).await;
    }
    let off_session = params.boolean("off_session")?.unwrap_or(true);
    match collection::attempt(tx, invoice, &Attempt::Manual { method, off_session }).await? {
        Collected::Paid | Collected::Waiting => get(tx, "invoice", id).await,
        Collected::Declined(mut why) => {
            if why.code() == "authentication_required" {
                why.error["code"] = json!("invoice_payment_intent_requires_action");
            }
            Err(why)
        }
    }
}

/// `GET /v1/invoices`.
pub async fn all(tx: &mut Tx, call: &Call<'_>) -> Reply {
    call.params.only(&[
        "limit",
        "starting_after",
        "ending_before",
        "created",
        "customer",
        "subscription",
        "status",
        "collection_method",
        "due_date",
    ])?;
    let more = match call.params.text("subscription") {
        Some(id) => vec![("_subscription", vec![id.to_owned()])],
        None => vec![],
    };
    let clocks = listing::without_test_clocks(call, &["customer", "subscription"]);
    listing::list_where(tx, call, "invoice", &["customer", "status"], &more, &clocks).await
}
