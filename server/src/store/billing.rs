//! Purchases, and the state of the payment provider as rows.

pub mod cancellations;
pub mod card_payments;
pub mod catalog_pushes;
pub mod checkouts;
pub mod customers;
pub mod entitlement_changes;
pub mod events;
pub mod invoices;
pub mod paid_periods;
pub mod plan_changes;
pub mod provider_account;
pub mod provider_losses;
pub mod reconciliation;
pub mod refunds;
pub mod subscriptions;
