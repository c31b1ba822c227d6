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

const VISA: &str = "4242424242424242";
