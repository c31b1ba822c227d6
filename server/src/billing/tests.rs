//! Billing over the real sandbox, on both databases.

mod after_end;
mod below_minimum_amount;
mod boleto_purchase;
mod cancellation;
mod card_purchase;
mod checkout;
mod checkout_reads;
mod coupons;
mod credit_of_reversed_payment;
mod dunning_settings;
mod duplicate_subscription;
mod event_order;
mod faults;
mod invoice_list;
mod missing_at_provider;
mod new_card;
mod once_per_person;
mod plan_change;
mod provider_loss;
mod race;
mod reconciliation;
mod refund;
mod reminders;
mod reversals;
mod rights_revision;
mod trial_purchase;
mod webhook_events;
mod without_metadata;

use serde_json::Value;

use crate::app::Settings;
use crate::billing::TrialPurchase;
use crate::doctor::Checked;
use crate::operator::tests::operator;
use crate::store::billing::customers;
use crate::store::jobs::JobState;
use crate::store::operator::invariants::Invariant;
use crate::store::operator::job_queries;
use crate::tests::database::Database;
use crate::tests::server::SignedInUser;
use crate::tests::world::{ANA, World};

const VISA: &str = "4242424242424242";

/// A world in which a purchase in the trial is charged at the trial's end.
async fn charging_at_trial_end(database: Database) -> World {
    let at_its_end = |settings: &mut Settings| settings.billing.trial_purchase = TrialPurchase::AtTrialEnd;
    World::start_with(database, at_its_end).await
}

/// Id of an account's customer at the provider.
async fn customer_of(world: &World, who: &SignedInUser) -> String {
    let customer = customers::by_uid(world.app.store(), &who.uid).await.expect("readable");
    customer.and_then(|row| row.customer_id).expect("the provider knows the account").into_string()
}

/// Buys another subscription for the same customer at the provider, without our metadata. Returns
/// its id.
async fn buys_by_hand(world: &World) -> String {
    let customer = text(&world.provider_list("/v1/customers").await[0]["id"]);
    let price = text(&world.provider_list("/v1/prices?limit=1").await[0]["id"]);
    let form = [
        ("mode", "subscription"),
        ("ui_mode", "embedded_page"),
        ("return_url", "http://127.0.0.1:1/"),
        ("customer", customer.as_str()),
        ("line_items[0][price]", price.as_str()),
        ("line_items[0][quantity]", "1"),
    ];
    world.provider_posts("/v1/checkout/sessions", &form).await;
    let session = text(&world.provider_list("/v1/checkout/sessions?limit=1").await[0]["id"]);
    world.subscribes_in(&session).await;
    text(&world.provider_list("/v1/subscriptions").await[0]["id"])
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// Ana's mails whose subject starts like this, newest first.
async fn mails_about(world: &World, subject: &str) -> Vec<Value> {
    let mut mails = world.mails_to(ANA).await;
    mails.retain(|mail| mail["subject"].as_str().is_some_and(|text| text.starts_with(subject)));
    mails
}

/// The invariants that the doctor finds broken.
async fn broken_invariants(world: &World) -> Vec<Checked> {
    let now = world.app.clock().now().to_rfc3339();
    let operator = operator(&world.database, &now, &world.url).await;
    let checked = operator.doctor().await;
    operator.close().await;
    checked.into_iter().filter(|one| !one.holds()).collect()
}

/// The doctor finds nothing.
async fn assert_sound(world: &World) {
    let broken = broken_invariants(world).await;
    assert!(broken.is_empty(), "{broken:?}");
}

/// No job needs an operator.
async fn assert_at_rest(world: &World) {
    let counted = job_queries::count(world.app.store()).await.expect("counted");
    assert!(counted.iter().all(|count| count.state != JobState::Parked), "{counted:?}");
}

/// Number of violations of an invariant that the doctor would report in a day.
async fn violations_tomorrow(world: &World, invariant: &str) -> usize {
    let tomorrow = world.app.clock().now().plus_days(1);
    let violations = Invariant::named(invariant).violations(world.app.store(), tomorrow, 10).await;
    violations.expect("readable").len()
}
