//! What the operator's commands work with: the parts of a server, without its workers and its ports.

use std::sync::Arc;

use crate::app::{ClockSettings, Settings, StartError};
use crate::billing::Billing;
use crate::clock::{Clock, Follower, SystemClock};
use crate::providers::stripe::Stripe;
use crate::store::Store;

/// Billing beside a product that may be serving: what it writes, its tickets and locks order among the others.
pub struct Operator {
    store: Store,
    billing: Billing,
}

impl Operator {
    /// Opens the database, asks for the time where a sandbox keeps it, and makes the provider's client.
    ///
    /// # Errors
    /// [`StartError`] says what cannot be used.
    pub async fn open(settings: Settings) -> Result<Self, StartError> {
        let store = Store::open(&settings.database).await?;
        let clock: Arc<dyn Clock> = match settings.clock {
            ClockSettings::System => Arc::new(SystemClock),
            ClockSettings::Given(clock) => clock,
            ClockSettings::Sandbox { url, .. } => Arc::new(Follower::asked_once(&url).await?),
        };
        let stripe = Stripe::new(settings.payments)?;
        let billing = Billing::new(store.clone(), clock, settings.ids, stripe, settings.billing);
        Ok(Self { store, billing })
    }

    /// Billing over the database and the provider of the settings.
    pub fn billing(&self) -> &Billing {
        &self.billing
    }

    /// Ends what was opened.
    pub async fn close(self) {
        self.store.close().await;
    }
}
