//! The entitlements of one account as the contract's message.

use std::time::Duration;

use garimpo_domain::{Plan, Timestamp, catalog};
use garimpo_proto::billing::v1::GetEntitlementsResponse;

use crate::billing::catalog::wire;
use crate::error::{Error, ErrorReason, Result};
use crate::store::{EntitlementChange, Text as _};
use crate::wire::timestamp;

/// Longest time for which a client may keep a reply.
const CACHE_FOR: Duration = Duration::from_mins(1);

#[derive(Clone)]
pub(crate) struct EntitlementsReply {
    /// Plan whose limits hold.
    pub plan: &'static Plan,
    /// Moment of the next change that time alone makes.
    pub(super) next_change_at: Option<Timestamp>,
    /// Without `cache_for`, which depends on the moment of sending.
    message: GetEntitlementsResponse,
}

impl EntitlementsReply {
    /// # Errors
    /// USER_NOT_FOUND if the account was deleted.
    pub fn of(state: &EntitlementChange) -> Result<Self> {
        let plan = state.plan_id.map(|id| catalog().plan(id));
        let plan = plan.ok_or_else(|| Error::refused(ErrorReason::UserNotFound, "the account is gone"))?;
        let next_change_at = state.next_change_at;
        let message = GetEntitlementsResponse {
            plan_id: plan.id.as_str().to_owned(),
            limits: wire::limits(&plan.limits),
            features: wire::features(plan.features),
            status: state.status.text().to_owned(),
            valid_until: state.valid_until.map(timestamp),
            next_change_at: next_change_at.map(timestamp),
            revision: state.revision,
            suspended_reason: state.suspended_reason.map(|reason| reason.name().to_owned()),
            cache_for: None,
        };
        Ok(Self { plan, next_change_at, message })
    }

    /// The message as sent at `now`.
    pub fn into_message(self, now: Timestamp) -> GetEntitlementsResponse {
        let until_change = self.next_change_at.map(|at| at.micros_since(now).max(0).unsigned_abs());
        let kept = until_change.map_or(CACHE_FOR, |us| Duration::from_micros(us).min(CACHE_FOR));
        let cache_for =
            prost_types::Duration { seconds: kept.as_secs() as i64, nanos: kept.subsec_nanos() as i32 };
        GetEntitlementsResponse { cache_for: Some(cache_for), ..self.message }
    }
}
