//! Moves the clock from one due moment to the next, and waits at each until the product has
//! followed.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::provider::{ApiError, due, webhooks};
use crate::state::clock::ClockState;
use crate::state::{Moment, World};

/// Microseconds of a second.
const MICROS: f64 = 1e6;
/// Limit of all the waiting of one walk.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Webhooks cause work, and that work more webhooks: the walk waits for this number of rounds.
const MAX_ROUNDS: usize = 5;

/// How far to move the clock: by seconds, or to an instant in RFC 3339.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoveRequest {
    advance_seconds: Option<f64>,
    set: Option<String>,
    #[serde(default)]
    keep_sessions: bool,
}

impl MoveRequest {
    /// The offset of the clock after the move, in microseconds.
    fn offset_us(&self, current_us: i64) -> Result<i64, ApiError> {
        let refuse = |why: &str| Err(ApiError::state(None, why));
        match (self.advance_seconds, self.set.as_deref().map(Moment::parse)) {
            (Some(seconds), None) if (0.0..=4e9).contains(&seconds) => {
                Ok(current_us + (seconds * MICROS) as i64)
            }
            (None, Some(Some(at))) => Ok(at.0 - Moment::of_the_machine().0),
            (None, Some(None)) => refuse("set: not an RFC 3339 instant"),
            _ => refuse("one of advance_seconds (0 to 4e9) and set is required"),
        }
    }
}

#[derive(Debug, Default)]
pub struct Walked {
    /// Deliveries that are not accepted yet.
    pub pending: i64,
    /// Followers that fell silent while the walk waited for them, once for each time.
    pub fell_silent: Vec<String>,
}

/// Moves through the due moments in order, up to the requested instant.
pub async fn walk(world: &World, request: &MoveRequest) -> Result<Walked, ApiError> {
    let _walking = world.clock.walking.lock().await;
    let deadline = Instant::now() + TIMEOUT;
    let begin = world.clock.state();
    let last_offset = request.offset_us(begin.offset_us)?;
    let message = format!("the clock only goes forward; it is {}", world.now().rfc3339());
    ensure!(last_offset >= begin.offset_us, ApiError::state(None, message));
    let mut walked = Walked::default();
    due::fire_due(world).await?;
    walked.fell_silent.extend(settle(world, deadline).await?);
    loop {
        let now = world.now();
        let target = Moment::of_the_machine().plus(last_offset);
        let stop = next_moment(world, now).await?.filter(|due| *due < target);
        let state = world.clock.state();
        let offset_us = match stop {
            Some(due) => (due.0 - Moment::of_the_machine().0).clamp(state.offset_us, last_offset),
            None => last_offset,
        };
        let spared = if request.keep_sessions { offset_us - state.offset_us } else { 0 };
        world.clock.move_to(&world.store, offset_us, state.spared_us + spared).await?;
        // Followers first, because they refuse an event that was signed in their future.
        let revision = world.clock.state().revision;
        walked.fell_silent.extend(world.clock.followers.wait(revision, deadline).await);
        due::fire_due(world).await?;
        walked.fell_silent.extend(settle(world, deadline).await?);
        if stop.is_none() {
            walked.pending = webhooks::undelivered(world).await?;
            return Ok(walked);
        }
    }
}

async fn next_moment(world: &World, now: Moment) -> Result<Option<Moment>, sqlx::Error> {
    let own = due::next_due(world).await?;
    let followers = world.clock.followers.next_due(now);
    Ok(own.into_iter().chain(followers).min())
}

/// Waits until webhooks are answered and followers have done what these brought them; returns the
/// followers that fell silent meanwhile.
async fn settle(world: &World, deadline: Instant) -> Result<Vec<String>, sqlx::Error> {
    let mut fell_silent = Vec::new();
    world.deliveries_changed.notify_one();
    for _ in 0..MAX_ROUNDS {
        fell_silent.extend(world.clock.followers.wait(world.clock.state().revision, deadline).await);
        let before = world.delivery_attempts.load(Ordering::SeqCst);
        webhooks::wait_until_answered(world, deadline).await?;
        if world.delivery_attempts.load(Ordering::SeqCst) == before {
            break;
        }
        // A new revision of the same time: a follower that acknowledges it has handled the events.
        let ClockState { offset_us, spared_us, .. } = world.clock.state();
        world.clock.move_to(&world.store, offset_us, spared_us).await?;
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
    due::fire_due(world).await?;
    let wait_us = due::next_due(world).await?.map_or(i64::MAX, |due| due.0 - world.now().0);
    Ok(Duration::from_micros(wait_us.clamp(0, 60_000_000) as u64))
}
