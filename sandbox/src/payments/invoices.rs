//! Invoices: what a period costs, and whether it is paid.

use serde_json::{Value, json};

use crate::ids;
use crate::payments::catalog::get;
use crate::payments::error::ApiError;
use crate::payments::listing::{list, list_loosely};
use crate::payments::{Call, Reply, amounts, customers, events, renewals, subscriptions, vouchers};
use crate::store::{Tx, number, text};
use crate::timers::INVOICE_RETRIES;

/// Closes a draft: the customer's balance is settled with it, and from here on it can be paid.
pub async fn finalize(tx: &mut Tx, invoice: &mut Value) -> Result<(), ApiError> {
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
    customers::set_balance(tx, customer, ending).await
}

/// The money is there.
pub async fn mark_paid(tx: &mut Tx, invoice: &mut Value, attempted: bool) -> Result<(), ApiError> {
    invoice["status"] = json!("paid");
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

/// An attempt failed; `retry_at` is when the next one comes.
pub async fn mark_failed(
    tx: &mut Tx,
    invoice: &mut Value,
    retry_at: Option<crate::moment::Moment>,
) -> Result<(), ApiError> {
    invoice["attempted"] = json!(true);
    invoice["attempt_count"] = json!(number(invoice, "attempt_count") + 1);
    invoice["next_payment_attempt"] = json!(retry_at.map(crate::moment::Moment::seconds));
    tx.update(invoice).await?;
    if let Some(at) = retry_at {
        tx.timer_set(text(invoice, "id"), INVOICE_RETRIES, at).await?;
    }
    events::emit(tx, "invoice.payment_failed", invoice, None).await?;
    Ok(())
}

/// Nobody owes it any more; its voucher cannot be paid.
pub async fn void(tx: &mut Tx, id: &str) -> Reply {
    let mut doc = get(tx, "invoice", id).await?;
    if !matches!(text(&doc, "status"), "open" | "uncollectible") {
        let message = "You can only pass in open or uncollectible invoices. This invoice isn't.";
        return Err(ApiError::state(Some("invoice_not_editable"), message));
    }
    doc["status"] = json!("void");
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
    for mut payment in tx.find_by("invoice_payment", "invoice", id).await? {
        let intent = text(&payment["payment"], "payment_intent").to_owned();
        if payment["status"] == "open" {
            payment["status"] = json!("canceled");
            payment["status_transitions"]["canceled_at"] = json!(tx.now.seconds());
            tx.update(&payment).await?;
            vouchers::cancel(tx, &intent, "void_invoice").await?;
        }
    }
    events::emit(tx, "invoice.voided", &doc, None).await?;
    let subscription = text(&doc, "_subscription").to_owned();
    // An incomplete subscription has only its first invoice to become one by.
    if tx.find(&subscription).await?.is_some_and(|sub| sub["status"] == "incomplete") {
        subscriptions::set_status(tx, &subscription, "incomplete_expired").await?;
    }
    Ok(doc)
}

/// `POST /v1/invoices/{id}/pay`.
pub async fn pay(tx: &mut Tx, id: &str) -> Reply {
    let doc = get(tx, "invoice", id).await?;
    match text(&doc, "status") {
        "open" => renewals::attempt(tx, doc).await?,
        "paid" => return Err(ApiError::state(Some("invoice_already_paid"), "Invoice is already paid")),
        _ => return Err(ApiError::state(None, "This invoice cannot be paid.")),
    }
    let doc = get(tx, "invoice", id).await?;
    if doc["status"] == "open" && doc["next_payment_attempt"].is_i64() {
        return Err(ApiError::declined("card_declined", Some("generic_decline"), "Your card was declined."));
    }
    Ok(doc)
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
    list_loosely(tx, call, "invoice", &["customer", "status"], &more).await
}

/// `GET /v1/invoice_payments`.
pub async fn payments(tx: &mut Tx, call: &Call<'_>) -> Reply {
    let by_intent = call.params.text("payment.payment_intent").map(str::to_owned);
    let more = by_intent.map_or_else(Vec::new, |id| vec![("payment.payment_intent", vec![id])]);
    if call.params.at("payment").is_some() {
        return list_loosely(tx, call, "invoice_payment", &["invoice", "status"], &more).await;
    }
    list(tx, call, "invoice_payment", &["invoice", "status"], &more).await
}

/// The tie between an invoice and the payment intent that is to pay it.
pub async fn tie(tx: &mut Tx, invoice: &Value, intent: &str, paid: bool) -> Result<(), ApiError> {
    let now = tx.now.seconds();
    let amount = &invoice["amount_due"];
    let doc = json!({
        "id": ids::new("inpay"), "object": "invoice_payment",
        "amount_paid": if paid { amount.clone() } else { Value::Null }, "amount_requested": amount,
        "created": now, "currency": invoice["currency"], "invoice": invoice["id"], "is_default": true,
        "livemode": false, "payment": {"type": "payment_intent", "payment_intent": intent},
        "status": if paid { "paid" } else { "open" },
        "status_transitions": {"canceled_at": null, "paid_at": paid.then_some(now)},
    });
    tx.insert(&doc).await?;
    if paid {
        events::emit(tx, "invoice_payment.paid", &doc, None).await?;
    }
    Ok(())
}

/// The tie's intent has paid, or never will.
pub async fn untie(tx: &mut Tx, intent: &str, paid: bool) -> Result<(), ApiError> {
    for mut doc in tx.find_by("invoice_payment", "payment.payment_intent", intent).await? {
        let now = tx.now.seconds();
        doc["status"] = json!(if paid { "paid" } else { "canceled" });
        doc["status_transitions"][if paid { "paid_at" } else { "canceled_at" }] = json!(now);
        if paid {
            doc["amount_paid"] = doc["amount_requested"].clone();
        }
        tx.update(&doc).await?;
        if paid {
            events::emit(tx, "invoice_payment.paid", &doc, None).await?;
        }
    }
    Ok(())
}
