//! The clock of the whole product when it runs on the sandbox: the machine's time plus an offset
//! that is durable and only grows. `control/clock` moves it.

mod followers;

use std::sync::atomic::{AtomicI64, Ordering};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::state::moment::{Moment, SECOND};
use crate::state::store::{Store, Tx, sql};
pub use followers::Followers;

const SETTING: &str = "clock";

/// The stored state of the clock.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ClockState {
    /// Added to the machine's time, in microseconds.
    pub offset_us: i64,
    /// Total advanced with `keep_sessions`, in microseconds.
    pub spared_us: i64,
    /// Grows with every move. Followers acknowledge it.
    pub revision: u64,
}

pub struct Clock {
    state: Mutex<ClockState>,
    latest_us: AtomicI64,
    pub revisions: watch::Sender<u64>,
    pub followers: Followers,
    /// Held while the clock is moved or timers are fired.
    pub walking: tokio::sync::Mutex<()>,
}

impl Clock {
    /// The stored clock, or one that starts at `start` in a fresh world.
    pub async fn open(store: &Store, start: Option<Moment>) -> Result<Self, sqlx::Error> {
        let state = store.setting(SETTING).await?.unwrap_or_else(|| ClockState {
            offset_us: start.map_or(0, |at| at.0 - Moment::of_the_machine().0),
            spared_us: 0,
            revision: 1,
        });
        let mut conn = store.write().await?;
        let sql = "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
        sql!(sql, SETTING, json!(state)).execute(&mut *conn).await?;
        conn.commit().await?;
        Ok(Self {
            state: Mutex::new(state),
            latest_us: AtomicI64::new(i64::MIN),
            revisions: watch::Sender::new(state.revision),
            followers: Followers::default(),
            walking: tokio::sync::Mutex::new(()),
        })
    }

    /// The sandbox's now. It never goes back, even when the machine's time does.
    pub fn now(&self) -> Moment {
        let now = Moment::of_the_machine().0 + self.state().offset_us;
        Moment(self.latest_us.fetch_max(now, Ordering::Relaxed).max(now))
    }

    pub fn state(&self) -> ClockState {
        *self.state.lock()
    }

    /// Puts a state in force after the transaction that stored it is committed.
    pub fn set(&self, state: ClockState) {
        *self.state.lock() = state;
        self.revisions.send_replace(state.revision);
    }

    /// The answer of `GET /clock`.
    pub fn answer(&self) -> Value {
        let state = self.state();
        json!({
            "now": self.now().rfc3339(),
            "revision": state.revision,
            "spared_seconds": state.spared_us / SECOND,
        })
    }
}

impl Tx {
    pub async fn store_clock(&mut self, state: ClockState) -> Result<(), sqlx::Error> {
        self.setting_set(SETTING, &state).await
    }
}
