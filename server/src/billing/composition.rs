//! Assembles the areas of billing and registers their jobs.

use std::sync::Arc;

use crate::billing::account::AccountView;
use crate::billing::catalog::{CatalogPush, Offers};
use crate::billing::checkout::Checkouts;
use crate::billing::checkout_read_limit::CheckoutReads;
use crate::billing::context::{BillingSettings, Context, part};
use crate::billing::ending::Endings;
use crate::billing::entitlements::Entitlements;
use crate::billing::notices::reminders::Reminders;
use crate::billing::plan_change::PlanChanges;
use crate::billing::provider_account::{ProviderAccounts, StoredAccount};
use crate::billing::reconciliation::Reconciler;
use crate::billing::selling_stop::SellingStop;
use crate::billing::sync::AccountSync;
use crate::billing::sync::events::Events;
use crate::billing::sync::follow_ups::FollowUps;
use crate::billing::sync::orphaned_subscriptions::Orphans;
use crate::clock::Clock;
use crate::error::Result;
use crate::ids::Ids;
use crate::providers::CallClass;
use crate::providers::stripe::Stripe;
use crate::queue::{Handlers, JobKind, JobResult, Priority};
use crate::store::{ClaimedJob, Store};

part! {
    /// The areas of billing. Cheap to clone.
    pub struct Billing {
        /// Check of the provider's account.
        pub provider_account: ProviderAccounts,
        /// Check for payers of another database.
        pub selling_stop: SellingStop,
        /// Plans, promotions and offers.
        pub offers: Offers,
        /// Sync of accounts with the provider.
        pub sync: AccountSync,
        /// Push of the catalogue.
        pub catalog_push: CatalogPush,
        /// An account's view of its subscription.
        pub account: AccountView,
        /// Opening and status of purchases.
        pub checkouts: Checkouts,
        /// Preview and change of plans.
        pub plan_changes: PlanChanges,
        /// Cancellation, refund and deletion.
        pub endings: Endings,
        /// Rights of accounts.
        pub entitlements: Entitlements,
        /// Jobs that a sync enqueues.
        pub follow_ups: FollowUps,
        /// Subscriptions of the provider without a row.
        pub orphans: Orphans,
        /// Webhook events.
        pub events: Events,
        /// Repair of accounts that differ from the provider.
        pub reconciliation: Reconciler,
        /// Mails before a boleto expires or a long period renews.
        pub reminders: Reminders,
    }
}

impl Billing {
    /// Assembles the areas. Nothing runs yet.
    pub fn new(
        store: Store,
        clock: Arc<dyn Clock>,
        ids: Ids,
        stripe: Stripe,
        settings: BillingSettings,
    ) -> Self {
        let account = StoredAccount::new(store.clone(), clock.clone(), ids.clone());
        let stripe = stripe.guarded_by(Arc::new(account));
        let context = Context {
            store,
            clock,
            ids,
            stripe,
            settings: Arc::new(settings),
            locks: Arc::default(),
            reads: Arc::new(CheckoutReads::new()),
        };
        Self::over(&Arc::new(context))
    }

    /// Registers the jobs of billing with the queue.
    pub fn register(&self, handlers: &mut Handlers) {
        self.handles(handlers, JobKind::PaymentEvent, |billing, job| billing.events.handle(job));
        self.handles(handlers, JobKind::Reconcile, |billing, job| billing.reconciliation.reconcile(job));
        self.handles(handlers, JobKind::RightsChange, |billing, job| {
            billing.entitlements.run_rights_change(job)
        });
        self.handles(handlers, JobKind::Retire, |billing, job| billing.endings.retire(job));
        self.handles(handlers, JobKind::Collection, |billing, job| billing.follow_ups.collect(job));
        self.handles(handlers, JobKind::Carry, |billing, job| billing.follow_ups.carry(job));
        self.handles(handlers, JobKind::CardChange, |billing, job| billing.follow_ups.run_card_change(job));
        self.handles(handlers, JobKind::PlanChange, |billing, job| billing.plan_changes.take_over(job));
        self.handles(handlers, JobKind::TrialCoupon, |billing, job| billing.follow_ups.restore_coupon(job));
        self.handles(handlers, JobKind::Reminder, |billing, job| billing.reminders.remind(job));
        self.handles(handlers, JobKind::CheckoutExpire, |billing, job| billing.endings.expire_checkout(job));
        self.handles(handlers, JobKind::AccountErase, |billing, job| billing.endings.erase_account(job));
        self.handles(handlers, JobKind::CatalogPush, |billing, job| billing.catalog_push.run(job));
    }

    /// A handler owns its area of billing, because its future outlives the call that began it.
    fn handles<R>(&self, handlers: &mut Handlers, kind: JobKind, handler: fn(Self, ClaimedJob) -> R)
    where
        R: Future<Output = JobResult> + Send + 'static,
    {
        let billing = self.of_class(call_class(kind));
        handlers.on(kind, move |job| handler(billing.clone(), job));
    }

    /// A copy whose calls to the payment provider count in a class.
    pub fn of_class(&self, class: CallClass) -> Self {
        Self::over(&self.context.of_class(class))
    }

    /// Enqueues the jobs of a start: reconciliation, and the push of the catalogue if it is
    /// automatic.
    ///
    /// # Errors
    /// UNAVAILABLE if the database fails.
    pub async fn begin(&self) -> Result<()> {
        let push = async {
            if self.context.settings.pushes_catalog {
                self.catalog_push.enqueue().await?;
            }
            Ok(())
        };
        // Together, because writes that wait together share one COMMIT.
        tokio::try_join!(self.reconciliation.begin(), push).map(drop)
    }
}

/// The class of a job's calls. Only jobs of the queue's housekeeping class wait in the budget of
/// housekeeping, because a waiting job occupies a worker of its class.
fn call_class(kind: JobKind) -> CallClass {
    match kind.priority() {
        Priority::Payment => CallClass::PaymentEvent,
        Priority::Rights
        | Priority::Link
        | Priority::Confirmation
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
    fn only_housekeeping_jobs_wait_in_the_housekeeping_call_class() {
        for kind in JobKind::ALL {
            let waits = call_class(kind) == CallClass::Housekeeping;
            assert_eq!(waits, kind.class() == JobClass::Housekeeping, "{}", kind.name());
        }
        assert_eq!(call_class(JobKind::PaymentEvent), CallClass::PaymentEvent);
    }
}
