//! How an invoice is written: its lines, what they come to, and what of it is due after the customer's balance.

use serde_json::{Value, json};

use crate::provider::billing::proration::Share;
use crate::provider::billing::subscriptions;
use crate::provider::catalog::get;
use crate::provider::checkout::amounts;
use crate::provider::error::ApiError;
use crate::provider::{Reply, events};
use crate::state::ids;
use crate::state::moment::Moment;
use crate::state::store::{Tx, number, text};

/// Makes the draft for a subscription's current period, with what earlier changes left to it; `discount` is a discount
/// object and what it takes off.
pub async fn draft(tx: &mut Tx, subscription: &Value, reason: &str, discount: Option<(Value, i64)>) -> Reply {
    let is_free = subscription["status"] == "trialing"
        || (reason == "subscription_create" && subscription["trial_end"].is_i64());
    let items = subscription["items"]["data"].as_array().into_iter().flatten();
    let mut lines: Vec<Value> = subscription["_pending"].as_array().cloned().unwrap_or_default();
    lines.extend(items.map(|item| period_line(subscription, item, is_free)));
    store(tx, subscription, reason, lines, discount).await
}

/// Makes the draft of some lines.
pub async fn store(
    tx: &mut Tx,
    subscription: &Value,
    reason: &str,
    lines: Vec<Value>,
    discount: Option<(Value, i64)>,
) -> Reply {
    let customer = take_number(tx, text(subscription, "customer")).await?;
    let mut doc = written(tx.now.seconds(), subscription, &customer, lines, discount);
    doc["billing_reason"] = json!(reason);
    doc["number"] = json!(format!(
        "{}-{:04}",
        text(&customer, "invoice_prefix"),
        number(&customer, "next_invoice_sequence") - 1
    ));
    tx.insert(&doc).await?;
    events::emit(tx, "invoice.created", &doc, None).await?;
    Ok(doc)
}

/// The invoice of some lines, not stored.
pub fn written(
    now: i64,
    subscription: &Value,
    customer: &Value,
    mut lines: Vec<Value>,
    discount: Option<(Value, i64)>,
) -> Value {
    let id = ids::new("in");
    let off = discount.as_ref().map_or(0, |(doc, off)| take_off(&mut lines, doc, *off));
    for line in &mut lines {
        line["invoice"] = json!(id);
    }
    let subtotal: i64 = lines.iter().map(|line| number(line, "amount")).sum();
    let total = subtotal - off;
    let balance = number(customer, "balance");
    let (due, _) = amounts::settle(total, balance);
    let discounts: Vec<&Value> = discount.iter().map(|(doc, _)| &doc["id"]).collect();
    let (start, end) = subscriptions::period(subscription);
    json!({
        "id": id, "object": "invoice", "account_country": "BR", "account_name": "Garimpo (ambiente de testes)",
        "amount_due": due, "amount_overpaid": 0, "amount_paid": 0, "amount_remaining": due,
        "amount_shipping": 0, "attempt_count": 0, "attempted": false, "auto_advance": true,
        "automatic_tax": {"enabled": false}, "billing_reason": "upcoming",
        "collection_method": "charge_automatically", "created": now,
        "currency": subscription["currency"], "custom_fields": null, "customer": subscription["customer"],
        "customer_address": customer["address"], "customer_email": customer["email"],
        "customer_name": customer["name"], "customer_phone": customer["phone"], "customer_tax_exempt": "none",
        "customer_tax_ids": [], "default_payment_method": null, "default_source": null, "default_tax_rates": [],
        "description": null, "discounts": discounts, "due_date": null, "effective_at": null,
        "ending_balance": null, "footer": null, "hosted_invoice_url": null, "invoice_pdf": null,
        "last_finalization_error": null,
        "lines": {"object": "list", "has_more": false, "url": format!("/v1/invoices/{id}/lines"), "data": lines},
        "livemode": false, "metadata": {}, "next_payment_attempt": null, "number": null,
        "parent": {"quote_details": null, "type": "subscription_details", "subscription_details":
            {"metadata": subscription["metadata"], "subscription": subscription["id"]}},
        "payment_settings": {"payment_method_options": null,
            "payment_method_types": subscription["payment_settings"]["payment_method_types"]},
        "period_end": end, "period_start": start,
        "starting_balance": balance, "status": "draft",
        "status_transitions": {"finalized_at": null, "marked_uncollectible_at": null, "paid_at": null,
            "voided_at": null},
        "subtotal": subtotal, "subtotal_excluding_tax": subtotal, "test_clock": subscription["test_clock"], "total": total,
        "total_discount_amounts": discount.iter().map(|(doc, _)| json!({"amount": off, "discount": doc["id"]}))
            .collect::<Vec<_>>(),
        "total_excluding_tax": total, "total_taxes": [], "webhooks_delivered_at": null,
        "_subscription": subscription["id"], "_page": ids::random(40),
    })
}

/// Takes a discount off whole periods, line by line; answers what it came to.
fn take_off(lines: &mut [Value], discount: &Value, off: i64) -> i64 {
    let mut left = off;
    let whole = |line: &&mut Value| line["parent"]["type"] == "subscription_item_details";
    for line in lines.iter_mut().filter(whole) {
        let taken = left.min(number(line, "amount").max(0));
        left -= taken;
        line["discounts"] = json!([discount["id"]]);
        line["discount_amounts"] = json!([{"amount": taken, "discount": discount["id"]}]);
    }
    off - left
}

