//! Points at which a test holds the calls of one account until several have arrived
//! (GARIMPO_PAUSE_AT).
//!
//! Calls that a test sends at the same time rarely execute the same line at the same time. At a
//! pause point the calls of an account wait for each other and then continue together. The settings
//! reject this variable unless the payment provider is the sandbox.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::OnceLock;
use std::time::Duration;

use garimpo_domain::Uid;
use parking_lot::Mutex;
use strum::{Display, EnumString};
use tokio::sync::watch;

/// How long a call waits for the others, in real time. A call that is refused before the point
/// never arrives, so the others must go on without it.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// A line at which calls of one account can meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumString)]
pub enum PausePoint {
    /// Before the transaction that decides a billing call, after everything that it reads.
    #[strum(serialize = "account.decide")]
    Decide,
    /// After that transaction, before the payment provider is called.
    #[strum(serialize = "provider.call")]
    Provider,
}

/// A point, and how many calls of an account meet there: `<point>:<calls>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PauseAt {
    pub point: PausePoint,
    /// Calls that wait for each other, from 2.
    pub calls: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not account.decide or provider.call with :n, n from 2")]
pub struct NotAPausePoint;

impl FromStr for PauseAt {
    type Err = NotAPausePoint;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, calls) = text.split_once(':').ok_or(NotAPausePoint)?;
        let point = name.parse().map_err(|_| NotAPausePoint)?;
        let calls = calls.parse().ok().filter(|calls| *calls >= 2).ok_or(NotAPausePoint)?;
        Ok(Self { point, calls })
    }
}

/// Calls of one account that wait at the point.
struct Meeting {
    arrived: u32,
    is_open: watch::Sender<bool>,
}

/// The armed point, and the calls that wait there.
struct Pauses {
    at: PauseAt,
    meetings: Mutex<HashMap<Uid, Meeting>>,
}

/// One per process, as a crash point is.
static ARMED: OnceLock<Pauses> = OnceLock::new();

/// Arms the process; later calls have no effect.
pub(crate) fn arm(at: PauseAt) {
    ARMED.get_or_init(|| Pauses { at, meetings: Mutex::default() });
}

/// If this point is armed, waits for the other calls of the account, at most [`MAX_WAIT`].
pub(crate) async fn point(point: PausePoint, uid: &Uid) {
    let Some(pauses) = ARMED.get().filter(|pauses| pauses.at.point == point) else { return };
    pauses.wait(uid).await;
}

impl Pauses {
    async fn wait(&self, uid: &Uid) {
        let Some(mut is_open) = self.arrive(uid) else { return };
        if tokio::time::timeout(MAX_WAIT, is_open.wait_for(|open| *open)).await.is_err() {
            self.leave(uid);
        }
    }

    /// Joins the meeting of an account; `None` for the last call, which opens it.
    fn arrive(&self, uid: &Uid) -> Option<watch::Receiver<bool>> {
        let mut meetings = self.meetings.lock();
        let meeting = meetings
            .entry(uid.clone())
            .or_insert_with(|| Meeting { arrived: 0, is_open: watch::Sender::new(false) });
        meeting.arrived += 1;
        if meeting.arrived < self.at.calls {
            return Some(meeting.is_open.subscribe());
        }
        meeting.is_open.send_replace(true);
        meetings.remove(uid);
        tracing::info!(user.id = %uid, "{} calls met at {}", self.at.calls, self.at.point);
        None
    }

    /// Leaves a meeting after the time limit.
    fn leave(&self, uid: &Uid) {
        let mut meetings = self.meetings.lock();
        let Some(meeting) = meetings.get_mut(uid) else { return };
        meeting.arrived = meeting.arrived.saturating_sub(1);
        if meeting.arrived == 0 {
            meetings.remove(uid);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_point_is_read_with_its_number_of_calls() {
        let read = |text: &str| text.parse::<PauseAt>();
        assert_eq!(read("account.decide:2"), Ok(PauseAt { point: PausePoint::Decide, calls: 2 }));
        assert_eq!(read("provider.call:3"), Ok(PauseAt { point: PausePoint::Provider, calls: 3 }));
        for wrong in
            ["", "account.decide", "account.decide:", "account.decide:1", "nowhere:2", "provider.call:x"]
        {
            assert_eq!(read(wrong), Err(NotAPausePoint), "{wrong}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn calls_of_the_same_account_wait_for_each_other_and_those_of_another_do_not() {
        let at = PauseAt { point: PausePoint::Decide, calls: 2 };
        let pauses = Pauses { at, meetings: Mutex::default() };
        let [ana, bia] = ["usr_ana", "usr_bia"].map(Uid::new);
        let began = tokio::time::Instant::now();

        tokio::join!(pauses.wait(&ana), pauses.wait(&ana));
        assert_eq!(began.elapsed(), Duration::ZERO, "both calls of an account go on at once");

        tokio::join!(pauses.wait(&ana), pauses.wait(&bia));
        assert!(began.elapsed() >= MAX_WAIT, "calls of two accounts do not meet");
        assert!(pauses.meetings.lock().is_empty(), "nobody is left behind");
    }
}
