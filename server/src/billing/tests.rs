//! Billing over the real sandbox, on both databases.

mod boleto;
mod by_hand;
mod cancellation;
mod card;
mod carry;
mod checkout;
mod faults;
mod losses;
mod news;
mod orders;
mod plan_change;
mod refund;
mod reminders;
mod rights;
mod second;
mod statement;
mod takeback;
mod trial_purchase;

const VISA: &str = "4242424242424242";
