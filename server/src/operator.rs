//! The operator's commands: they use the parts of a server without its workers and ports.
//!
//! `subscriber` shows all of one account, `revenue` counts months,
//! `origins` reports where people came from, `restore` puts a backup in the place of the database.

mod account_deletion;
pub mod mail_test;
pub mod origins;
pub mod restore;
pub mod revenue;
pub mod subscriber;
#[cfg(test)]
pub(crate) mod tests;

use std::sync::Arc;
use std::time::Duration;

use garimpo_domain::{Policy, Timestamp};

use crate::app::clock_follower::{FollowError, Follower};
use crate::app::{ClockSettings, Settings, StartError};
use crate::billing::Billing;
use crate::clock::{Clock, SystemClock, system_now};
use crate::context::AppContext;
use crate::doctor::{Checked, Doctor, TimeLimits};
use crate::providers::CallClass;
use crate::providers::stripe::Stripe;
use crate::store::{Store, heartbeats};
use crate::users::payer_adoption::PayerAdoption;

/// Time limits of a check for a person who waits for it.
const DOCTOR_LIMITS: TimeLimits = TimeLimits { each: Duration::from_mins(2), all: Duration::from_hours(1) };

/// Billing beside servers that may be running: tickets and locks order its writes among theirs.
pub struct Operator {
    context: AppContext,
    policy: Policy,
    billing: Billing,
}

impl Operator {
    /// Opens the database, reads the sandbox's clock if it is used, and creates the provider's
    /// client.
    pub async fn open(settings: Settings) -> Result<Self, StartError> {
        let store = Store::open(&settings.database).await?;
        Self::over(store, settings).await
    }

    /// Like [`Operator::open`], but read-only.
    pub async fn open_to_read(settings: Settings) -> Result<Self, StartError> {
        let store = Store::open_to_read(&settings.database).await?;
        Self::over(store, settings).await
    }

    async fn over(store: Store, settings: Settings) -> Result<Self, StartError> {
        let clock = product_clock(settings.clock).await?;
        let stripe = Stripe::new(settings.payments)?.of_class(CallClass::Renewal);
        // This process shares the budget of calls too.
        let servers = heartbeats::count_live(&store, system_now()).await?;
        stripe.divide_budget(u32::try_from(servers + 1).unwrap_or(u32::MAX));
        let policy = settings.billing.policy;
        let context = AppContext { store, clock, ids: settings.ids };
        let billing = Billing::new(context.clone(), stripe, settings.billing);
        Ok(Self { context, policy, billing })
    }

    #[cfg(test)]
    pub(crate) fn beside(app: &crate::app::App) -> Self {
        let context =
            AppContext { store: app.store().clone(), clock: app.clock(), ids: crate::ids::Ids::system() };
        Self { context, policy: Policy::default(), billing: app.billing().clone() }
    }

    /// Checks every invariant of the data.
    pub async fn doctor(&self) -> Vec<Checked> {
        let doctor =
            Doctor::new(self.context.store.clone(), self.context.clock.clone(), self.policy, DOCTOR_LIMITS);
        doctor.check_all().await
    }

    /// Like [`Operator::doctor`], and checks the rules that call the payment provider.
    pub async fn doctor_with_provider(&self) -> Vec<Checked> {
        let doctor =
            Doctor::new(self.context.store.clone(), self.context.clock.clone(), self.policy, DOCTOR_LIMITS);
        doctor.with_provider(&self.billing).check_all().await
    }

    pub fn billing(&self) -> &Billing {
        &self.billing
    }

    /// Adoption of payers without an account, with calls to the payment provider in a class.
    pub fn adoption(&self, class: CallClass) -> PayerAdoption {
        PayerAdoption::new(self.context.clone(), self.billing.of_class(class))
    }

    pub fn store(&self) -> &Store {
        &self.context.store
    }

    pub fn now(&self) -> Timestamp {
        self.context.now()
    }

    pub async fn close(self) {
        self.context.store.close().await;
    }
}

/// The product's clock for a command: a sandbox's clock is read once and not followed.
pub async fn product_clock(settings: ClockSettings) -> Result<Arc<dyn Clock>, FollowError> {
    Ok(match settings {
        ClockSettings::System => Arc::new(SystemClock),
        ClockSettings::Given(clock) => clock,
        ClockSettings::Sandbox { url, .. } => Arc::new(Follower::read_once(&url).await?),
    })
}
