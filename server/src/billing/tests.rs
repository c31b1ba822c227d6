//! Billing over the real sandbox, on both databases.

mod after_end;
mod balance_carry_over;
mod boleto_purchase;
mod cancellation;
mod card_purchase;
mod checkout;
mod collection;
mod coupons;
mod credit_of_reversed_payment;
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

use crate::store::operator::invariants::Invariant;
use crate::tests::world::World;

const VISA: &str = "4242424242424242";

/// Number of violations of an invariant that the doctor would report in a day.
async fn violations_tomorrow(world: &World, invariant: &str) -> usize {
    let tomorrow = world.app.clock().now().plus_days(1);
    let violations = Invariant::named(invariant).violations(world.app.store(), tomorrow, 10).await;
    violations.expect("readable").len()
}
