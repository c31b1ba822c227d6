//! Subscriptions and invoices: created, changed, renewed and collected.

pub mod balances;
pub mod collection;
pub mod drafts;
pub mod invoice_payments;
pub mod invoices;
pub mod plan_changes;
pub mod proration;
pub mod renewals;
pub mod subscription_creation;
pub mod subscriptions;
