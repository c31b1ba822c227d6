//! A value that outlives restarts, stored as JSON in the table `settings`.

use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::state::store::{Store, sql};

pub struct Setting<T> {
    name: &'static str,
    value: Mutex<T>,
    /// Held during a change, so that no change overwrites another.
    changing: tokio::sync::Mutex<()>,
}

impl<T: Clone + Serialize + DeserializeOwned> Setting<T> {
    /// The stored value. Without one, or when an earlier version stored another shape, `fresh` is
    /// stored.
    pub async fn open(
        store: &Store,
        name: &'static str,
        fresh: impl FnOnce() -> T,
    ) -> Result<Self, sqlx::Error> {
        let stored = store.setting(name).await?;
        let is_fresh = stored.is_none();
        let value = Mutex::new(stored.unwrap_or_else(fresh));
        let setting = Self { name, value, changing: tokio::sync::Mutex::default() };
        if is_fresh {
            setting.change(store, |_| ()).await?;
        }
        Ok(setting)
    }

    pub fn get(&self) -> T {
        self.value.lock().clone()
    }

    /// Changes the value, which is stored before it is in force.
    pub async fn change<R>(&self, store: &Store, change: impl FnOnce(&mut T) -> R) -> Result<R, sqlx::Error> {
        let _changing = self.changing.lock().await;
        let mut value = self.get();
        let result = change(&mut value);
        let mut conn = store.write().await?;
        let sql = "INSERT INTO settings (name, value) VALUES ($1, $2)
                   ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        sql!(sql, self.name, json!(value)).execute(&mut *conn).await?;
        conn.commit().await?;
        *self.value.lock() = value;
        Ok(result)
    }
}
