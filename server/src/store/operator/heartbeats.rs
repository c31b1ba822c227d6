//! Heartbeats: the row that readiness writes, and the running servers.

use garimpo_domain::Timestamp;

use crate::store::engine::{Db, Result, Store, ro, transaction, tx};

/// A server counts as live for this long after its last heartbeat.
const LIVE_SECONDS: i64 = 30;

/// Commits a write, which proves that this process can write.
#[cfg(test)]
pub async fn write(store: &Store) -> Result<()> {
    beat(store, "srv_test", crate::clock::system_now()).await.map(drop)
}

/// Commits the heartbeat of a server, which proves that it can write. Returns the number of live
/// servers, including this one.
pub async fn beat(store: &Store, id: &str, real_now: Timestamp) -> Result<i64> {
    beat_beside(store, id, real_now, live_since(real_now)).await
}

/// Commits the first heartbeat of a server. It deletes those of an embedded database's earlier
/// processes, because it has one process at a time.
pub async fn first_beat(store: &Store, id: &str, real_now: Timestamp) -> Result<i64> {
    let is_embedded = matches!(store.db(), Db::Sqlite { .. });
    let live_since = if is_embedded { i64::MAX } else { live_since(real_now) };
    beat_beside(store, id, real_now, live_since).await
}

/// Commits a heartbeat and deletes those before `live_since`.
async fn beat_beside(store: &Store, id: &str, real_now: Timestamp, live_since: i64) -> Result<i64> {
    transaction!(store, (id = id.to_owned()), |tx| {
        tx!(tx, execute "INSERT INTO heartbeats (name, beat) VALUES ('ready', 1)
             ON CONFLICT (name) DO UPDATE SET beat = heartbeats.beat + 1")?;
        tx!(tx, execute "DELETE FROM live_servers WHERE seen_at_us < $1", live_since)?;
        tx!(tx, execute "INSERT INTO live_servers (id, seen_at_us) VALUES ($1, $2)
             ON CONFLICT (id) DO UPDATE SET seen_at_us = excluded.seen_at_us", id, real_now)?;
        tx!(tx, value "SELECT COUNT(*) FROM live_servers")
    })
}

/// Deletes the heartbeat of a stopping server.
pub async fn end(store: &Store, id: &str) -> Result<()> {
    transaction!(
        store,
        (id = id.to_owned()),
        |tx| tx!(tx, execute "DELETE FROM live_servers WHERE id = $1", id)
    )
}

/// Number of live servers.
pub async fn count_live(store: &Store, real_now: Timestamp) -> Result<i64> {
    ro!(store, value "SELECT COUNT(*) FROM live_servers WHERE seen_at_us >= $1", live_since(real_now))
}

fn live_since(real_now: Timestamp) -> i64 {
    real_now.plus_seconds(-LIVE_SECONDS).as_micros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::database::Database;

    #[tokio::test]
    async fn live_servers_have_a_recent_heartbeat_and_have_not_stopped() {
        let database = Database::new().await;
        let store = database.open().await;
        let now = Timestamp::from_micros(1_795_176_000_000_000);

        assert_eq!(beat(&store, "srv_a", now).await.expect("storable"), 1);
        assert_eq!(beat(&store, "srv_b", now.plus_seconds(20)).await.expect("storable"), 2);
        assert_eq!(beat(&store, "srv_b", now.plus_seconds(31)).await.expect("storable"), 1);
        assert_eq!(count_live(&store, now.plus_seconds(31)).await.expect("readable"), 1);
        end(&store, "srv_b").await.expect("storable");
        assert_eq!(count_live(&store, now.plus_seconds(31)).await.expect("readable"), 0);
    }

    #[tokio::test]
    async fn the_first_heartbeat_deletes_those_of_earlier_processes_in_an_embedded_database() {
        let store = Database::sqlite().open().await;
        let now = Timestamp::from_micros(1_795_176_000_000_000);
        beat(&store, "srv_a", now.plus_seconds(60)).await.expect("storable");

        assert_eq!(first_beat(&store, "srv_b", now).await.expect("storable"), 1);
    }
}
