//! The budget of calls to the payment provider: the calls per second of all servers, divided among
//! classes of callers.
//!
//! The limits are nested. A call counts against the limit of its class and of every more urgent
//! class, so that a quarter of the budget is left for each more urgent class.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use parking_lot::Mutex;
use tokio::time::{Instant, timeout};

use crate::fair_queue::FairQueue;
use crate::measures::{
    Counted, PROVIDER_BUDGET, PROVIDER_BUDGET_FLEET, PROVIDER_BUDGET_WAIT_SECONDS, PROVIDER_BUDGET_WAITING,
};
use crate::request_id;

/// A class of callers, most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum CallClass {
    /// A visitor's request.
    #[default]
    Visitor,
    /// The sync of a payment that an event reported.
    PaymentEvent,
    /// Changes of subscriptions without a waiting client, and the operator's commands.
    Renewal,
    /// Reconciliation and reminders.
    Housekeeping,
}

garimpo_domain::named!(CallClass);

impl CallClass {
    /// Every class, most urgent first.
    pub const ALL: [Self; 4] = [Self::Visitor, Self::PaymentEvent, Self::Renewal, Self::Housekeeping];

    /// Quarters of the budget for the class and all less urgent ones together.
    const fn quarters(self) -> u32 {
        4 - self as u32
    }

    /// Longest wait for the budget. A visitor's call must fit into the gateway's 20 s; a job is run
    /// again later.
    const fn max_wait(self) -> Duration {
        match self {
            Self::Visitor => Duration::from_secs(5),
            Self::PaymentEvent | Self::Renewal => Duration::from_secs(30),
            Self::Housekeeping => Duration::from_mins(1),
        }
    }
}

/// Visitor calls of one client that may wait at once. More are refused as too many, so that one
/// client neither delays others nor seems to be a provider that fails.
const MAX_WAITING_OF_CLIENT: usize = 20;

/// Why a call was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OverBudget {
    /// The wait for the budget was too long.
    Late,
    /// Too many calls of its client wait.
    OfClient,
}

/// The share of this process in the budget.
#[derive(Debug)]
pub(super) struct CallBudget {
    calls_per_second: u32,
    share: Mutex<Share>,
    /// Callers of a class take turns by client, so that one caller of a class waits for the limits.
    turns: [FairQueue; 4],
}

/// Limits that hold for a number of live servers.
#[derive(Debug, Clone)]
struct Share {
    servers: u32,
    limits: Arc<[DefaultDirectRateLimiter; 4]>,
}

impl Share {
    fn new(calls_per_second: u32, servers: u32) -> Self {
        let limits = Arc::new(
            CallClass::ALL
                .map(|class| RateLimiter::direct(quota(calls_per_second, servers, class.quarters()))),
        );
        metrics::gauge!(PROVIDER_BUDGET).set(f64::from(calls_per_second) / f64::from(servers));
        metrics::gauge!(PROVIDER_BUDGET_FLEET).set(f64::from(calls_per_second));
        Self { servers, limits }
    }
}

/// The calls of a quarter of a second may be sent at once, at least one.
fn quota(calls_per_second: u32, servers: u32, quarters: u32) -> Quota {
    let period = Duration::from_secs(4) * servers / (calls_per_second * quarters);
    let burst = NonZeroU32::new(calls_per_second * quarters / (16 * servers)).unwrap_or(NonZeroU32::MIN);
    Quota::with_period(period.max(Duration::from_nanos(1)))
        .unwrap_or_else(|| Quota::per_second(NonZeroU32::MIN))
        .allow_burst(burst)
}

impl CallBudget {
    /// The whole budget, until [`CallBudget::divide`] is called; `calls_per_second` is 1 to
    /// [`MAX_CALLS_PER_SECOND`].
    pub(super) fn new(calls_per_second: u32) -> Self {
        let calls_per_second = calls_per_second.clamp(1, MAX_CALLS_PER_SECOND);
        let share = Mutex::new(Share::new(calls_per_second, 1));
        // The queue is unbounded, because a caller leaves it after the class's longest wait.
        let turns = CallClass::ALL.map(|_| FairQueue::new(1, usize::MAX, usize::MAX));
        Self { calls_per_second, share, turns }
    }

    /// Divides the budget among the live servers.
    pub(super) fn divide(&self, servers: u32) {
        let servers = servers.clamp(1, MAX_SERVERS);
        let mut share = self.share.lock();
        if share.servers != servers {
            *share = Share::new(self.calls_per_second, servers);
        }
    }

    /// Waits until a call of the class may be sent.
    pub(super) async fn acquire(&self, class: CallClass) -> Result<(), OverBudget> {
        let client = request_id::client().unwrap_or_default();
        let is_full = || self.turns[class as usize].waiting_of(&client) >= MAX_WAITING_OF_CLIENT;
        if class == CallClass::Visitor && request_id::is_of_visitor() && is_full() {
            return Err(OverBudget::OfClient);
        }
        let began = Instant::now();
        let _waiting = Counted::in_gauge(metrics::gauge!(PROVIDER_BUDGET_WAITING, "class" => class.name()));
        let acquired =
            timeout(class.max_wait(), self.pass(class, &client)).await.map_err(|_| OverBudget::Late);
        metrics::histogram!(PROVIDER_BUDGET_WAIT_SECONDS, "class" => class.name()).record(began.elapsed());
        acquired
    }

