//! Assembles the areas of billing and registers their jobs.

use std::ops::Deref;
use std::sync::Arc;

use crate::billing::account::AccountView;
use crate::billing::catalog::{CatalogPush, Offers};
use crate::billing::checkout::Checkouts;
use crate::billing::checkout::read_limit::CheckoutReads;
use crate::billing::ending::Endings;
use crate::billing::entitlements::Entitlements;
use crate::billing::guards::provider_account::{ProviderAccounts, StoredAccount};
use crate::billing::guards::selling_stop::SellingStop;
use crate::billing::notices::reminders::Reminders;
use crate::billing::plan_change::PlanChanges;
use crate::billing::reconciliation::Reconciler;
use crate::billing::settings::BillingSettings;
use crate::billing::sync::AccountSync;
use crate::billing::sync::events::Events;
use crate::billing::sync::follow_ups::FollowUps;
use crate::billing::sync::locks::SyncLocks;
use crate::billing::sync::missing_at_provider::Repairs;
use crate::billing::sync::orphaned_subscriptions::Orphans;
use crate::context::AppContext;
use crate::error::Result;
use crate::providers::CallClass;
use crate::providers::stripe::Stripe;
use crate::queue::{Handlers, JobKind, JobResult, Priority};
use crate::store::ClaimedJob;

/// Everything that the areas are assembled from.
#[derive(Clone)]
struct Resources {
    context: AppContext,
    stripe: Stripe,
    settings: Arc<BillingSettings>,
    locks: Arc<SyncLocks>,
    reads: Arc<CheckoutReads>,
}

/// All of billing. Cheap to clone.
#[derive(Clone)]
pub struct Billing(Arc<Areas>);

impl Deref for Billing {
    type Target = Areas;

    fn deref(&self) -> &Areas {
        &self.0
    }
}

/// The areas of billing.
pub struct Areas {
    resources: Resources,
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

impl Billing {
    /// Assembles the areas. Nothing runs yet.
    pub(crate) fn new(context: AppContext, stripe: Stripe, settings: BillingSettings) -> Self {
        let stripe = stripe.guarded_by(Arc::new(StoredAccount::new(context.clone())));
        let (settings, reads) = (Arc::new(settings), Arc::new(CheckoutReads::new()));
        Self::over(Resources { context, stripe, settings, locks: Arc::default(), reads })
    }

    fn over(resources: Resources) -> Self {
        let Resources { context, stripe, settings, locks, reads } = resources.clone();
        let BillingSettings { campaign, policy, trial_purchase, pushes_catalog, .. } = *settings;
        let public_url = settings.public_url.as_str().into();
        // Each area gets its own clones of what it uses.
        let (c, s) = (|| context.clone(), || stripe.clone());

        let provider_account = ProviderAccounts { context: c(), stripe: s() };
        let selling_stop = SellingStop { context: c(), stripe: s() };
        let offers = Offers { context: c(), policy, campaign };
        let sync = AccountSync { context: c(), stripe: s(), policy, locks };
        let catalog_push = CatalogPush { context: c(), stripe: s(), pushes_catalog };
        let repairs =
            Repairs { context: c(), stripe: s(), sync: sync.clone(), catalog_push: catalog_push.clone() };
        let account =
            AccountView { context: c(), stripe: s(), policy, campaign, trial_purchase, sync: sync.clone() };
        let checkouts = Checkouts {
            context: c(),
            stripe: s(),
            policy,
            public_url,
            trial_purchase,
            reads,
            sync: sync.clone(),
            catalog_push: catalog_push.clone(),
            offers: offers.clone(),
            repairs: repairs.clone(),
            selling_stop: selling_stop.clone(),
        };
        let plan_changes = PlanChanges {
            context: c(),
            stripe: s(),
            policy,
            sync: sync.clone(),
            catalog_push: catalog_push.clone(),
            repairs: repairs.clone(),
            account: account.clone(),
        };
        let endings = Endings {
            context: c(),
            stripe: s(),
            policy,
            sync: sync.clone(),
            repairs: repairs.clone(),
            account: account.clone(),
            plan_changes: plan_changes.clone(),
        };
        let entitlements = Entitlements { context: c(), policy };
        let follow_ups = FollowUps { context: c(), stripe: s(), policy, sync: sync.clone(), repairs };
        let orphans = Orphans { context: c(), stripe: s() };
        let events = Events { context: c(), stripe: s(), sync: sync.clone(), orphans: orphans.clone() };
        let reconciliation = Reconciler {
            context: c(),
            stripe: s(),
            policy,
            sync: sync.clone(),
            endings: endings.clone(),
            orphans: orphans.clone(),
            selling_stop: selling_stop.clone(),
        };
        let reminders = Reminders { context: c() };
        Self(Arc::new(Areas {
            resources,
            provider_account,
            selling_stop,
            offers,
            sync,
            catalog_push,
            account,
            checkouts,
            plan_changes,
            endings,
            entitlements,
            follow_ups,
            orphans,
            events,
            reconciliation,
            reminders,
        }))
    }

    /// Registers the jobs of billing with the queue.
    pub fn register(&self, handlers: &mut Handlers) {
        self.handles(handlers, JobKind::PaymentEvent, |billing, job| billing.events.clone().handle(job));
        self.handles(handlers, JobKind::Reconcile, |billing, job| {
            billing.reconciliation.clone().reconcile(job)
        });
        self.handles(handlers, JobKind::RightsChange, |billing, job| {
            billing.entitlements.clone().run_rights_change(job)
        });
        self.handles(handlers, JobKind::Retire, |billing, job| billing.endings.clone().retire(job));
        self.handles(handlers, JobKind::Collection, |billing, job| billing.follow_ups.clone().collect(job));
        self.handles(handlers, JobKind::Carry, |billing, job| billing.follow_ups.clone().carry(job));
        self.handles(handlers, JobKind::CardChange, |billing, job| {
            billing.follow_ups.clone().run_card_change(job)
        });
        self.handles(handlers, JobKind::PlanChange, |billing, job| {
            billing.plan_changes.clone().take_over(job)
        });
        self.handles(handlers, JobKind::TrialCoupon, |billing, job| {
            billing.follow_ups.clone().restore_coupon(job)
        });
        self.handles(handlers, JobKind::Reminder, |billing, job| billing.reminders.clone().remind(job));
        self.handles(handlers, JobKind::CheckoutExpire, |billing, job| {
            billing.endings.clone().expire_checkout(job)
        });
        self.handles(handlers, JobKind::AccountErase, |billing, job| {
            billing.endings.clone().erase_account(job)
        });
        self.handles(handlers, JobKind::CatalogPush, |billing, job| billing.catalog_push.clone().run(job));
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
        let stripe = self.resources.stripe.of_class(class);
        Self::over(Resources { stripe, ..self.resources.clone() })
    }

    /// Enqueues the jobs of a start: reconciliation, and the push of the catalogue if it is
    /// automatic.
    ///
    /// # Errors
    /// UNAVAILABLE if the database fails.
    pub async fn begin(&self) -> Result<()> {
        let push = async {
            if self.catalog_push.pushes_catalog {
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
