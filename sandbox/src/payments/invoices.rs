//! Invoices: what a period costs, and whether it is paid.

use serde_json::{Value, json};

use crate::ids;
use crate::payments::catalog::get;
use crate::payments::error::ApiError;
use crate::payments::listing::{list, list_loosely};
use crate::payments::{Call, Reply, amounts, events, renewals, subscriptions, vouchers};
use crate::store::{Tx, number, text};
use crate::timers::INVOICE_RETRIES;

/// Makes the draft for a subscription's current period; `discount` is a discount object and what it takes off.
pub async fn draft(tx: &mut Tx, subscription: &Value, reason: &str, discount: Option<(Value, i64)>) -> Reply {
    let id = ids::new("in");
    let is_free = subscription["status"] == "trialing"
        || (reason == "subscription_create" && subscription["trial_end"].is_i64());
    let (start, end) = subscriptions::period(subscription);
    let lines: Vec<Value> = subscription["items"]["data"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|item| {
            line(&id, subscription, item, if is_free { 0 } else { number(&item["price"], "unit_amount") })
        })
        .collect();
    let subtotal: i64 = lines.iter().map(|line| number(line, "amount")).sum();
    let off = discount.as_ref().map_or(0, |(_, off)| *off).min(subtotal);
    let total = subtotal - off;
    let (number, customer) = next_number(tx, text(subscription, "customer")).await?;
    let discounts: Vec<&Value> = discount.iter().map(|(doc, _)| &doc["id"]).collect();
    let doc = json!({
        "id": id, "object": "invoice", "account_country": "BR", "account_name": "Garimpo (ambiente de testes)",
        "amount_due": total, "amount_overpaid": 0, "amount_paid": 0, "amount_remaining": total,
        "amount_shipping": 0, "attempt_count": 0, "attempted": false, "auto_advance": true,
        "automatic_tax": {"enabled": false}, "billing_reason": reason,
        "collection_method": "charge_automatically", "created": tx.now.seconds(),
        "currency": subscription["currency"], "custom_fields": null, "customer": subscription["customer"],
        "customer_address": customer["address"], "customer_email": customer["email"],
        "customer_name": customer["name"], "customer_phone": customer["phone"], "customer_tax_exempt": "none",
        "customer_tax_ids": [], "default_payment_method": null, "default_source": null, "default_tax_rates": [],
        "description": null, "discounts": discounts, "due_date": null, "effective_at": null,
        "ending_balance": null, "footer": null, "hosted_invoice_url": null, "invoice_pdf": null,
        "last_finalization_error": null,
        "lines": {"object": "list", "has_more": false, "url": format!("/v1/invoices/{id}/lines"), "data": lines},
        "livemode": false, "metadata": {}, "next_payment_attempt": null, "number": number,
        "parent": {"quote_details": null, "type": "subscription_details", "subscription_details":
            {"metadata": subscription["metadata"], "subscription": subscription["id"]}},
        "payment_settings": subscription["payment_settings"], "period_end": end, "period_start": start,
        "starting_balance": 0, "status": "draft",
        "status_transitions": {"finalized_at": null, "marked_uncollectible_at": null, "paid_at": null,
            "voided_at": null},
        "subtotal": subtotal, "subtotal_excluding_tax": subtotal, "test_clock": null, "total": total,
        "total_discount_amounts": discount.iter().map(|(doc, _)| json!({"amount": off, "discount": doc["id"]}))
            .collect::<Vec<_>>(),
        "total_excluding_tax": total, "total_taxes": [], "webhooks_delivered_at": null,
        "_subscription": subscription["id"], "_page": ids::random(40),
    });
    tx.insert(&doc).await?;
    events::emit(tx, "invoice.created", &doc, None).await?;
    Ok(doc)
}

fn line(invoice: &str, subscription: &Value, item: &Value, unit_amount: i64) -> Value {
    let quantity = number(item, "quantity").max(1);
    let amount = unit_amount * quantity;
    let price = &item["price"];
    json!({
        "id": ids::new("il"), "object": "line_item", "amount": amount, "currency": price["currency"],
        "description": format!("{quantity} × {}", amounts::interval_in_words(&price["recurring"])),
        "discount_amounts": [], "discountable": true, "discounts": [], "invoice": invoice, "livemode": false,
        "metadata": subscription["metadata"],
        "parent": {"invoice_item_details": null, "type": "subscription_item_details",
            "subscription_item_details": {"invoice_item": null, "proration": false, "proration_details": null,
                "subscription": subscription["id"], "subscription_item": item["id"]}},
        "period": {"start": item["current_period_start"], "end": item["current_period_end"]},
        "pretax_credit_amounts": [],
        "pricing": {"type": "price_details", "price_details": {"price": price["id"], "product": price["product"]},
            "unit_amount_decimal": unit_amount.to_string()},
        "quantity": quantity, "subtotal": amount, "taxes": [],
    })
}

/// The customer's next invoice number, and the customer.
async fn next_number(tx: &mut Tx, customer: &str) -> Result<(String, Value), ApiError> {
    let mut doc = get(tx, "customer", customer).await?;
    let next = number(&doc, "next_invoice_sequence").max(1);
    doc["next_invoice_sequence"] = json!(next + 1);
    tx.update(&doc).await?;
    Ok((format!("{}-{next:04}", text(&doc, "invoice_prefix")), doc))
}

/// Closes a draft: from here on it can be paid.
pub async fn finalize(tx: &mut Tx, invoice: &mut Value) -> Result<(), ApiError> {
    let now = tx.now.seconds();
    invoice["status"] = json!("open");
    invoice["effective_at"] = json!(now);
    invoice["status_transitions"]["finalized_at"] = json!(now);
    let page = format!("{}/invoices/{}", tx.url, text(invoice, "_page"));
    invoice["invoice_pdf"] = json!(format!("{page}/pdf"));
    invoice["hosted_invoice_url"] = json!(page);
    invoice["ending_balance"] = json!(0);
    tx.update(invoice).await?;
    events::emit(tx, "invoice.finalized", invoice, None).await?;
    Ok(())
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
