//! Test clocks. A clock has its own time and moves only the customers that were created under it. Everybody
//! else lives by the sandbox's clock (`/clock`).
//!
//! Charges, refunds, disputes and checkout sessions of its customers keep the sandbox's time, as at the provider.

use serde_json::Value;
use sqlx::Row;

use crate::objects::test_clock::{Advancing, Status, StatusDetails, TestClock};
use crate::objects::{Stored, to_document};
use crate::provider::billing::subscriptions;
use crate::provider::checkout::amounts::period_end;
use crate::provider::error::ApiError;
use crate::provider::params::Params;
use crate::provider::{Call, Reply, customers, events, listing};
use crate::state::ids;
use crate::state::moment::{DAY as DAY_US, Moment};
use crate::state::store::{Cause, Tx, text};
use crate::state::timers;
use crate::state::timers::{CLOCK_DELETED, Due};
use crate::state::world::World;

const DAY: i64 = 86_400;
/// Days after which a clock and its customers are deleted.
const KEPT_DAYS: i64 = 30;
/// Seconds that a clock without a subscription can be advanced at once.
const TWO_YEARS: i64 = 2 * 366 * DAY;
/// Customers of one clock.
const MAX_CUSTOMERS: usize = 3;
/// Parameters that name an object of a customer.
const REFERENCES: [&str; 4] = ["customer", "subscription", "invoice", "test_clock"];

/// `POST /v1/test_helpers/test_clocks`.
pub async fn create(tx: &mut Tx, params: &Params) -> Reply {
    params.only(&["frozen_time", "name"])?;
    let frozen_time = params.integer("frozen_time")?.ok_or_else(|| ApiError::missing("frozen_time"))?;
    let now = tx.sandbox_now.seconds();
    let clock = TestClock {
        id: ids::new("clock"),
        object: TestClock::KIND.to_owned(),
        created: now,
        deletes_after: now + KEPT_DAYS * DAY,
        frozen_time,
        livemode: false,
        name: params.text("name").map(str::to_owned),
        status: Status::Ready,
        status_details: StatusDetails::default(),
    };
    let document = tx.create(&clock).await?;
    tx.timer_set(&clock.id, CLOCK_DELETED, tx.sandbox_now.plus(KEPT_DAYS * DAY_US)).await?;
    events::emit(tx, "test_helpers.test_clock.created", &document, None).await?;
    Ok(document)
}

/// `GET /v1/test_helpers/test_clocks/{id}`.
pub async fn retrieve(tx: &mut Tx, id: &str) -> Reply {
    Ok(to_document(&load(tx, id).await?)?)
}

/// `GET /v1/test_helpers/test_clocks`.
pub async fn all(tx: &mut Tx, call: &Call<'_>) -> Reply {
    listing::list(tx, call, TestClock::KIND, &[], &[]).await
}

/// `POST /v1/test_helpers/test_clocks/{id}/advance`: returns at once; [`run_advances`] does the work.
pub async fn advance(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    params.only(&["frozen_time"])?;
    let target = params.integer("frozen_time")?.ok_or_else(|| ApiError::missing("frozen_time"))?;
    let mut clock = load(tx, id).await?;
    if clock.status == Status::Advancing {
        let message = "Test clock advancement underway - cannot perform modifications.";
        return Err(ApiError::state(Some("test_clock_advancing"), message));
    }
    check_target(tx, &clock, target).await?;
    clock.status = Status::Advancing;
    clock.status_details.advancing = Some(Advancing { target_frozen_time: target });
    let document = tx.replace(&clock).await?;
    events::emit(tx, "test_helpers.test_clock.advancing", &document, None).await?;
    Ok(document)
}

/// Forward only, and by at most two periods of the shortest subscription.
async fn check_target(tx: &mut Tx, clock: &TestClock, target: i64) -> Result<(), ApiError> {
    let mut shortest = None;
    for customer in tx.find_by("customer", "test_clock", &clock.id).await? {
        for subscription in tx.find_by("subscription", "customer", text(&customer, "id")).await? {
            let recurring = &subscription["items"]["data"][0]["price"]["recurring"];
            if !subscriptions::is_over(&subscription) {
                let period = period_end(clock.frozen_time, recurring) - clock.frozen_time;
                shortest = Some(shortest.map_or(period, |least: i64| least.min(period)));
            }
        }
    }
    let reach = shortest.map_or(TWO_YEARS, |period| 2 * period);
    if target > clock.frozen_time && target <= clock.frozen_time + reach {
        return Ok(());
    }
    let message = "A test clock can only be advanced to a later time, by at most two intervals of its shortest \
                   subscription, or two years without one.";
    Err(ApiError::invalid(Some("frozen_time"), None, message))
}

/// Takes every advancing clock to its target. A restart continues where the sandbox stopped.
pub async fn run_advances(world: &World) -> Result<(), sqlx::Error> {
    loop {
        let mut tx = world.read().await?;
        let advancing: Vec<TestClock> = tx.load_by("status", "advancing").await?;
        drop(tx);
        let Some(clock) = advancing.into_iter().next() else { return Ok(()) };
        while run_next(world, &clock.id).await? {}
    }
}

