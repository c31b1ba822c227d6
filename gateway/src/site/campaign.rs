//! Whether Black November runs, as the server says it; the gateway has no clock of its own.

use crate::backend::Backend;
use garimpo_proto::billing::v1::billing_service_client::BillingServiceClient;
use garimpo_proto::billing::v1::{ListPlansRequest, ListPlansResponse};
use prost_types::Timestamp;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// How long an answer is kept.
const KEPT: Duration = Duration::from_secs(1);
const DEADLINE: Duration = Duration::from_secs(2);

pub(super) struct Campaign {
    backend: Backend,
    last: Mutex<Option<Last>>,
}

#[derive(Clone)]
struct Last {
    state: State,
    until: Instant,
}

/// The campaign's state and the product's now at the moment it was told.
#[derive(Clone, Default)]
pub(super) struct State {
    pub black_november: bool,
    pub server_time: Option<Timestamp>,
}

impl Campaign {
    pub fn new(backend: Backend) -> Self {
        Self { backend, last: Mutex::new(None) }
    }

    /// Whether it runs. While no server answers, what was known last holds, or that it does not.
    pub async fn black_november(&self) -> bool {
        self.state().await.black_november
    }

    /// The state, at most a second old. One call at a time asks.
    pub async fn state(&self) -> State {
        let mut last = self.last.lock().await;
        let now = Instant::now();
        if let Some(last) = last.as_ref().filter(|last| now < last.until) {
            return last.state.clone();
        }
        let told = self.ask().await;
        let told = told.inspect_err(|status| tracing::warn!(code = ?status.code(), "campaign state unknown"));
        let next = if let Ok(plans) = told {
            Last { until: now + keep_for(&plans), state: state_of(plans) }
        } else {
            let black_november = last.as_ref().is_some_and(|last| last.state.black_november);
            Last { until: now + KEPT, state: State { black_november, server_time: None } }
        };
        last.insert(next).state.clone()
    }

    async fn ask(&self) -> Result<ListPlansResponse, tonic::Status> {
        let mut request = tonic::Request::new(ListPlansRequest {});
        request.set_timeout(DEADLINE);
        let mut billing = BillingServiceClient::new(self.backend.clone());
        let answer = tokio::time::timeout(DEADLINE, billing.list_plans(request)).await;
        Ok(answer.map_err(|_| tonic::Status::deadline_exceeded("ListPlans took too long"))??.into_inner())
    }
}

fn state_of(plans: ListPlansResponse) -> State {
    State { black_november: plans.black_november, server_time: plans.server_time }
}

/// A second, or less when the campaign changes before.
fn keep_for(plans: &ListPlansResponse) -> Duration {
    let nanos = |t: &Timestamp| i128::from(t.seconds) * 1_000_000_000 + i128::from(t.nanos);
    let (Some(now), Some(change)) = (&plans.server_time, &plans.campaign_changes_at) else { return KEPT };
    let left = u64::try_from(nanos(change) - nanos(now)).unwrap_or(0);
    KEPT.min(Duration::from_nanos(left))
}
