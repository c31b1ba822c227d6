//! Billing over the real sandbox, on both databases.

mod after_end;
mod boleto;
mod by_hand;
mod cancellation;
mod card;
mod carry;
mod checkout;
mod collection;
mod coupons;
mod credit;
mod faults;
mod losses;
mod new_card;
mod news;
mod once_per_person;
mod orders;
mod plan_change;
mod provider_loss;
mod race;
mod reconciliation;
mod refund;
mod reminders;
mod rights;
mod second;
mod statement;
mod takeback;
mod trial_purchase;

use crate::store::operator::invariants::Invariant;
use crate::tests::world::World;

const VISA: &str = "4242424242424242";

/// Number of violations of an invariant that the doctor would report in a day.
async fn violations_tomorrow(world: &World, invariant: &str) -> usize {
    let tomorrow = world.app.clock().now().plus_days(1);
    let violations = Invariant::named(invariant).violations(world.app.store(), tomorrow, 10).await;
    violations.expect("readable").len()
}
