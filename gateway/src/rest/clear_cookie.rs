//! POST /api/auth/clear-cookie

use super::body::MaybeEmpty;
use super::{Call, DEADLINE, Done};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::SessionChange;
use garimpo_proto::auth::v1::SignOutRequest;
use utoipa::ToSchema;

#[derive(ToSchema)]
struct ClearCookie {}

/// Ends the session and expires the cookie.
#[utoipa::path(post, path = "/api/auth/clear-cookie", operation_id = "clear_cookie", tag = "session",
    request_body = ClearCookie,
    responses((status = 200, body = Done)), security((), ("session" = []), ("token" = [])))]
pub(crate) async fn handle(call: Call, _body: MaybeEmpty) -> Result<Json<Done>, ApiError> {
    call.make(DEADLINE, "garimpo.auth.v1.AuthService/SignOut", SignOutRequest {}, |services, request| {
        services.auth.sign_out(request)
    })
    .await?;
    // Whatever the server's response was.
    call.context.caller.set_session(SessionChange::End);
    Ok(Json(Done::YES))
}
