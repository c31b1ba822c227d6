//! Test clocks. A clock has its own time, which applies to the customers that were created under
//! it.
//!
//! As at the provider, their charges, refunds, disputes and checkout sessions keep the sandbox's
//! time.

use serde_json::json;

use crate::objects::{ClockStatus, Object, Subscription, TestClock, template};
use crate::provider::amounts::period_end;
use crate::provider::{ApiError, Params, Reply, clock_time, customer_deletion, events, load};
use crate::state::{DAY as DAY_US, Document, Timer, Tx, ids, text};

const DAY: i64 = 86_400;
/// Days after which a clock and its customers are deleted.
const KEPT_DAYS: i64 = 30;
/// Seconds that a clock without a subscription can be advanced at once.
const TWO_YEARS: i64 = 2 * 366 * DAY;

/// `POST /v1/test_helpers/test_clocks`.
pub async fn create(tx: &mut Tx, params: &Params) -> Reply {
    let frozen_time = params.integer("frozen_time")?.ok_or_else(|| ApiError::missing("frozen_time"))?;
    let now = tx.sandbox_now.seconds();
    let given = json!({
        "id": ids::new("clock"), "created": now, "deletes_after": now + KEPT_DAYS * DAY,
        "frozen_time": frozen_time, "name": params.text("name"),
    });
    let clock: TestClock = template(TestClock::KIND, given);
    tx.insert(&clock).await?;
    tx.set_timer(&clock.id, Timer::ClockDeleted, tx.sandbox_now.plus(KEPT_DAYS * DAY_US)).await?;
    events::emit(tx, "test_helpers.test_clock.created", &clock).await?;
    Ok(clock.document())
}

/// `POST /v1/test_helpers/test_clocks/{id}/advance`: returns at once; `due` does the work.
pub async fn advance(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    let target = params.integer("frozen_time")?.ok_or_else(|| ApiError::missing("frozen_time"))?;
    let mut clock: TestClock = load(tx, id).await?;
    let message = "Test clock advancement underway - cannot perform modifications.";
    ensure!(clock.status != ClockStatus::Advancing, ApiError::state(Some("test_clock_advancing"), message));
    check_target(tx, &clock, target).await?;
    clock.status = ClockStatus::Advancing;
    clock.status_details = json!({"advancing": {"target_frozen_time": target}});
    events::replace(tx, "test_helpers.test_clock.advancing", &clock).await?;
    Ok(clock.document())
}

/// Forward only, and by at most two periods of the shortest subscription.
async fn check_target(tx: &mut Tx, clock: &TestClock, target: i64) -> Result<(), ApiError> {
    let mut shortest = None;
    for customer in tx.find_by("customer", "test_clock", &clock.id).await? {
        for subscription in tx.load_by::<Subscription>("customer", text(&customer, "id")).await? {
            if !subscription.is_over() {
                let recurring = &subscription.item().price["recurring"];
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
    Err(ApiError::param("frozen_time", message))
}

/// `DELETE /v1/test_helpers/test_clocks/{id}`: deletes its customers, which cancels their
/// subscriptions.
pub async fn delete(tx: &mut Tx, id: &str) -> Reply {
    let clock: TestClock = load(tx, id).await?;
    clock_time::enter(tx, &clock);
    for customer in tx.find_by("customer", "test_clock", id).await? {
        if customer["deleted"] != true {
            customer_deletion::delete(tx, text(&customer, "id")).await?;
        }
    }
    tx.clear_timers_of_clock(id).await?;
    tx.clear_timers(id).await?;
    tx.delete(id).await?;
    events::emit(tx, "test_helpers.test_clock.deleted", &clock).await?;
    Ok(json!({"id": id, "object": TestClock::KIND, "deleted": true}))
}
