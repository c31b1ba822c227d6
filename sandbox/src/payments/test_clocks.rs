//! Test clocks. The sandbox has one time for everything, so each of them is a view of `/clock`: its time is
//! the world's, and advancing one advances the world.

use serde_json::{Value, json};

use crate::clock::{Step, walk};
use crate::ids;
use crate::moment::Moment;
use crate::params::Params;
use crate::payments::amounts::period_end;
use crate::payments::catalog::get;
use crate::payments::error::ApiError;
use crate::payments::idempotency::Key;
use crate::payments::{Answered, Call, Reply, events, listing, subscriptions};
use crate::store::{Cause, Tx, number, public, text};
use crate::world::World;

const KIND: &str = "test_helpers.test_clock";
const DAY: i64 = 86_400;
/// How far a clock goes at once when nothing is subscribed under it.
const TWO_YEARS: i64 = 2 * 366 * DAY;

/// The answer to `POST …/test_clocks/{id}/advance`, the one call that cannot run inside a transaction.
pub async fn advance(world: &World, call: &Call<'_>, key: Option<&Key<'_>>) -> Option<Answered> {
    let ["test_helpers", "test_clocks", id, "advance"] = call.path.as_slice() else { return None };
    (call.method == http::Method::POST).then_some(())?;
    Some(advance_once(world, id, &call.params, key).await)
}

async fn advance_once(world: &World, id: &str, params: &Params, key: Option<&Key<'_>>) -> Answered {
    if let Some(key) = key
        && let Some((status, body)) = key.replay(&mut world.read().await?).await?
    {
        return Ok((status, body, true));
    }
    params.only(&["frozen_time"])?;
    let to = params.integer("frozen_time")?.ok_or_else(|| ApiError::missing("frozen_time"))?;
    check_reach(&mut world.read().await?, id, to).await?;
    let walked = walk(world, Step::Set(Moment::from_seconds(to)), false).await;
    walked.map_err(|error| ApiError::invalid(Some("frozen_time"), None, error.to_string()))?;
    let mut tx = world.write(Cause::default()).await?;
    let mut doc = get(&mut tx, KIND, id).await?;
    doc["frozen_time"] = json!(to);
    tx.update(&doc).await?;
    events::emit(&mut tx, "test_helpers.test_clock.ready", &doc, None).await?;
    let body = public(&doc).to_string();
    if let Some(key) = key {
        key.keep(&mut tx, 200, &body).await?;
    }
    world.commit(tx).await?;
    Ok((200, body, false))
}

/// At most two periods of the shortest subscription under the clock, as at the provider.
async fn check_reach(tx: &mut Tx, id: &str, to: i64) -> Result<(), ApiError> {
    get(tx, KIND, id).await?;
    let now = tx.now.seconds();
    let mut shortest = None;
    for customer in tx.find_by("customer", "test_clock", id).await? {
        for subscription in tx.find_by("subscription", "customer", text(&customer, "id")).await? {
            let recurring = &subscription["items"]["data"][0]["price"]["recurring"];
            if !subscriptions::is_over(&subscription) {
                let period = period_end(now, recurring) - now;
                shortest = Some(shortest.map_or(period, |least: i64| least.min(period)));
            }
        }
    }
    let reach = shortest.map_or(TWO_YEARS, |period| 2 * period);
    if to <= now + reach {
        return Ok(());
    }
    let message = "A test clock can be advanced by at most two intervals of its shortest subscription, or two \
                   years without one.";
    Err(ApiError::invalid(Some("frozen_time"), None, message))
}

/// `GET /v1/test_helpers/test_clocks/{id}`.
pub async fn retrieve(tx: &mut Tx, id: &str) -> Reply {
    let mut doc = get(tx, KIND, id).await?;
    show_time(tx, &mut doc);
    Ok(doc)
}

/// `GET /v1/test_helpers/test_clocks`.
pub async fn all(tx: &mut Tx, call: &Call<'_>) -> Reply {
    let mut list = listing::list(tx, call, KIND, &[], &[]).await?;
    for doc in list["data"].as_array_mut().into_iter().flatten() {
        show_time(tx, doc);
    }
    Ok(list)
}

/// The world goes on between two advances, and with it every clock.
fn show_time(tx: &Tx, doc: &mut Value) {
    doc["frozen_time"] = json!(number(doc, "frozen_time").max(tx.now.seconds()));
}

/// `POST /v1/test_helpers/test_clocks`: its time is the world's, which never goes back.
pub async fn create(tx: &mut Tx, params: &Params) -> Reply {
    params.only(&["frozen_time", "name"])?;
    params.integer("frozen_time")?.ok_or_else(|| ApiError::missing("frozen_time"))?;
    let now = tx.now.seconds();
    let doc = json!({
        "id": ids::new("clock"), "object": KIND, "created": now, "deletes_after": now + 30 * DAY,
        "frozen_time": now, "livemode": false, "name": params.text("name"), "status": "ready",
        "status_details": {},
    });
    tx.insert(&doc).await?;
    events::emit(tx, "test_helpers.test_clock.created", &doc, None).await?;
    Ok(doc)
}

/// `DELETE /v1/test_helpers/test_clocks/{id}`: the clock alone goes, not its customers.
pub async fn delete(tx: &mut Tx, id: &str) -> Reply {
    let doc: Value = get(tx, KIND, id).await?;
    tx.delete(text(&doc, "id")).await?;
    events::emit(tx, "test_helpers.test_clock.deleted", &doc, None).await?;
    Ok(json!({"id": id, "object": KIND, "deleted": true}))
}
