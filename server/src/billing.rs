//! Billing: what is sold, and what the payment provider's facts mean for an account.
//!
//! [`Billing`] assembles the areas (`composition`), and each area owns the parts that it uses.
//! `calls` serves the gRPC calls. `checkout` opens purchases, `plan_change` and `ending` change and
//! end subscriptions, `sync` reads the payment provider's state into our rows, and `reconciliation`
//! finds what no event reported. `facts` derives rows from the provider's state, and what follows
//! from rows: the current subscription, the guarantee, money that is owed. `guards` refuses what
//! must not be bought, `jobs` has the jobs that several areas enqueue, `entitlements` returns the
//! rights of an account, `account` shows the subscription to its owner, `notices` enqueues mails,
//! `catalog` has the plans and prices, and `rehearsal` checks our assumptions about the provider.

mod account;
mod calls;
mod catalog;
mod checkout;
mod composition;
mod ending;
mod entitlements;
mod facts;
mod guards;
mod jobs;
mod notices;
mod plan_change;
mod reconciliation;
pub mod rehearsal;
mod settings;
mod sync;
#[cfg(test)]
mod tests;

pub use crate::store::Absence;
pub use account::subscription::SubscriptionView;
pub use calls::grpc::BillingApi;
pub use calls::webhook::WebhookApi;
pub use catalog::push::differences::CatalogDifference;
pub use composition::Billing;
pub use ending::refund::record_pix_refund;
pub(crate) use entitlements::feed::{CURSOR_DAYS, Feed};
pub(crate) use entitlements::grpc::EntitlementApi;
pub(crate) use facts::deletion_impact::deletion_impact;
pub use garimpo_domain::campaign::CampaignSwitch;
pub use garimpo_domain::checkout::TrialPurchase;
pub use garimpo_domain::subscription::Policy;
pub use guards::provider_account::AdoptedAccount;
pub(crate) use jobs::reconciliation::schedule_reconciliation;
pub use reconciliation::dry_run::{Compared, Difference};
pub use reconciliation::is_mass_loss;
pub use settings::BillingSettings;
pub(crate) use sync::events::HANDLED_EVENT_TYPES;
pub(crate) use sync::orphaned_subscriptions::Payer;
pub use sync::orphaned_subscriptions::{OrphanStatus, OrphanedSubscription};
