//! Followers of the clock. A poll with `after=N` acknowledges revision N and the work that was due
//! then.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::state::moment::Moment;

/// After this time without an open poll, a follower is silent and not waited for.
const SILENCE: Duration = Duration::from_secs(2);
/// After this time without a poll, a follower is removed.
const FORGET: Duration = Duration::from_mins(5);

struct Follower {
    taken: u64,
    polls_open: u32,
    heard_at: Instant,
    next_due: Option<Moment>,
}

impl Follower {
    fn is_silent(&self) -> bool {
        self.polls_open == 0 && self.heard_at.elapsed() >= SILENCE
    }
}

#[derive(Default)]
pub struct Followers {
    by_name: Mutex<HashMap<String, Follower>>,
    heard: Notify,
}

/// An open long poll. The follower can become silent when it ends, by its answer or because the
/// follower went away.
pub struct OpenPoll<'f> {
    followers: &'f Followers,
    name: String,
}

impl Drop for OpenPoll<'_> {
    fn drop(&mut self) {
        let mut by_name = self.followers.by_name.lock();
        if let Some(follower) = by_name.get_mut(&self.name) {
            follower.polls_open = follower.polls_open.saturating_sub(1);
            follower.heard_at = Instant::now();
        }
    }
}

impl Followers {
    /// Records a poll: the acknowledged revision, and when the follower's own next work is due.
    pub fn poll(&self, name: &str, taken: Option<u64>, next_due: Option<Moment>) -> OpenPoll<'_> {
        {
            let mut by_name = self.by_name.lock();
            by_name.retain(|_, follower| follower.polls_open > 0 || follower.heard_at.elapsed() < FORGET);
            let follower = by_name.entry(name.to_owned()).or_insert_with(|| Follower {
                taken: 0,
                polls_open: 0,
                heard_at: Instant::now(),
                next_due: None,
            });
            follower.taken = taken.unwrap_or(follower.taken);
            follower.polls_open += 1;
            follower.heard_at = Instant::now();
            follower.next_due = next_due;
        }
        self.heard.notify_waiters();
        OpenPoll { followers: self, name: name.to_owned() }
    }

    /// The earliest work that a follower announced after an instant.
    pub fn next_due(&self, after: Moment) -> Option<Moment> {
        let by_name = self.by_name.lock();
        by_name
            .values()
            .filter(|f| !f.is_silent())
            .filter_map(|f| f.next_due)
            .filter(|due| *due > after)
            .min()
    }

    /// Waits until every follower that is not silent has acknowledged a revision, at most until the
    /// deadline. Returns the names of those that fell silent meanwhile.
    pub async fn wait(&self, revision: u64, deadline: Instant) -> Vec<String> {
        let mut waited_for = HashSet::new();
        loop {
            let heard = self.heard.notified();
            {
                let by_name = self.by_name.lock();
                let lagging = || by_name.iter().filter(|(_, follower)| follower.taken < revision);
                if lagging().all(|(_, follower)| follower.is_silent()) || Instant::now() >= deadline {
                    let silent = lagging()
                        .filter(|(name, follower)| follower.is_silent() && waited_for.contains(*name));
                    return silent.map(|(name, _)| name.clone()).collect();
                }
                waited_for.extend(
                    lagging().filter(|(_, follower)| !follower.is_silent()).map(|(name, _)| name.clone()),
                );
            }
            // A follower that falls silent sends no notification, so the loop checks every 50 ms.
            let _ = tokio::time::timeout(Duration::from_millis(50), heard).await;
        }
    }

    /// Name, acknowledged revision, and whether it is silent.
    pub fn list(&self) -> Vec<(String, u64, bool)> {
        let mut list: Vec<_> =
            self.by_name.lock().iter().map(|(name, f)| (name.clone(), f.taken, f.is_silent())).collect();
        list.sort();
        list
    }
}
