//! The entitlements of one account as an encoded reply. It is encoded once, because services ask
//! thousands of times a second.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use garimpo_domain::plans::{Plan, PlanId};
use garimpo_domain::{Timestamp, catalog};
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::written::{GetEntitlementsResponse, OfAccount, OfPlan};
use prost::Message as _;

use crate::billing::catalog::wire;
use crate::error::Error;
use crate::store::billing::entitlement_changes::EntitlementChange;
use crate::wire::timestamp;

/// An answer may be kept this long, and never beyond the next change that time makes.
const CACHE_FOR: Duration = Duration::from_mins(1);

/// What each plan gives, written.
static GIVEN: LazyLock<HashMap<PlanId, Vec<u8>>> = LazyLock::new(|| {
    let given = |plan: &Plan| OfPlan {
        plan_id: plan.id.as_str().to_owned(),
        limits: wire::limits(&plan.limits),
        features: wire::features(plan.features),
    };
    catalog().plans.iter().map(|plan| (plan.id, given(plan).encode_to_vec())).collect()
});

/// What an account may use.
#[derive(Clone)]
pub(crate) struct Answer {
    /// Plan whose limits hold.
    pub plan: &'static Plan,
    /// When time alone changes it next.
    pub next_change_at: Option<Timestamp>,
    /// What the plan gives, written.
    given: &'static [u8],
    /// The account's own part, written.
    account: Arc<[u8]>,
}

impl Answer {
    /// What a state says.
    ///
    /// # Errors
    /// USER_NOT_FOUND when the account is gone.
    pub fn of(state: &EntitlementChange) -> Result<Self, Error> {
        let plan = state.plan_id.as_deref().and_then(PlanId::parse).map(|id| catalog().plan(id));
        let plan = plan.ok_or_else(|| Error::refused(ErrorReason::UserNotFound, "the account is gone"))?;
        let next_change_at = state.next_change_at_us.map(Timestamp::from_micros);
        let account = OfAccount {
            status: state.status.clone(),
            valid_until: state.valid_until_us.map(|at| timestamp(Timestamp::from_micros(at))),
            next_change_at: next_change_at.map(timestamp),
            revision: state.revision,
            suspended_reason: state.suspended_reason.clone(),
        };
        Ok(Self { plan, next_change_at, given: &GIVEN[&plan.id], account: account.encode_to_vec().into() })
    }

    /// As it is told at an instant.
    pub fn told(&self, now: Timestamp) -> GetEntitlementsResponse {
        let cache_for = cache_for(self.next_change_at, now);
        GetEntitlementsResponse { plan: self.given, account: self.account.clone(), cache_for }
    }
}

fn cache_for(next_change_at: Option<Timestamp>, now: Timestamp) -> prost_types::Duration {
    let left = next_change_at.map(|at| Duration::from_micros(at.micros_since(now).max(0).unsigned_abs()));
    let kept = left.map_or(CACHE_FOR, |left| left.min(CACHE_FOR));
    prost_types::Duration { seconds: kept.as_secs() as i64, nanos: kept.subsec_nanos() as i32 }
}
