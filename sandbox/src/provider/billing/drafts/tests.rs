use serde_json::json;

use super::*;
use crate::objects::{Invoice, plan_of};
use crate::provider::billing::proration::tests::catalog;
use crate::provider::billing::proration::{Change, Debit, shares};

const DAY: i64 = 86_400;

/// Every price of the catalogue to every other, at some days of the period, after a first payment
/// with a coupon, with credit, without, and with a debt.
#[test]
fn the_lines_add_up_and_the_balance_is_exact_in_each_plan_change_of_the_catalogue() {
    let prices = catalog();
    for (old, old_days) in &prices {
        for (new, new_days) in &prices {
            for (nth, day) in [0, 1, old_days / 2, old_days - 1].into_iter().enumerate() {
                let at = day * DAY + 12_345;
                let balance = [0, -7_777, 49, -1_000_000][nth];
                let invoice = changed((*old, *old_days), (*new, *new_days), at, balance);
                let (total, due) = (invoice.total, invoice.amount_due);
                let sum: i64 = invoice.lines.data.iter().map(InvoiceLine::net).sum();
                assert_eq!(sum, total, "{old} {new} {day}");
                assert_eq!(amounts::settle(total, balance), (due, total + balance - due));
                assert!(due >= 0 && (total + balance - due <= 49), "{invoice:?}");
            }
        }
    }
}

fn price((centavos, days): (i64, i64)) -> Value {
    json!({"id": format!("price_{centavos}_{days}"), "currency": "brl", "unit_amount": centavos,
        "recurring": {"interval": "day", "interval_count": days}})
}

fn item(price: Value, (start, end): (i64, i64)) -> SubscriptionItem {
    SubscriptionItem {
        id: "si_1".into(),
        current_period_end: end,
        current_period_start: start,
        plan: plan_of(&price),
        price,
        quantity: 1,
        ..template("subscription_item", json!({}))
    }
}

fn subscription(item: SubscriptionItem) -> Subscription {
    let given = json!({"id": "sub_1", "customer": "cus_1", "items": {"data": [item]}, "status": "active"});
    template("subscription", given)
}

fn changed(old: (i64, i64), new: (i64, i64), at: i64, balance: i64) -> Invoice {
    let whole = old.1 * DAY;
    let restart = (old.1 != new.1).then_some((at, at + new.1 * DAY));
    let period = restart.unwrap_or((0, whole));
    let subscription = subscription(item(price(new), period));
    // 15% off the first payment, as by the coupon `aniversario15`.
    let paid = old.0 - (old.0 * 15 + 50) / 100;
    let debited = Some(Debit { amount: paid, start: 0, end: whole });
    let shares = shares(&Change { debited, price: new.0, period: (0, whole), at, restart });
    let line = |share: &Share| {
        let own = if share.is_new { new } else { old };
        let item = item(price(own), period);
        if share.is_part {
            part_line(&subscription, &item, &price(own), share)
        } else {
            period_line(&subscription, &item, false)
        }
    };
    let lines = shares.iter().map(line).collect();
    compose(at, &subscription, &json!({"balance": balance}), lines, None)
}
