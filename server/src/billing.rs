//! Billing: what is sold, and what the payment provider's facts mean for an account.
//!
//! [`Billing`] assembles the areas (`composition`), and each area owns the parts that it uses.
//! `grpc` and `webhook` serve the calls. `checkout` opens purchases, `plan_change` and `ending`
//! change and end subscriptions, `sync` reads the payment provider's state into our rows, and
//! `reconciliation` finds what no event reported. `projection` derives rows from the provider's
//! state, and `retirement_jobs` decides what must end there. `current_subscription` chooses an
//! account's current subscription, `entitlements` returns its rights, `account` shows the
//! subscription to its owner, `guarantee` decides about refunds, `notices` enqueues mails,
//! `catalog` has the plans and prices, and `rehearsal` checks our assumptions about the provider.

mod account;
mod account_credit;
mod catalog;
mod checkout;
mod checkout_read_limit;
mod composition;
mod coupon_once_per_person;
mod current_subscription;
mod deletion_impact;
mod ending;
mod entitlements;
mod grpc;
mod guarantee;
mod notices;
mod plan_change;
mod projection;
mod provider_account;
mod reconciliation;
mod reconciliation_jobs;
mod refund_request;
mod refusals;
pub mod rehearsal;
mod retirement_jobs;
mod selling_stop;
mod settings;
mod sync;
mod sync_locks;
#[cfg(test)]
mod tests;
mod webhook;

pub use crate::store::Absence;
pub use account::subscription::SubscriptionView;
pub use catalog::push::differences::CatalogDifference;
pub use composition::Billing;
pub(crate) use deletion_impact::deletion_impact;
pub use ending::refund::record_pix_refund;
pub(crate) use entitlements::feed::{CURSOR_DAYS, Feed};
pub(crate) use entitlements::grpc::EntitlementApi;
pub use garimpo_domain::campaign::CampaignSwitch;
pub use garimpo_domain::checkout::TrialPurchase;
pub use garimpo_domain::subscription::Policy;
pub use grpc::BillingApi;
pub use provider_account::AdoptedAccount;
pub use reconciliation::dry_run::{Compared, Difference};
pub use reconciliation::is_mass_loss;
pub(crate) use reconciliation_jobs::schedule_reconciliation;
pub use settings::BillingSettings;
pub(crate) use sync::events::HANDLED_EVENT_TYPES;
pub(crate) use sync::orphaned_subscriptions::Payer;
pub use sync::orphaned_subscriptions::{OrphanStatus, OrphanedSubscription};
pub use webhook::WebhookApi;