/// What a line asks for, its discounts taken off.
pub fn net(line: &Value) -> i64 {
    let discounts = line["discount_amounts"].as_array().into_iter().flatten();
    number(line, "amount") - discounts.map(|off| number(off, "amount")).sum::<i64>()
}

/// The line of an item's whole current period.
pub fn period_line(subscription: &Value, item: &Value, is_free: bool) -> Value {
    let (quantity, price) = (number(item, "quantity").max(1), &item["price"]);
    let amount = if is_free { 0 } else { number(price, "unit_amount") * quantity };
    let mut line = line(subscription, item, price, amount);
    line["period"] = json!({"start": item["current_period_start"], "end": item["current_period_end"]});
    line["description"] = json!(format!("{quantity} × {}", amounts::interval_in_words(&price["recurring"])));
    line["parent"] = json!({"invoice_item_details": null, "type": "subscription_item_details",
        "subscription_item_details": {"invoice_item": null, "proration": false, "proration_details": null,
            "subscription": subscription["id"], "subscription_item": item["id"]}});
    line
}

/// The line of a part of a period, under one of the two prices of a change.
pub fn part_line(subscription: &Value, item: &Value, price: &Value, share: &Share) -> Value {
    let mut line = line(subscription, item, price, share.amount);
    let (start, end) = share.period;
    line["period"] = json!({"start": start, "end": end});
    let what = if share.is_new { "Tempo restante" } else { "Tempo não usado" };
    line["description"] = json!(format!("{what} desde {}", Moment::from_seconds(start).date_br()));
    line["discountable"] = json!(false);
    line["parent"] = json!({"subscription_item_details": null, "type": "invoice_item_details",
        "invoice_item_details": {"invoice_item": ids::new("ii"), "proration": true,
            "proration_details": {"credited_items": null}, "subscription": subscription["id"]}});
    line
}

fn line(subscription: &Value, item: &Value, price: &Value, amount: i64) -> Value {
    let quantity = number(item, "quantity").max(1);
    json!({
        "id": ids::new("il"), "object": "line_item", "amount": amount, "currency": price["currency"],
        "discount_amounts": [], "discountable": true, "discounts": [], "livemode": false,
        "metadata": subscription["metadata"], "pretax_credit_amounts": [],
        "pricing": {"type": "price_details", "price_details": {"price": price["id"], "product": price["product"]},
            "unit_amount_decimal": number(price, "unit_amount").to_string()},
        "quantity": quantity, "subtotal": amount, "taxes": [],
    })
}

/// Takes the customer's next invoice number; answers the customer.
async fn take_number(tx: &mut Tx, customer: &str) -> Result<Value, ApiError> {
    let mut doc = get(tx, "customer", customer).await?;
    doc["next_invoice_sequence"] = json!(number(&doc, "next_invoice_sequence").max(1) + 1);
    tx.update(&doc).await?;
    Ok(doc)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::billing::proration::tests::catalog;
    use crate::provider::billing::proration::{Change, Debit, shares};

    const DAY: i64 = 86_400;

    /// Every price of the catalogue to every other, at some days of the period, after a first payment with a coupon,
    /// with credit, without, and with a debt.
    #[test]
    fn linhas_somam_o_total_e_o_saldo_fecha_em_toda_troca_do_catalogo() {
        let prices = catalog();
        for (old, old_days) in &prices {
            for (new, new_days) in &prices {
                for (nth, day) in [0, 1, old_days / 2, old_days - 1].into_iter().enumerate() {
                    let at = day * DAY + 12_345;
                    let balance = [0, -7_777, 49, -1_000_000][nth];
                    let invoice = changed((*old, *old_days), (*new, *new_days), at, balance);
                    let lines = invoice["lines"]["data"].as_array().into_iter().flatten();
                    let (total, due) = (number(&invoice, "total"), number(&invoice, "amount_due"));
                    assert_eq!(lines.map(net).sum::<i64>(), total, "{old} {new} {day}");
                    assert_eq!(amounts::settle(total, balance), (due, total + balance - due));
                    assert!(due >= 0 && (total + balance - due <= 49), "{invoice}");
                }
            }
        }
    }

    fn changed(old: (i64, i64), new: (i64, i64), at: i64, balance: i64) -> Value {
        let price = |(centavos, days): (i64, i64)| {
            json!({"id": format!("price_{centavos}_{days}"), "currency": "brl", "unit_amount": centavos,
                "recurring": {"interval": "day", "interval_count": days}})
        };
        let whole = old.1 * DAY;
        let restart = (old.1 != new.1).then_some((at, at + new.1 * DAY));
        let period = restart.unwrap_or((0, whole));
        let item = |(centavos, days)| {
            json!({"id": "si_1", "quantity": 1, "price": price((centavos, days)),
                "current_period_start": period.0, "current_period_end": period.1})
        };
        let subscription = json!({"id": "sub_1", "items": {"data": [item(new)]}, "metadata": {}});
        // 15% off the first payment, as the anniversary's coupon takes.
        let paid = old.0 - (old.0 * 15 + 50) / 100;
        let debited = Some(Debit { amount: paid, start: 0, end: whole });
        let shares = shares(&Change { debited, price: new.0, period: (0, whole), at, restart });
        let line = |share: &Share| {
            let own = if share.is_new { new } else { old };
            if share.is_part {
                part_line(&subscription, &item(own), &price(own), share)
            } else {
                period_line(&subscription, &item(own), false)
            }
        };
        let lines = shares.iter().map(line).collect();
        written(at, &subscription, &json!({"balance": balance}), lines, None)
    }
}