/// Fires the next due timer of a clock, or ends its advance. Returns whether the clock still advances.
async fn run_next(world: &World, id: &str) -> Result<bool, sqlx::Error> {
    let mut tx = world.write(Cause::default()).await?;
    let Some(mut clock) = tx.load::<TestClock>(id).await? else { return Ok(false) };
    let Some(Advancing { target_frozen_time }) = clock.status_details.advancing else { return Ok(false) };
    let row = sqlx::query(
        "DELETE FROM clock_timers WHERE rowid = (SELECT rowid FROM clock_timers
         WHERE clock_id = $1 AND due_at_us <= $2 ORDER BY due_at_us, rowid LIMIT 1)
         RETURNING object_id, what, due_at_us",
    )
    .bind(id)
    .bind(Moment::from_seconds(target_frozen_time).0)
    .fetch_optional(&mut *tx.conn)
    .await?;
    let Some(row) = row else {
        clock.frozen_time = target_frozen_time;
        clock.status = Status::Ready;
        clock.status_details = StatusDetails::default();
        let document = tx.replace(&clock).await?;
        enter(&mut tx, &clock);
        events::emit(&mut tx, "test_helpers.test_clock.ready", &document, None).await?;
        world.commit(tx).await?;
        return Ok(false);
    };
    let due = Due { object_id: row.get(0), what: row.get(1), at: Moment(row.get(2)) };
    clock.frozen_time = clock.frozen_time.max(due.at.seconds());
    tx.replace(&clock).await?;
    enter(&mut tx, &clock);
    match timers::fire(&mut tx, &due).await {
        Ok(()) => world.commit(tx).await?,
        Err(error) => {
            drop(tx);
            timers::drop_broken(world, &due, &error).await?;
        }
    }
    Ok(true)
}

/// From here on the transaction happens at the time of the clock.
fn enter(tx: &mut Tx, clock: &TestClock) {
    tx.now = Moment::from_seconds(clock.frozen_time);
    tx.test_clock = Some(clock.id.clone());
}

/// Moves the transaction to the time of the customer to whom an object belongs, if a test clock keeps it.
pub async fn enter_clock_of(tx: &mut Tx, document: &Value) -> Result<(), sqlx::Error> {
    if tx.test_clock.is_some() {
        return Ok(());
    }
    let is_customer = document["object"] == "customer";
    let customer =
        if is_customer { Some(document.clone()) } else { tx.find(text(document, "customer")).await? };
    let Some(customer) = customer else { return Ok(()) };
    if let Some(clock) = tx.load::<TestClock>(text(&customer, "test_clock")).await? {
        enter(tx, &clock);
    }
    Ok(())
}

/// Moves the transaction of a call to the time of the customer whom the call names.
pub async fn enter_clock_of_call(tx: &mut Tx, call: &Call<'_>) -> Result<(), sqlx::Error> {
    if matches!(call.path.first(), Some(&("refunds" | "disputes" | "test_helpers" | "checkout"))) {
        return Ok(());
    }
    let in_params = REFERENCES.iter().filter_map(|name| call.params.text(name));
    let ids: Vec<&str> = call.path.iter().skip(1).copied().take(1).chain(in_params).collect();
    for id in ids {
        let Some(document) = tx.find(id).await? else { continue };
        if document["object"] == TestClock::KIND {
            if let Some(clock) = tx.load::<TestClock>(id).await? {
                enter(tx, &clock);
            }
        } else {
            enter_clock_of(tx, &document).await?;
        }
    }
    Ok(())
}

/// Refuses a customer under an unknown clock, and a fourth one under the same clock.
pub async fn check_customer(tx: &mut Tx, params: &Params) -> Result<(), ApiError> {
    let Some(id) = params.text("test_clock") else { return Ok(()) };
    if tx.load::<TestClock>(id).await?.is_none() {
        return Err(ApiError::not_found("testclock", id, "test_clock"));
    }
    if tx.find_by("customer", "test_clock", id).await?.len() >= MAX_CUSTOMERS {
        let message = "A test clock can have at most 3 customers.";
        return Err(ApiError::invalid(Some("test_clock"), None, message));
    }
    Ok(())
}

/// `DELETE /v1/test_helpers/test_clocks/{id}`: its customers are deleted, which cancels their subscriptions.
pub async fn delete(tx: &mut Tx, id: &str) -> Reply {
    let clock = load(tx, id).await?;
    let document = to_document(&clock)?;
    enter(tx, &clock);
    for customer in tx.find_by("customer", "test_clock", id).await? {
        if customer["deleted"] != true {
            customers::delete(tx, text(&customer, "id")).await?;
        }
    }
    sqlx::query("DELETE FROM clock_timers WHERE clock_id = $1").bind(id).execute(&mut *tx.conn).await?;
    tx.timers_clear(id).await?;
    tx.delete(id).await?;
    events::emit(tx, "test_helpers.test_clock.deleted", &document, None).await?;
    Ok(serde_json::json!({"id": id, "object": TestClock::KIND, "deleted": true}))
}

/// 30 days after its creation.
pub async fn delete_by_time(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    delete(tx, id).await.map(drop)
}

async fn load(tx: &mut Tx, id: &str) -> Result<TestClock, ApiError> {
    tx.load(id).await?.ok_or_else(|| ApiError::not_found("testclock", id, "id"))
}
