//! The state that all parts of the sandbox share, and the notifications between its tasks.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use parking_lot::Mutex;
use sqlx::{Sqlite, Transaction};
use tokio::sync::{Notify, watch};

use crate::state::behavior::Behavior;
use crate::state::calls::Call;
use crate::state::clock::Clock;
use crate::state::faults::Faults;
use crate::state::moment::Moment;
use crate::state::recent::Recent;
use crate::state::setting::Setting;
use crate::state::store::{Cause, Store, Tx};
use serde_json::Value;

pub struct World {
    pub store: Store,
    pub clock: Clock,
    pub faults: Faults,
    pub behavior: Setting<Behavior>,
    pub calls: Recent<Call>,
    /// Events that the scripts of advertising platforms sent.
    pub pixel_events: Recent<Value>,
    /// The sandbox's public origin, without a slash at its end.
    pub url: Arc<str>,
    /// Sends webhooks.
    pub http: reqwest::Client,
    /// Idempotency keys whose first request is still running.
    pub keys_in_use: Mutex<HashSet<String>>,
    /// Responses of challenges that were verified; each counts once.
    pub verified_challenges: Mutex<HashSet<String>>,
    /// Notified when timers may have changed.
    pub timers_changed: Notify,
    /// Notified when there may be something to deliver.
    pub deliveries_changed: Notify,
    /// Notified after each attempt to deliver.
    pub delivery_answered: Notify,
    /// Attempts to deliver since the start.
    pub delivery_attempts: AtomicU64,
    /// Whether the sandbox stops. Open long polls are then answered at once.
    pub stopping: watch::Sender<bool>,
}

impl World {
    /// Begins a write transaction at the clock's now.
    pub async fn write(&self, cause: Cause) -> Result<Tx, sqlx::Error> {
        let conn = self.store.write().await?;
        Ok(self.transaction(conn, cause))
    }

    /// Begins a read transaction at the clock's now.
    pub async fn read(&self) -> Result<Tx, sqlx::Error> {
        let conn = self.store.read().await?;
        Ok(self.transaction(conn, Cause::default()))
    }

    fn transaction(&self, conn: Transaction<'static, Sqlite>, cause: Cause) -> Tx {
        let now = self.clock.now();
        let behavior = self.behavior.get();
        Tx { conn, now, sandbox_now: now, test_clock: None, url: self.url.clone(), cause, behavior }
    }

    /// Commits, then notifies the tasks of timers and deliveries.
    pub async fn commit(&self, tx: Tx) -> Result<(), sqlx::Error> {
        tx.conn.commit().await?;
        self.timers_changed.notify_one();
        self.deliveries_changed.notify_one();
        Ok(())
    }

    pub fn now(&self) -> Moment {
        self.clock.now()
    }
}
