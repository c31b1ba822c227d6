//! Test clocks. The sandbox has one time for everything, so each of them is a view of `/clock`: advancing
//! one advances the world.

use serde_json::{Value, json};

use crate::clock::{Step, walk};
use crate::ids;
use crate::moment::Moment;
use crate::params::Params;
use crate::payments::catalog::get;
use crate::payments::error::ApiError;
use crate::payments::{Call, Reply};
use crate::store::{Cause, Tx, public, text};
use crate::world::World;

/// The answer to `POST …/test_clocks/{id}/advance`, the one call that cannot run inside a transaction.
pub async fn advance(world: &World, call: &Call<'_>) -> Option<Reply> {
    let ["test_helpers", "test_clocks", id, "advance"] = call.path.as_slice() else { return None };
    (call.method == http::Method::POST).then_some(())?;
    Some(advance_to(world, id, &call.params).await)
}

async fn advance_to(world: &World, id: &str, params: &Params) -> Reply {
    params.only(&["frozen_time"])?;
    let to = params.integer("frozen_time")?.ok_or_else(|| ApiError::missing("frozen_time"))?;
    let mut tx = world.read().await?;
    get(&mut tx, "test_helpers.test_clock", id).await?;
    drop(tx);
    let walked = walk(world, Step::Set(Moment::from_seconds(to)), false).await;
    walked.map_err(|error| ApiError::invalid(Some("frozen_time"), None, error.to_string()))?;
    let mut tx = world.write(Cause::default()).await?;
    let mut doc = get(&mut tx, "test_helpers.test_clock", id).await?;
    doc["frozen_time"] = json!(to);
    tx.update(&doc).await?;
    world.commit(tx).await?;
    Ok(public(&doc))
}

/// `POST /v1/test_helpers/test_clocks`: its time is the world's, which never goes back.
pub async fn create(tx: &mut Tx, params: &Params) -> Reply {
    params.only(&["frozen_time", "name"])?;
    params.required("frozen_time")?;
    let now = tx.now.seconds();
    let doc = json!({
        "id": ids::new("clock"), "object": "test_helpers.test_clock", "created": now,
        "deletes_after": now + 30 * 86_400, "frozen_time": now, "livemode": false, "name": params.text("name"),
        "status": "ready", "status_details": {},
    });
    tx.insert(&doc).await?;
    Ok(doc)
}

/// `DELETE /v1/test_helpers/test_clocks/{id}`: the clock alone goes, not its customers.
pub async fn delete(tx: &mut Tx, id: &str) -> Reply {
    let doc: Value = get(tx, "test_helpers.test_clock", id).await?;
    tx.delete(text(&doc, "id")).await?;
    Ok(json!({"id": id, "object": "test_helpers.test_clock", "deleted": true}))
}
