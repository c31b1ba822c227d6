//! What the operator's commands work with: the parts of a server, without its workers and its ports.
//!
//! `doctor` asks whether the data is as it must be, `subscriber` shows one account whole, `revenue` counts months, `origins` says
//! where people came from.

mod doctor;
mod origins;
mod revenue;
mod subscriber;
#[cfg(test)]
pub(crate) mod tests;

use std::sync::Arc;

use garimpo_domain::Timestamp;
use garimpo_domain::subscription::Policy;

use crate::app::{ClockSettings, Settings, StartError};
use crate::billing::Billing;
use crate::clock::{Clock, FollowError, Follower, SystemClock, system_now};
use crate::providers::CallClass;
use crate::providers::stripe::Stripe;
use crate::store::Store;
use crate::store::operator::heartbeats;

pub use doctor::{Checked, Finding};
pub use origins::{FunnelRow, OriginRow};
pub use revenue::RevenueRow;
pub use subscriber::{DisputeSeen, Subscriber};

/// Billing beside a product that may be serving: what it writes, its tickets and locks order among the others.
pub struct Operator {
    store: Store,
    clock: Arc<dyn Clock>,
    policy: Policy,
    billing: Billing,
}

impl Operator {
    /// Opens the database, asks for the time where a sandbox keeps it, and makes the provider's client.
    ///
    /// # Errors
    /// [`StartError`] says what cannot be used.
    pub async fn open(settings: Settings) -> Result<Self, StartError> {
        let store = Store::open(&settings.database).await?;
        Self::over(store, settings).await
    }

    /// The same over a database that is not written to.
    ///
    /// # Errors
    /// [`StartError`] says what cannot be used.
    pub async fn open_to_read(settings: Settings) -> Result<Self, StartError> {
        let store = Store::open_to_read(&settings.database).await?;
        Self::over(store, settings).await
    }

    async fn over(store: Store, settings: Settings) -> Result<Self, StartError> {
        let clock = product_clock(settings.clock).await?;
        let stripe = Stripe::new(settings.payments)?.of_class(CallClass::Renewal);
        // One more process shares the budget of calls; a database of an older version has no live servers.
        let servers = heartbeats::count_live(&store, system_now()).await.unwrap_or_default();
        stripe.divide_budget(u32::try_from(servers + 1).unwrap_or(u32::MAX));
        let policy = settings.billing.policy;
        let billing = Billing::new(store.clone(), clock.clone(), settings.ids, stripe, settings.billing);
        Ok(Self { store, clock, policy, billing })
    }

    /// The operator of a server that runs.
    #[cfg(test)]
    pub(crate) fn beside(app: &crate::app::App) -> Self {
        let (store, clock) = (app.store().clone(), app.clock());
        Self { store, clock, policy: Policy::default(), billing: app.billing().clone() }
    }

    /// Billing over the database and the provider of the settings.
    pub fn billing(&self) -> &Billing {
        &self.billing
    }

    /// The database.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The product's time.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Ends what was opened.
    pub async fn close(self) {
        self.store.close().await;
    }
}

/// The product's clock as it is told once, for a command that is too short-lived to follow it.
///
/// # Errors
/// The sandbox, which keeps the time, does not tell it.
pub async fn product_clock(settings: ClockSettings) -> Result<Arc<dyn Clock>, FollowError> {
    Ok(match settings {
        ClockSettings::System => Arc::new(SystemClock),
        ClockSettings::Given(clock) => clock,
        ClockSettings::Sandbox { url, .. } => Arc::new(Follower::asked_once(&url).await?),
    })
}
