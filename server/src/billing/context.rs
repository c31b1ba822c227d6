//! Store, clock, ids, payment provider and settings, shared by every area of billing.

use std::sync::Arc;

use garimpo_domain::{CampaignSwitch, Policy, Timestamp, TrialPurchase};

use crate::billing::checkout_read_limit::CheckoutReads;
use crate::billing::sync_locks::SyncLocks;
use crate::clock::Clock;
use crate::error::Result;
use crate::ids::Ids;
use crate::providers::CallClass;
use crate::providers::stripe::Stripe;
use crate::store::{Store, StoreError, Tx, TxFuture};

/// The operator's settings of billing.
#[derive(Debug, Clone)]
pub struct BillingSettings {
    /// Public origin of the site, without a trailing slash. The provider redirects visitors to it.
    pub public_url: String,
    /// Whether Black November runs: by its dates, or always or never by the operator's choice.
    pub campaign: CampaignSwitch,
    /// How long access continues after the paid period.
    pub policy: Policy,
    /// When a purchase in the trial is charged.
    pub trial_purchase: TrialPurchase,
    /// Whether the catalogue is pushed automatically. Otherwise the operator pushes it.
    pub pushes_catalog: bool,
}

/// Store, clock, ids, payment provider, settings, and the locks of syncs.
#[derive(Clone)]
pub struct Context {
    pub(super) store: Store,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Ids,
    pub(super) stripe: Stripe,
    pub(super) settings: Arc<BillingSettings>,
    pub(super) locks: Arc<SyncLocks>,
    pub(super) reads: Arc<CheckoutReads>,
}

impl Context {
    /// A copy whose calls to the payment provider count in a class.
    pub(super) fn of_class(&self, class: CallClass) -> Arc<Self> {
        Arc::new(Self { stripe: self.stripe.of_class(class), ..self.clone() })
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A write whose job fails only with a store error.
    pub(super) async fn write<C, T, F>(&self, context: C, job: F) -> Result<T>
    where
        F: for<'t> Fn(&'t mut Tx, &'t C) -> TxFuture<'t, T, StoreError> + Send + Sync + 'static,
        C: Send + Sync + 'static,
        T: Send + 'static,
    {
        Ok(self.store.write(context, job).await?)
    }
}

/// Declares a part of billing: a struct with the context and the parts that it uses, and its
/// constructor `over`.
macro_rules! part {
    (
        $(#[$meta:meta])*
        pub struct $name:ident { $($(#[$doc:meta])* $vis:vis $field:ident: $part:ty),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Clone)]
        pub struct $name {
            pub(crate) context: std::sync::Arc<$crate::billing::context::Context>,
            $($(#[$doc])* $vis $field: $part,)*
        }

        impl $name {
            pub(crate) fn over(
                context: &std::sync::Arc<$crate::billing::context::Context>,
            ) -> Self {
                Self { context: context.clone(), $($field: <$part>::over(context),)* }
            }
        }
    };
}

pub(crate) use part;
