//! The clock of the whole product when it runs on the sandbox: the machine's time plus an offset
//! that is durable and only grows. `control/clock` moves it.

mod followers;

use std::sync::atomic::{AtomicI64, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::state::moment::{Moment, SECOND};
use crate::state::setting::Setting;
use crate::state::store::Store;
pub use followers::Followers;

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
    state: Setting<ClockState>,
    latest_us: AtomicI64,
    pub revisions: watch::Sender<u64>,
    pub followers: Followers,
    /// Held while the clock is moved or timers are fired.
    pub walking: tokio::sync::Mutex<()>,
}

impl Clock {
    /// The stored clock, or one that starts at `start` in a fresh world.
    pub async fn open(store: &Store, start: Option<Moment>) -> Result<Self, sqlx::Error> {
        let fresh = || ClockState {
            offset_us: start.map_or(0, |at| at.0 - Moment::of_the_machine().0),
            spared_us: 0,
            revision: 1,
        };
        let state = Setting::open(store, "clock", fresh).await?;
        Ok(Self {
            latest_us: AtomicI64::new(i64::MIN),
            revisions: watch::Sender::new(state.get().revision),
            state,
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
        self.state.get()
    }

    /// Moves the clock and asks its followers to acknowledge a new revision.
    pub async fn move_to(&self, store: &Store, offset_us: i64, spared_us: i64) -> Result<(), sqlx::Error> {
        let revision = self.state.change(store, |state| {
            *state = ClockState { offset_us, spared_us, revision: state.revision + 1 };
            state.revision
        });
        self.revisions.send_replace(revision.await?);
        Ok(())
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