    async fn pass(&self, class: CallClass, client: &str) {
        let _turn = self.turns[class as usize].slot(client).await;
        let share = self.share.lock().clone();
        // The tightest limit first, because a call that waits for it must not count against the
        // others.
        for limit in share.limits[..=class as usize].iter().rev() {
            limit.until_ready().await;
        }
    }
}

/// Largest number of calls per second that can be set.
pub const MAX_CALLS_PER_SECOND: u32 = 10_000;
/// More servers share the budget as if they were this many.
const MAX_SERVERS: u32 = 1_000;

#[cfg(test)]
mod tests {
    use garimpo_telemetry::TraceContext;

    use super::*;

    /// Calls of a class that pass within a time, by as many callers as come.
    async fn passed(budget: &Arc<CallBudget>, class: CallClass, within: Duration) -> u32 {
        let until = Instant::now() + within;
        let mut passed = 0;
        while tokio::time::timeout_at(until, budget.acquire(class)).await == Ok(Ok(())) {
            passed += 1;
        }
        passed
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test]
    async fn housekeeping_never_exceeds_a_quarter_of_the_budget() {
        let budget = Arc::new(CallBudget::new(80));

        let calls = passed(&budget, CallClass::Housekeeping, SECOND).await;

        // 20 a second, and at most 5 that come at once.
        assert!((15..=25).contains(&calls), "{calls}");
    }

    #[tokio::test]
    async fn a_visitor_call_does_not_wait_behind_less_urgent_calls() {
        let budget = Arc::new(CallBudget::new(40));
        let others = [CallClass::PaymentEvent, CallClass::Renewal, CallClass::Housekeeping];
        let flood: Vec<_> = (0..200)
            .map(|i| {
                let budget = budget.clone();
                tokio::spawn(async move { budget.acquire(others[i % 3]).await })
            })
            .collect();
        tokio::task::yield_now().await;

        for _ in 0..8 {
            budget.acquire(CallClass::Visitor).await.expect("there is room");
        }

        let waiting = flood.iter().filter(|call| !call.is_finished()).count();
        assert!(waiting > 100, "the visitor passed before {waiting} others");
        flood.iter().for_each(tokio::task::JoinHandle::abort);
    }

    #[tokio::test]
    async fn live_servers_share_the_budget() {
        let fleet: Vec<_> = (0..4).map(|_| Arc::new(CallBudget::new(40))).collect();
        for budget in &fleet {
            budget.divide(4);
        }

        let calls = fleet.iter().map(|budget| passed(budget, CallClass::Visitor, SECOND));
        let calls: u32 = futures::future::join_all(calls).await.into_iter().sum();

        // 40 a second, and a quarter of that at once.
        assert!((30..=52).contains(&calls), "{calls}");
    }

    #[tokio::test(start_paused = true)]
    async fn the_wait_for_the_budget_is_limited() {
        let budget = CallBudget::new(1);
        budget.acquire(CallClass::Visitor).await.expect("the first one passes");
        let _held = budget.turns[CallClass::Visitor as usize].slot("").await;

        assert_eq!(budget.acquire(CallClass::Visitor).await, Err(OverBudget::Late));
    }

    #[tokio::test]
    async fn a_client_at_another_address_passes_before_the_waiting_calls_of_one_address() {
        const CROWD: &str = "203.0.113.9";
        const OTHERS: [&str; 3] = ["198.51.100.7", "2001:db8:1:1::7", "2001:db8:1:2::7"];
        let budget = Arc::new(CallBudget::new(1_000));
        let turns = &budget.turns[CallClass::Visitor as usize];
        let order = Arc::new(Mutex::new(Vec::new()));
        let call = |client: &'static str| {
            let (budget, order) = (budget.clone(), order.clone());
            let acquired = async move {
                budget.acquire(CallClass::Visitor).await.expect("in time");
                order.lock().push(client);
            };
            tokio::spawn(request_id::within_call(
                "req_1".to_owned(),
                client.parse().ok(),
                TraceContext::default(),
                acquired,
            ))
        };
        let running = turns.slot(CROWD).await;
        let mut calls = Vec::new();
        for client in [CROWD; MAX_WAITING_OF_CLIENT].into_iter().chain(OTHERS) {
            calls.push(call(client));
            while turns.waiting() < calls.len() {
                tokio::task::yield_now().await;
            }
        }

        // One more of the crowd is refused at once, and delays nobody.
        let client = CROWD.parse().ok();
        let more = budget.acquire(CallClass::Visitor);
        let more = request_id::within_call("req_2".to_owned(), client, TraceContext::default(), more).await;
        assert_eq!(more, Err(OverBudget::OfClient));

        drop(running);
        futures::future::join_all(calls).await;

        // The two /64 of a /48 share its turns.
        assert_eq!(order.lock()[..5], [CROWD, OTHERS[0], OTHERS[1], CROWD, OTHERS[2]]);
    }

    #[test]
    fn each_call_class_has_a_quarter_less_of_the_budget_than_the_class_above() {
        assert_eq!(CallClass::ALL.map(CallClass::quarters), [4, 3, 2, 1]);
    }
}
