//! State of the campaign Black November, read from the server because the gateway has no clock.

use garimpo_proto::billing::v1::{ListPlansRequest, ListPlansResponse};
use garimpo_proto::{Caller, Services};
use prost_types::Timestamp;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// Longest time that a state is kept.
const MAX_AGE: Duration = Duration::from_secs(1);
const DEADLINE: Duration = Duration::from_secs(2);

pub(super) struct Campaign {
    services: Services,
    last: Mutex<Option<Last>>,
}

struct Last {
    state: State,
    read_at: Instant,
    until: Instant,
}

/// The campaign's state, and the product's time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    pub black_november: bool,
    pub server_time: Option<Timestamp>,
}

impl Last {
    /// The state with the time that it is at `now`, because pages take their clock from it.
    fn state_at(&self, now: Instant) -> State {
        let age = now.duration_since(self.read_at);
        let server_time = self.state.server_time.map(|read| later(read, age));
        State { server_time, ..self.state }
    }
}

fn later(time: Timestamp, by: Duration) -> Timestamp {
    let mut later = Timestamp {
        seconds: time.seconds + by.as_secs() as i64,
        nanos: time.nanos + by.subsec_nanos() as i32,
    };
    later.normalize();
    later
}

impl Campaign {
    pub fn new(services: Services) -> Self {
        Self { services, last: Mutex::new(None) }
    }

    /// Whether the campaign runs. While no server replies, the last known state counts.
    pub async fn is_black_november(&self) -> bool {
        self.state().await.black_november
    }

    /// The state, at most a second old. One task at a time calls the server.
    pub async fn state(&self) -> State {
        let mut last = self.last.lock().await;
        let now = Instant::now();
        if let Some(last) = last.as_ref().filter(|last| now < last.until) {
            return last.state_at(now);
        }
        let plans = self.fetch().await;
        let plans =
            plans.inspect_err(|status| tracing::warn!(code = ?status.code(), "campaign state unknown"));
        let next = if let Ok(plans) = plans {
            let state = State { black_november: plans.black_november, server_time: plans.server_time };
            Last { read_at: Instant::now(), until: now + keep_for(&plans), state }
        } else {
            let black_november = last.as_ref().is_some_and(|last| last.state.black_november);
            let state = State { black_november, server_time: None };
            Last { read_at: now, until: now + MAX_AGE, state }
        };
        last.insert(next).state.clone()
    }

    async fn fetch(&self) -> Result<ListPlansResponse, tonic::Status> {
        const LIST_PLANS: &str = "garimpo.billing.v1.BillingService/ListPlans";
        let caller = Arc::<Caller>::default();
        let calling = self.services.call(LIST_PLANS, &caller, ListPlansRequest {}, |services, request| {
            services.billing.list_plans(request)
        });
        let plans = tokio::time::timeout(DEADLINE, calling).await;
        plans.map_err(|_| tonic::Status::deadline_exceeded("ListPlans took too long"))?
    }
}

/// `MAX_AGE`, or less if the campaign changes before.
fn keep_for(plans: &ListPlansResponse) -> Duration {
    let nanos = |t: &Timestamp| i128::from(t.seconds) * 1_000_000_000 + i128::from(t.nanos);
    let (Some(now), Some(change)) = (&plans.server_time, &plans.campaign_changes_at) else { return MAX_AGE };
    let left = u64::try_from(nanos(change) - nanos(now)).unwrap_or(0);
    MAX_AGE.min(Duration::from_nanos(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_cached_state_advances() {
        let read_at = Instant::now();
        let server_time = Some(Timestamp { seconds: 1_800_000_000, nanos: 700_000_000 });
        let last =
            Last { state: State { black_november: true, server_time }, read_at, until: read_at + MAX_AGE };

        let state = last.state_at(read_at + Duration::from_millis(900));

        let server_time = Some(Timestamp { seconds: 1_800_000_001, nanos: 600_000_000 });
        assert_eq!(state, State { black_november: true, server_time });
    }
}
