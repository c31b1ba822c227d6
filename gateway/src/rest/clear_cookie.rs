//! POST /api/auth/clear-cookie

use super::body::MaybeEmpty;
use super::doc::{Body, Caller, DONE, Doc};
use super::{Call, DEADLINE, Done, within};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::auth::v1::SignOutRequest;
use garimpo_proto::errors::v1::ErrorReason;

/// What the call says about itself.
pub(crate) const DOC: Doc = Doc {
    method: "post",
    path: "/api/auth/clear-cookie",
    summary: "Ends the session and expires the cookie.",
    caller: Caller::Anyone,
    parameters: &[],
    body: Body::Json(&[]),
    success: 200,
    answer: DONE,
    sets_cookie: true,
    says_ok: false,
    failures: &[ErrorReason::PermissionDenied],
};

/// Ends the session and expires the cookie.
pub(crate) async fn handle(call: Call, _empty: MaybeEmpty) -> Result<Json<Done>, ApiError> {
    call.auth().sign_out(within(DEADLINE, SignOutRequest {})).await?;
    call.caller.end_session();
    Ok(Json(Done::YES))
}
