//! Subscriptions and invoices: created, changed, renewed and collected.

pub mod authentication;
pub mod balances;
pub mod card_replacement;
pub mod collection;
pub mod drafts;
pub mod invoice_calls;
pub mod invoice_payments;
pub mod invoices;
pub mod pauses;
pub mod pending_updates;
pub mod plan_changes;
mod proration;
pub mod renewals;
pub mod subscription_calls;
pub mod subscription_creation;
pub mod subscriptions;
mod trials;
mod upcoming;
pub mod voiding;
pub mod voucher_outcomes;
