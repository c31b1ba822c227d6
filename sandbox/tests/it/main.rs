//! The sandbox over real HTTP, as the product calls it.

#![expect(clippy::unwrap_used, reason = "a test stops where something is not as it should be")]

mod boletos;
mod captcha;
mod cards;
mod clock;
mod collection;
mod conversions;
mod dashboard_acts;
mod faults;
mod kill;
mod log;
mod money_back;
mod new_cards;
mod pages;
mod pending_updates;
mod plan_changes;
mod plumbing;
mod shapes;
mod support;
mod test_clocks;
mod tool;
