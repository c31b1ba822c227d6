//! Follows the sandbox's clock by long poll and acknowledges each move once its due work had its time.

use std::sync::Arc;
use std::time::Duration;

use garimpo_domain::Timestamp;
use serde::Deserialize;

use super::{Clock as _, SandboxClock, system_now};
use crate::causes::Causes;
use crate::providers::client_for;
use crate::queue::Queue;

/// The sandbox answers a long poll after 20 s at the latest.
const POLL_TIMEOUT: Duration = Duration::from_secs(25);
/// How long due jobs may keep the acknowledgement of a move waiting.
const SETTLE: Duration = Duration::from_millis(1500);
const RETRY_FIRST: Duration = Duration::from_millis(100);
const RETRY_LONGEST: Duration = Duration::from_secs(2);

/// One process's follower.
pub(crate) struct Follower {
    /// Origin of the sandbox.
    pub url: String,
    /// Name that tells followers apart.
    pub name: String,
    pub clock: Arc<SandboxClock>,
    pub queue: Arc<Queue>,
    pub client: reqwest::Client,
}

#[derive(Deserialize)]
struct Answer {
    now: String,
    revision: i64,
    #[serde(default)]
    spared_seconds: i64,
}

/// Why the sandbox's time is not known.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// It does not answer.
    #[error("asking the sandbox for the time")]
    Http(#[from] reqwest::Error),
    /// It answered something else.
    #[error("the sandbox answered a time that is no RFC 3339 instant")]
    NotAnInstant(#[from] garimpo_domain::instant::NotAnInstant),
}

impl Follower {
    /// The clock as the sandbox tells it once, for a process too short-lived to follow.
    pub(crate) async fn asked_once(url: &str) -> Result<SandboxClock, FollowError> {
        let client = client_for(url).no_proxy().build()?;
        let clock = SandboxClock::default();
        ask(&client, url, &[], None, &clock).await?;
        Ok(clock)
    }

    /// Follows until the task is ended.
    pub(crate) async fn run(self) {
        let mut revision = None;
        let mut next_due = self.queue.next_due();
        let mut pause = RETRY_FIRST;
        loop {
            let due = *next_due.borrow_and_update();
            let asked = tokio::select! {
                answer = self.ask(revision, due) => answer,
                // Asked anew, so that a walk knows of it; the first answer is never given up.
                Ok(()) = next_due.changed(), if revision.is_some() => continue,
            };
            match asked {
                Ok(answered) => {
                    pause = RETRY_FIRST;
                    if revision != Some(answered) {
                        revision = Some(answered);
                        self.queue.wake();
                        // The next poll acknowledges this revision.
                        self.queue.settle(SETTLE).await;
                        // That poll names the next stop too: without it the walk would pass over the job.
                        if let Err(error) = self.queue.announce_next_due().await {
                            tracing::warn!(error = %Causes(&error), "the next due job is not known");
                        }
                    }
                }
                Err(error) => {
                    tracing::warn!(
                        error = %Causes(&error),
                        "the sandbox's clock does not answer"
                    );
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(RETRY_LONGEST);
                }
            }
        }
    }

    /// Asks for the time, from the second time on when it has moved, and takes it.
    async fn ask(&self, revision: Option<i64>, due: Option<Timestamp>) -> Result<i64, FollowError> {
        // Named from the first time on: a move that comes while the first due jobs run must wait for this follower.
        let mut query = vec![("follower", self.name.clone())];
        if let Some(revision) = revision {
            query.push(("after", revision.to_string()));
            let due = due.filter(|due| *due > self.clock.now());
            query.extend(due.map(|due| ("next_due", due.to_rfc3339())));
        }
        ask(&self.client, &self.url, &query, revision, &self.clock).await
    }
}

/// Asks for the time and sets the clock where its revision is another than `revision`; answers the revision.
async fn ask(
    client: &reqwest::Client,
    url: &str,
    query: &[(&str, String)],
    revision: Option<i64>,
    clock: &SandboxClock,
) -> Result<i64, FollowError> {
    let request = client.get(format!("{url}/clock")).timeout(POLL_TIMEOUT).query(query);
    let answer: Answer = request.send().await?.error_for_status()?.json().await?;
    let now = Timestamp::parse_rfc3339(&answer.now)?;
    if revision != Some(answer.revision) {
        let spared_us = answer.spared_seconds.saturating_mul(1_000_000);
        clock.set(now.micros_since(system_now()), spared_us);
    }
    Ok(answer.revision)
}
