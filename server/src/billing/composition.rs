//! Puts the rooms of billing together and registers their jobs.

use std::sync::Arc;

use crate::billing::account::AccountView;
use crate::billing::catalog::{CatalogPush, Offers};
use crate::billing::checkout::Checkouts;
use crate::billing::context::{BillingSettings, Context, part};
use crate::billing::ending::Endings;
use crate::billing::entitlements::Entitlements;
use crate::billing::notices::reminders::Reminders;
use crate::billing::plan_change::PlanChanges;
use crate::billing::provider_account::{ProviderAccounts, StoredAccount};
use crate::billing::read_limits::CheckoutReads;
use crate::billing::reconciliation::Reconciler;
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
    /// The rooms of billing, put together; cheap to clone.
    pub struct Billing {
        /// The provider's account.
        pub provider_account: ProviderAccounts,
        /// What is for sale.
        pub offers: Offers,
        /// Reads the provider's state of an account.
        pub sync: AccountSync,
        /// The catalogue at the provider.
        pub catalog_push: CatalogPush,
        /// An account's view of its subscription.
        pub account: AccountView,
        /// Purchases.
        pub checkouts: Checkouts,
        /// Changes of plan.
        pub plan_changes: PlanChanges,
        /// Ends of subscriptions.
        pub endings: Endings,
        /// What accounts may use.
        pub entitlements: Entitlements,
        /// Jobs of a sync.
        pub follow_ups: FollowUps,
        /// Subscriptions without a row.
        pub orphans: Orphans,
        /// Events of the provider.
        pub events: Events,
        /// Accounts that differ from the provider.
        pub reconciliation: Reconciler,
        /// Mails before something comes.
        pub reminders: Reminders,
    }
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

    /// Registers what billing does in the queue.
    pub fn register(&self, handlers: &mut Handlers) {
        self.handles(handlers, JobKind::PaymentEvent, |billing, job| billing.events.event_handle(job));
        self.handles(handlers, JobKind::Reconcile, |billing, job| billing.reconciliation.reconcile(job));
        self.handles(handlers, JobKind::RightsChange, |billing, job| billing.entitlements.rights_change(job));
        self.handles(handlers, JobKind::Retire, |billing, job| billing.endings.retire(job));
        self.handles(handlers, JobKind::Collection, |billing, job| billing.follow_ups.collect(job));
        self.handles(handlers, JobKind::Carry, |billing, job| billing.follow_ups.carry(job));
        self.handles(handlers, JobKind::CardChange, |billing, job| billing.follow_ups.card_change(job));
        self.handles(handlers, JobKind::PlanChange, |billing, job| {
            billing.plan_changes.plan_change_take_over(job)
        });
        self.handles(handlers, JobKind::TrialCoupon, |billing, job| billing.follow_ups.trial_coupon(job));
        self.handles(handlers, JobKind::Reminder, |billing, job| billing.reminders.remind(job));
        self.handles(handlers, JobKind::CheckoutExpire, |billing, job| billing.endings.checkout_expire(job));
        self.handles(handlers, JobKind::AccountErase, |billing, job| billing.endings.account_erase(job));
        self.handles(handlers, JobKind::CatalogPush, |billing, job| {
            billing.catalog_push.catalog_push_job(job)
        });
    }

    /// A handler owns its room of billing, because its future outlives the call that began it.
    fn handles<R>(&self, handlers: &mut Handlers, kind: JobKind, handler: fn(Self, ClaimedJob) -> R)
    where
        R: Future<Output = JobResult> + Send + 'static,
    {
        let billing = self.of_class(call_class(kind));
        handlers.on(kind, move |job| handler(billing.clone(), job));
    }

    /// The same whose calls to the payment provider belong to a class.
    pub fn of_class(&self, class: CallClass) -> Self {
        Self::over(&self.context.of_class(class))
    }

    /// Enqueues the work that a start brings: reconciliation, and the catalogue where it is pushed
    /// by itself.
    ///
    /// # Errors
    /// When it cannot be stored.
    pub async fn begin(&self) -> Result<()> {
        self.reconciliation.reconciliation_begin().await?;
        if self.context.settings.pushes_catalog {
            self.catalog_push.catalog_push_begin().await
        } else {
            Ok(())
        }
    }
}

/// The class of the calls that a job makes. Only jobs of the queue's housekeeping wait in the
/// budget's, because a job that waits holds a place of its class in the queue.
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
