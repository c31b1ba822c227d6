//! The entitlements of one account as an encoded reply.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use garimpo_domain::{Plan, PlanId, Timestamp, catalog};
use garimpo_proto::billing::v1::GetEntitlementsResponse;
use garimpo_proto::fast_path::EncodedEntitlements;
use prost::Message as _;

use crate::billing::catalog::wire;
use crate::error::{Error, ErrorReason, Result};
use crate::store::{EntitlementChange, Text as _};
use crate::wire::timestamp;

/// Longest time for which a client may keep a reply.
const CACHE_FOR: Duration = Duration::from_mins(1);

/// The encoded fields of a reply that depend on the plan alone.
static PLAN_FIELDS: LazyLock<HashMap<PlanId, Vec<u8>>> = LazyLock::new(|| {
    let fields = |plan: &Plan| GetEntitlementsResponse {
        plan_id: plan.id.as_str().to_owned(),
        limits: wire::limits(&plan.limits),
        features: wire::features(plan.features),
        ..Default::default()
    };
    catalog().plans.iter().map(|plan| (plan.id, fields(plan).encode_to_vec())).collect()
});

#[derive(Clone)]
pub(crate) struct EncodedReply {
    /// Plan whose limits hold.
    pub plan: &'static Plan,
    /// Moment of the next change that time alone makes.
    pub(super) next_change_at: Option<Timestamp>,
    plan_fields: &'static [u8],
    account_fields: Arc<[u8]>,
}

impl EncodedReply {
    /// # Errors
    /// USER_NOT_FOUND if the account was deleted.
    pub fn of(state: &EntitlementChange) -> Result<Self> {
        let plan = state.plan_id.map(|id| catalog().plan(id));
        let plan = plan.ok_or_else(|| Error::refused(ErrorReason::UserNotFound, "the account is gone"))?;
        let next_change_at = state.next_change_at;
        let account = GetEntitlementsResponse {
            status: state.status.text().to_owned(),
            valid_until: state.valid_until.map(timestamp),
            next_change_at: next_change_at.map(timestamp),
            revision: state.revision,
            suspended_reason: state.suspended_reason.map(|reason| reason.name().to_owned()),
            ..Default::default()
        };
        let account_fields = account.encode_to_vec().into();
        Ok(Self { plan, next_change_at, plan_fields: &PLAN_FIELDS[&plan.id], account_fields })
    }

    /// The message as sent at `now`.
    pub fn into_message(self, now: Timestamp) -> EncodedEntitlements {
        let until_change = self.next_change_at.map(|at| at.micros_since(now).max(0).unsigned_abs());
        let kept = until_change.map_or(CACHE_FOR, |us| Duration::from_micros(us).min(CACHE_FOR));
        EncodedEntitlements {
            plan: self.plan_fields,
            account: self.account_fields,
            cache_for: prost_types::Duration {
                seconds: kept.as_secs() as i64,
                nanos: kept.subsec_nanos() as i32,
            },
        }
    }
}
