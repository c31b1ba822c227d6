//! The one clock of the product when it runs on the sandbox: the machine's time plus
//! an offset that is durable and only grows, and the followers that take it over HTTP.
//!
//! Who moves it, and in which order, is `clock/walk.rs`.

mod followers;

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::{Value, json};
use tokio::sync::watch;

use crate::state::moment::{Moment, SECOND};
use crate::state::store::{Store, Tx};

pub use followers::Followers;

const SETTING: &str = "clock";

/// Where the clock stands, as stored.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// Added to the machine's time, in microseconds.
    pub offset_us: i64,
    /// Total advanced with `keep_sessions`, in microseconds.
    pub spared_us: i64,
    /// Grows with every move; what followers acknowledge.
    pub revision: u64,
}

impl Standing {
    fn encode(self) -> String {
        json!({"offset_us": self.offset_us, "spared_us": self.spared_us, "revision": self.revision})
            .to_string()
    }

    fn decode(stored: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(stored).ok()?;
        Some(Self {
            offset_us: value["offset_us"].as_i64()?,
            spared_us: value["spared_us"].as_i64()?,
            revision: value["revision"].as_u64()?,
        })
    }
}

/// The clock.
pub struct Clock {
    standing: Mutex<Standing>,
    latest_us: AtomicI64,
    pub revisions: watch::Sender<u64>,
    /// Who follows, and how far they came.
    pub followers: Followers,
    /// Held by whoever moves the clock or fires what is due.
    pub walking: tokio::sync::Mutex<()>,
}

impl Clock {
    /// The clock as it was left, or at `start` in a fresh world.
    pub async fn open(store: &Store, start: Option<Moment>) -> Result<Self, sqlx::Error> {
        let mut conn = store.write().await?;
        let stored: Option<String> = sqlx::query_scalar("SELECT value FROM settings WHERE name = $1")
            .bind(SETTING)
            .fetch_optional(&mut *conn)
            .await?;
        let standing = stored.as_deref().and_then(Standing::decode).unwrap_or_else(|| Standing {
            offset_us: start.map_or(0, |at| at.0 - Moment::of_the_machine().0),
            spared_us: 0,
            revision: 1,
        });
        sqlx::query("INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING")
            .bind(SETTING)
            .bind(standing.encode())
            .execute(&mut *conn)
            .await?;
        conn.commit().await?;
        Ok(Self {
            standing: Mutex::new(standing),
            latest_us: AtomicI64::new(i64::MIN),
            revisions: watch::Sender::new(standing.revision),
            followers: Followers::default(),
            walking: tokio::sync::Mutex::new(()),
        })
    }

    /// The sandbox's now; it never goes back, even when the machine's does.
    pub fn now(&self) -> Moment {
        let now = Moment::of_the_machine().0 + self.standing().offset_us;
        Moment(self.latest_us.fetch_max(now, Ordering::Relaxed).max(now))
    }

    /// Where the clock stands.
    pub fn standing(&self) -> Standing {
        *self.standing.lock().expect("no holder of the clock's lock panics")
    }

    /// Writes a standing; [`Clock::take`] it once the transaction is committed.
    pub async fn store(tx: &mut Tx, standing: Standing) -> Result<(), sqlx::Error> {
        tx.setting_set(SETTING, &standing.encode()).await
    }

    pub fn take(&self, standing: Standing) {
        *self.standing.lock().expect("no holder of the clock's lock panics") = standing;
        self.revisions.send_replace(standing.revision);
    }

    /// What `GET /clock` answers.
    pub fn answer(&self) -> Value {
        let standing = self.standing();
        json!({
            "now": self.now().rfc3339(),
            "revision": standing.revision,
            "spared_seconds": standing.spared_us / SECOND,
        })
    }
}
