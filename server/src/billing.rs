//! Billing: what is sold, and what the payment provider's facts mean for an account.
//!
//! [`Billing`] is what the rooms share. `grpc` and `webhook` answer calls; `checkout` opens purchases, `plan_change` and
//! `ending` change and end subscriptions, `sync` reads the payment provider's state into our rows, `current_subscription`
//! chooses which of an account's subscriptions counts, `entitlements` answers what it may use, `account` shows it to its
//! owner, `notices` writes mails, `catalog` is what is sold, and `rehearsal` tries our assumptions about the provider.

mod account;
mod account_credit;
mod catalog;
mod checkout;
mod current_subscription;
mod ending;
mod entitlements;
mod grpc;
mod notices;
mod plan_change;
mod provider_account;
mod refusals;
pub mod rehearsal;
mod sync;
#[cfg(test)]
mod tests;
mod webhook;

use std::sync::Arc;

use garimpo_domain::Timestamp;

use crate::clock::Clock;
use crate::error::Error;
use crate::ids::Ids;
use crate::providers::CallClass;
use crate::providers::stripe::Stripe;
use crate::queue::{Handlers, JobError, JobKind, JobOutcome, Priority};
use crate::store::{ClaimedJob, Store, StoreError, Tx, TxFuture};

pub use account::subscription::SubscriptionView;
pub use catalog::push::CatalogDifference;
use checkout::status::CheckoutReads;
pub(crate) use current_subscription::rights_of;
pub(crate) use ending::account_deletion::losses;
pub use ending::refund::refund_pix_paid;
pub(crate) use entitlements::feed::{CURSOR_DAYS, Feed, follow_gone, follow_new};
pub use entitlements::grpc::EntitlementApi;
pub use garimpo_domain::campaign::CampaignSwitch;
pub use garimpo_domain::checkout::TrialPurchase;
pub use garimpo_domain::subscription::Policy;
pub use grpc::BillingApi;
pub use provider_account::AdoptedAccount;
use provider_account::StoredAccount;
pub use sync::differences::{Compared, Difference};
pub(crate) use sync::events::NEWS;
use sync::locks::SyncLocks;
pub use sync::orphaned_subscriptions::{Standing, Stranger};
pub use sync::reconciliation::is_mass_loss;
pub use webhook::WebhookApi;

/// What the operator decides about billing.
#[derive(Debug, Clone)]
pub struct BillingSettings {
    /// Public origin of the site, without a trailing slash; the provider sends visitors back there.
    pub public_url: String,
    /// Who decides about Black November.
    pub campaign: CampaignSwitch,
    /// How long access continues after the paid period.
    pub policy: Policy,
    /// When a purchase in the trial is charged.
    pub trial_purchase: TrialPurchase,
    /// Whether the catalogue is pushed to the provider by itself; the operator does it otherwise.
    pub pushes_catalog: bool,
}

/// What all of billing works with; cheap to clone.
#[derive(Clone)]
pub struct Billing {
    store: Store,
    clock: Arc<dyn Clock>,
    ids: Ids,
    stripe: Stripe,
    settings: Arc<BillingSettings>,
    sync_locks: Arc<SyncLocks>,
    checkout_reads: Arc<CheckoutReads>,
}

impl Billing {
    /// Puts the parts together; nothing runs yet.
    pub fn new(
        store: Store,
        clock: Arc<dyn Clock>,
        ids: Ids,
        stripe: Stripe,
        settings: BillingSettings,
    ) -> Self {
        let sync_locks = Arc::default();
        let account = StoredAccount::new(store.clone(), clock.clone(), ids.clone());
        let stripe = stripe.guarded_by(Arc::new(account));
        let checkout_reads = Arc::new(CheckoutReads::new());
        Self { store, clock, ids, stripe, settings: Arc::new(settings), sync_locks, checkout_reads }
    }

    /// Registers what billing does in the queue.
    pub fn register(&self, handlers: &mut Handlers) {
        self.handles(handlers, JobKind::PaymentEvent, Self::event_handle);
        self.handles(handlers, JobKind::Reconcile, Self::reconcile);
        self.handles(handlers, JobKind::RightsChange, Self::rights_change);
        self.handles(handlers, JobKind::Retire, Self::retire);
        self.handles(handlers, JobKind::Collection, Self::collect);
        self.handles(handlers, JobKind::Carry, Self::carry);
        self.handles(handlers, JobKind::CardChange, Self::card_change);
        self.handles(handlers, JobKind::PlanChange, Self::plan_change_take_over);
        self.handles(handlers, JobKind::TrialCoupon, Self::trial_coupon);
        self.handles(handlers, JobKind::Reminder, Self::remind);
        self.handles(handlers, JobKind::CheckoutExpire, Self::checkout_expire);
        self.handles(handlers, JobKind::AccountErase, Self::account_erase);
        self.handles(handlers, JobKind::CatalogPush, Self::catalog_push_job);
    }

    /// A handler owns its billing: its future outlives the call that began it.
    fn handles<R>(&self, handlers: &mut Handlers, kind: JobKind, handler: fn(Self, ClaimedJob) -> R)
    where
        R: Future<Output = Result<JobOutcome, JobError>> + Send + 'static,
    {
        let billing = self.of_class(call_class(kind));
        handlers.on(kind, move |job| handler(billing.clone(), job));
    }

    /// The same whose calls to the payment provider belong to a class.
    pub fn of_class(&self, class: CallClass) -> Self {
        Self { stripe: self.stripe.of_class(class), ..self.clone() }
    }

    /// Enqueues the work that a start brings: reconciliation, and the catalogue where it is pushed by itself.
    ///
    /// # Errors
    /// When it cannot be stored.
    pub async fn begin(&self) -> Result<(), Error> {
        self.reconciliation_begin().await?;
        if self.settings.pushes_catalog { self.catalog_push_begin().await } else { Ok(()) }
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A write whose only failure is the store's.
    async fn in_tx<T, F>(&self, job: F) -> Result<T, StoreError>
    where
        F: for<'t> Fn(&'t mut Tx) -> TxFuture<'t, T, StoreError> + Send + Sync + 'static,
        T: Send + 'static,
    {
        self.store.write(job).await
    }
}

/// The class of the calls that a job makes. Only jobs of the queue's housekeeping wait in the budget's, because a job
/// that waits holds a place of its class in the queue.
fn call_class(kind: JobKind) -> CallClass {
    match kind.priority() {
        Priority::Payment => CallClass::PaymentEvent,
        Priority::Rights
        | Priority::Link
        | Priority::Mail
        | Priority::Subscription
        | Priority::Background => CallClass::Renewal,
        Priority::Housekeeping | Priority::Sweep => CallClass::Housekeeping,
    }
}

#[cfg(test)]
mod call_class_tests {
    use super::*;
    use crate::queue::JobClass;

    #[test]
    fn so_o_trabalho_de_manutencao_espera_na_classe_de_manutencao() {
        for kind in JobKind::ALL {
            let waits = call_class(kind) == CallClass::Housekeeping;
            assert_eq!(waits, kind.class() == JobClass::Housekeeping, "{}", kind.name());
        }
        assert_eq!(call_class(JobKind::PaymentEvent), CallClass::PaymentEvent);
    }
}
