//! POST /api/auth/clear-cookie

use super::body::MaybeEmpty;
use super::{Call, DEADLINE, Done, within};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::auth::v1::SignOutRequest;

/// Ends the session and expires the cookie.
pub(crate) async fn handle(call: Call, _empty: MaybeEmpty) -> Result<Json<Done>, ApiError> {
    call.auth().sign_out(within(DEADLINE, SignOutRequest {})).await?;
    call.caller.end_session();
    Ok(Json(Done::YES))
}
