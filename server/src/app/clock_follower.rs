//! Follows the sandbox's clock by long poll, and acknowledges each move after its due jobs had time
//! to run.

use std::sync::Arc;
use std::time::Duration;

use garimpo_domain::Timestamp;
use serde::Deserialize;

use crate::causes::Causes;
use crate::clock::{Clock as _, SandboxClock, system_now};
use crate::providers::client_for;
use crate::queue::Queue;

#[cfg(test)]
mod tests;

/// The sandbox ends a long poll after at most 20 s.
const POLL_TIMEOUT: Duration = Duration::from_secs(25);
/// How long due jobs may delay the acknowledgement of a move.
const SETTLE: Duration = Duration::from_millis(1500);
const MIN_RETRY_PAUSE: Duration = Duration::from_millis(100);
const MAX_RETRY_PAUSE: Duration = Duration::from_secs(2);

pub(crate) struct Follower {
    /// Origin of the sandbox.
    pub url: String,
    /// Distinguishes this follower from others.
    pub name: String,
    pub clock: Arc<SandboxClock>,
    pub queue: Arc<Queue>,
    pub client: reqwest::Client,
}

#[derive(Deserialize)]
struct ClockResponse {
    now: String,
    revision: i64,
    #[serde(default)]
    spared_seconds: i64,
}

/// Why the sandbox's time is unknown.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    #[error("reading the sandbox's clock")]
    Http(#[from] reqwest::Error),
    #[error("the sandbox's time is not an RFC 3339 instant")]
    NotAnInstant(#[from] garimpo_domain::instant::NotAnInstant),
}

impl Follower {
    /// Reads the sandbox's clock once, for a process that is too short-lived to follow it.
    pub(crate) async fn read_once(url: &str) -> Result<SandboxClock, FollowError> {
        let client = client_for(url).no_proxy().build()?;
        let clock = SandboxClock::default();
        read(&client, url, &[], None, &clock).await?;
        Ok(clock)
    }

    /// Follows until the task is aborted.
    pub(crate) async fn run(self) {
        let mut revision = None;
        let mut next_due = self.queue.next_due();
        let mut pause = MIN_RETRY_PAUSE;
        loop {
            let due = *next_due.borrow_and_update();
            let polled = tokio::select! {
                polled = self.poll(revision, due) => polled,
                // Poll again, so that the sandbox gets the new stop. The first poll is never given
                // up.
                Ok(()) = next_due.changed(), if revision.is_some() => continue,
            };
            match polled {
                Ok(current) => {
                    pause = MIN_RETRY_PAUSE;
                    if revision != Some(current) {
                        revision = Some(current);
                        self.queue.wake();
                        // The next poll acknowledges this revision.
                        self.queue.settle(SETTLE).await;
                        // It also sends the next stop: without it the clock would skip that job's
                        // moment.
                        if let Err(error) = self.queue.announce_next_due().await {
                            tracing::warn!(error = %Causes(&error), "the next due job was not read");
                        }
                    }
                }
                Err(error) => {
                    tracing::warn!(error = %Causes(&error), "the sandbox's clock was not read");
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(MAX_RETRY_PAUSE);
                }
            }
        }
    }

    /// Sets the clock from the sandbox's: at once the first time, later when it has moved.
    async fn poll(&self, revision: Option<i64>, due: Option<Timestamp>) -> Result<i64, FollowError> {
        // Sent with the first poll too: a move while the first due jobs run must wait for this
        // follower.
        let mut query = vec![("follower", self.name.clone())];
        if let Some(revision) = revision {
            query.push(("after", revision.to_string()));
            let due = due.filter(|due| *due > self.clock.now());
            query.extend(due.map(|due| ("next_due", due.to_rfc3339())));
        }
        read(&self.client, &self.url, &query, revision, &self.clock).await
    }
}

/// Reads the sandbox's time, sets the clock if its revision is not `revision`, and returns the
/// revision.
async fn read(
    client: &reqwest::Client,
    url: &str,
    query: &[(&str, String)],
    revision: Option<i64>,
    clock: &SandboxClock,
) -> Result<i64, FollowError> {
    let request = client.get(format!("{url}/clock")).timeout(POLL_TIMEOUT).query(query);
    let response: ClockResponse = request.send().await?.error_for_status()?.json().await?;
    let now = Timestamp::parse_rfc3339(&response.now)?;
    if revision != Some(response.revision) {
        let spared_us = response.spared_seconds.saturating_mul(1_000_000);
        clock.set(now.micros_since(system_now()), spared_us);
    }
    Ok(response.revision)
}
