//! The behavior in force, stored as a setting.

use parking_lot::RwLock;

use crate::state::behavior::Behavior;
use crate::state::store::{Store, Tx};

/// Name of the row in the table `settings`.
const SETTING: &str = "behavior";

pub struct Behaviors(RwLock<Behavior>);

impl Behaviors {
    pub async fn open(store: &Store) -> Result<Self, sqlx::Error> {
        Ok(Self(RwLock::new(store.setting(SETTING).await?.unwrap_or_default())))
    }

    pub fn now(&self) -> Behavior {
        *self.0.read()
    }

    /// Puts a behavior in force after the transaction that stored it is committed.
    pub fn set(&self, behavior: Behavior) {
        *self.0.write() = behavior;
    }
}

impl Tx {
    pub async fn store_behavior(&mut self, behavior: Behavior) -> Result<(), sqlx::Error> {
        self.setting_set(SETTING, &behavior).await
    }
}
