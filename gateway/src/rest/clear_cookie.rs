//! POST /api/auth/clear-cookie

use super::body::MaybeEmpty;
use super::{AuthService as _, Call, DEADLINE, Done, within};
use crate::error::ApiError;
use crate::session_cookie::SessionChange;
use axum::Json;
use garimpo_proto::auth::v1::SignOutRequest;
use utoipa::ToSchema;

#[derive(ToSchema)]
struct ClearCookie {}

/// Ends the session and expires the cookie.
#[utoipa::path(post, path = "/api/auth/clear-cookie", operation_id = "clear_cookie", tag = "session",
    request_body = ClearCookie,
    responses((status = 200, body = Done)), security((), ("session" = []), ("token" = [])))]
pub(crate) async fn handle(call: Call, _body: MaybeEmpty) -> Result<Json<Done>, ApiError> {
    call.auth().sign_out(within(DEADLINE, SignOutRequest {})).await?;
    // Whatever the server's response was.
    call.caller.state().session = Some(SessionChange::End);
    Ok(Json(Done::YES))
}
