//! Fires timers: sessions and vouchers expire, periods end, failed payments are retried.

use serde_json::json;

use crate::objects::{ClockStatus, TestClock};
use crate::provider::billing::{collection, pauses, renewals, subscriptions, voiding, voucher_outcomes};
use crate::provider::checkout::sessions;
use crate::provider::money::{disputes, refunds};
use crate::provider::{ApiError, clock_time, events, test_clocks};
use crate::state::{Cause, Due, Moment, SANDBOX, Timer, Tx, World};

/// The instant of the first timer of the sandbox's clock.
pub async fn next_due(world: &World) -> Result<Option<Moment>, sqlx::Error> {
    world.read().await?.first_due().await
}

/// Fires what is due, in order, each timer in a transaction of its own. Then takes advancing test
/// clocks to their targets.
pub async fn fire_due(world: &World) -> Result<(), sqlx::Error> {
    while next_due(world).await?.is_some_and(|due| due <= world.now()) {
        let mut tx = world.write(Cause::default()).await?;
        let now = tx.now;
        let Some(due) = tx.take_due(SANDBOX, now).await? else { break };
        fire_and_commit(world, tx, &due).await?;
    }
    Box::pin(run_advances(world)).await
}

/// Fires a timer. One that fails is deleted, so that a broken object does not stop the clock.
async fn fire_and_commit(world: &World, mut tx: Tx, due: &Due) -> Result<(), sqlx::Error> {
    // On the heap, because the largest timer is larger than the rest of the walk.
    if let Err(error) = Box::pin(fire(&mut tx, due)).await {
        tracing::error!(?error, ?due, "a due timer failed and is deleted");
        drop(tx);
        tx = world.write(Cause::default()).await?;
        tx.clear_timer(due).await?;
    }
    world.commit(tx).await
}

async fn fire(tx: &mut Tx, due: &Due) -> Result<(), ApiError> {
    let id = due.object_id.as_str();
    match due.what {
        Timer::SessionExpires => sessions::expire_by_time(tx, id).await,
        Timer::VoucherExpires => voucher_outcomes::expire(tx, id).await,
        Timer::VoucherPaid => voucher_outcomes::pay_by_itself(tx, id).await,
        Timer::VoucherConfirmed => voucher_outcomes::confirm_by_time(tx, id).await,
        Timer::IncompleteEnds => voucher_outcomes::end_incomplete(tx, id).await,
        Timer::PendingUpdateExpires => voiding::expire_pending_update(tx, id).await,
        Timer::PeriodEnds => renewals::end_period(tx, id, due.at).await,
        Timer::RenewalNears => renewals::announce_renewal(tx, id).await,
        Timer::TrialNearsEnd => renewals::announce_trial_end(tx, id).await,
        Timer::EndsAt => subscriptions::ends_at(tx, id).await,
        Timer::CollectionResumes => pauses::resume_by_time(tx, id).await,
        Timer::InvoiceCloses => renewals::close_invoice(tx, id).await,
        Timer::InvoiceRetries => collection::retry(tx, id).await,
        Timer::DisputeOpens => disputes::open_by_time(tx, id).await,
        Timer::RefundSettles => refunds::settle(tx, id).await,
        Timer::ClockDeleted => test_clocks::delete(tx, id).await.map(drop),
    }
}

/// Takes every advancing clock to its target. A restart continues where the sandbox stopped.
async fn run_advances(world: &World) -> Result<(), sqlx::Error> {
    loop {
        let advancing: Vec<TestClock> = world.read().await?.load_by("status", "advancing").await?;
        let Some(clock) = advancing.into_iter().next() else { return Ok(()) };
        while run_next(world, &clock.id).await? {}
    }
}

/// Fires the next due timer of a clock, or ends its advance. Returns whether the clock still
/// advances.
async fn run_next(world: &World, id: &str) -> Result<bool, sqlx::Error> {
    let mut tx = world.write(Cause::default()).await?;
    let Some(mut clock) = tx.load::<TestClock>(id).await? else { return Ok(false) };
    let target = &clock.status_details["advancing"]["target_frozen_time"];
    let Some(target) = target.as_i64() else { return Ok(false) };
    let due = tx.take_due(id, Moment::from_seconds(target)).await?;
    let Some(due) = due else {
        clock.frozen_time = target;
        clock.status = ClockStatus::Ready;
        clock.status_details = json!({});
        tx.update(&clock).await?;
        clock_time::enter(&mut tx, &clock);
        events::emit(&mut tx, "test_helpers.test_clock.ready", &clock).await?;
        world.commit(tx).await?;
        return Ok(false);
    };
    clock.frozen_time = clock.frozen_time.max(due.at.seconds());
    tx.update(&clock).await?;
    clock_time::enter(&mut tx, &clock);
    fire_and_commit(world, tx, &due).await?;
    Ok(true)
}
