//! The rule of counted payments exists in Rust and in SQL: both give the same result.

use garimpo_domain::checkout::PaymentMethod;
use garimpo_domain::provider_status::SubscriptionStatus;
use garimpo_domain::subscription::Renewal;
use garimpo_domain::{Centavos, Interval, PlanId, SubscriptionId, Timestamp, Uid};

use super::*;
use crate::store::billing::subscriptions::{self, Retired, Subscription, is_counted_as_paid, is_duplicate};
use crate::store::engine::row::text_or_empty;
use crate::store::engine::transaction;

#[tokio::test(flavor = "multi_thread")]
async fn the_row_and_the_sql_condition_count_the_same_payments() {
    let database = Database::new().await;
    let store = database.open().await;
    let rows: Vec<_> = [None, Some(Retired::Replaced), Some(Retired::Duplicate)]
        .into_iter()
        .flat_map(|retired| [None, Some(1)].map(|paid| row(retired, paid)))
        .collect();
    transaction!(store, (rows = rows.clone()), |tx| subscriptions::project(tx, &Uid::new("usr_ana"), rows)
        .await)
    .map_err(|error: StoreError| error)
    .expect("the rows are stored");

    let counted =
        found(&store, concat!("SELECT s.id FROM subscriptions s WHERE ", is_counted_as_paid!())).await;
    let doubled = found(&store, concat!("SELECT s.id FROM subscriptions s WHERE ", is_duplicate!())).await;

    assert_eq!(counted, those(&rows, Subscription::is_counted_as_paid));
    assert_eq!(counted, ["sub__1", "sub_replaced_1"]);
    assert_eq!(doubled, those(&rows, Subscription::is_duplicate));
    assert_eq!(doubled, ["sub_duplicate_0", "sub_duplicate_1"]);
}

async fn found(store: &Store, statement: &'static str) -> Vec<String> {
    let mut found: Vec<String> = ro!(store, values built statement).expect("it is read");
    found.sort();
    found
}

fn those(rows: &[Subscription], rule: fn(&Subscription) -> bool) -> Vec<String> {
    let mut those: Vec<_> = rows.iter().filter(|row| rule(row)).map(|row| row.id.to_string()).collect();
    those.sort();
    those
}

fn row(retired: Option<Retired>, first_paid_at: Option<i64>) -> Subscription {
    Subscription {
        id: SubscriptionId::new(format!(
            "sub_{}_{}",
            text_or_empty(retired),
            first_paid_at.unwrap_or_default()
        )),
        uid: Uid::new("usr_ana"),
        plan_id: PlanId::TOP_AFILIADO,
        plan_interval: Interval::Monthly,
        coupon_id: None,
        promo_code: None,
        price_centavos: Centavos::new(9_790),
        payment_method: Some(PaymentMethod::Card),
        provider_status: SubscriptionStatus::Active,
        live: false,
        retired,
        first_paid_at: first_paid_at.map(Timestamp::from_micros),
        paid_from: first_paid_at.map(Timestamp::from_micros),
        paid_until: None,
        first_charge_at: None,
        renewal: Renewal::Open,
        cancel_at_period_end: false,
        ended_at: None,
        created_at: Timestamp::from_micros(1),
        disputed_at: None,
        returned_at: None,
    }
}
