//! Moving the clock: due moment by due moment, waiting at each until the product has taken it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::provider::webhooks;
use crate::state::clock::{Clock, Standing};
use crate::state::moment::Moment;
use crate::state::store::Cause;
use crate::state::timers;
use crate::state::world::World;

/// All the waiting of one walk together.
const PATIENCE: Duration = Duration::from_secs(30);
/// Webhooks cause work, and that work more webhooks: so many rounds are waited for at one moment.
const ROUNDS: usize = 5;

/// A wish to move the clock.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// By so many microseconds.
    Advance(i64),
    /// To an instant.
    Set(Moment),
}

/// Why the clock was not moved.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// The clock only goes forward.
    #[error("the clock only goes forward; it is {now}")]
    Backwards {
        /// RFC 3339.
        now: String,
    },
    /// The database failed.
    #[error(transparent)]
    Store(#[from] sqlx::Error),
}

/// What a walk left.
#[derive(Debug, Default)]
pub struct Walked {
    /// Deliveries that still wait.
    pub pending: i64,
    /// Followers that fell silent while the walk waited for them, once for each time.
    pub fell_silent: Vec<String>,
}

/// Walks through the due moments in order up to the wished instant.
pub async fn walk(world: &World, step: Step, keep_sessions: bool) -> Result<Walked, WalkError> {
    let _walking = world.clock.walking.lock().await;
    let deadline = Instant::now() + PATIENCE;
    let begin = world.clock.standing();
    let last_offset = match step {
        Step::Advance(micros) => begin.offset_us + micros,
        Step::Set(at) => at.0 - Moment::of_the_machine().0,
    };
    if last_offset < begin.offset_us {
        return Err(WalkError::Backwards { now: world.now().rfc3339() });
    }
    let mut walked = Walked::default();
    timers::fire_due(world).await?;
    walked.fell_silent.extend(settle(world, deadline).await?);
    loop {
        let now = world.now();
        let target = Moment::of_the_machine().plus(last_offset);
        let stop = next_moment(world, now).await?.filter(|due| *due < target);
        let standing = world.clock.standing();
        let offset_us = match stop {
            Some(due) => (due.0 - Moment::of_the_machine().0).clamp(standing.offset_us, last_offset),
            None => last_offset,
        };
        let moved = if keep_sessions { offset_us - standing.offset_us } else { 0 };
        move_to(world, Standing { offset_us, spared_us: standing.spared_us + moved, ..standing }).await?;
        // Followers first: an event signed at the new time must not reach one that still lives in the old.
        let revision = world.clock.standing().revision;
        walked.fell_silent.extend(world.clock.followers.wait(revision, deadline).await);
        timers::fire_due(world).await?;
        walked.fell_silent.extend(settle(world, deadline).await?);
        if stop.is_none() {
            walked.pending = webhooks::undelivered(world).await?;
            return Ok(walked);
        }
    }
}

async fn next_moment(world: &World, now: Moment) -> Result<Option<Moment>, sqlx::Error> {
    let own = timers::next_due(world).await?;
    let followers = world.clock.followers.next_due(now);
    Ok(own.into_iter().chain(followers).min())
}

async fn move_to(world: &World, standing: Standing) -> Result<(), sqlx::Error> {
    let standing = Standing { revision: world.clock.standing().revision + 1, ..standing };
    let mut tx = world.write(Cause::default()).await?;
    Clock::store(&mut tx, standing).await?;
    tx.conn.commit().await?;
    world.clock.take(standing);
    Ok(())
}

/// Waits until webhooks are answered and followers have done what these brought them; returns the followers that fell
/// silent meanwhile.
async fn settle(world: &World, deadline: Instant) -> Result<Vec<String>, sqlx::Error> {
    let mut fell_silent = Vec::new();
    world.deliveries_changed.notify_one();
    for _ in 0..ROUNDS {
        fell_silent.extend(world.clock.followers.wait(world.clock.standing().revision, deadline).await);
        let before = world.delivery_attempts.load(Ordering::SeqCst);
        webhooks::wait_until_answered(world, deadline).await?;
        if world.delivery_attempts.load(Ordering::SeqCst) == before {
            break;
        }
        // A new revision of the same time: who acknowledges it has done the work that the events left.
        move_to(world, world.clock.standing()).await?;
    }
    Ok(fell_silent)
}

/// Fires what falls due as time passes by itself.
pub async fn tick_forever(world: Arc<World>) {
    loop {
        let until_due = {
            let _walking = world.clock.walking.lock().await;
            match fire(&world).await {
                Ok(until_due) => until_due,
                Err(error) => {
                    tracing::error!(%error, "the sandbox could not fire what is due");
                    Duration::from_secs(1)
                }
            }
        };
        tokio::select! {
            () = tokio::time::sleep(until_due) => {}
            () = world.timers_changed.notified() => {}
        }
    }
}

async fn fire(world: &World) -> Result<Duration, sqlx::Error> {
    timers::fire_due(world).await?;
    let wait_us = timers::next_due(world).await?.map_or(i64::MAX, |due| due.0 - world.now().0);
    Ok(Duration::from_micros(wait_us.clamp(0, 60_000_000) as u64))
}
