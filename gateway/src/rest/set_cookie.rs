//! POST /api/auth/set-cookie

use super::body::Fields;
use super::values::{Email, Uid};
use super::{Call, DEADLINE, Done};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::auth::v1::SetSessionRequest;
use serde::Deserialize;
use utoipa::ToSchema;

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetCookie {
    uid: Uid,
    email: Email,
    /// Ignored: the account's own name is used.
    display_name: Option<String>,
}

/// Creates the session cookie from an ID token, or renews the current session.
#[utoipa::path(post, path = "/api/auth/set-cookie", operation_id = "set_cookie", tag = "session",
    request_body = SetCookie,
    responses((status = 200, body = Done)), security(("session" = []), ("token" = [])))]
pub(crate) async fn handle(call: Call, Fields(body): Fields<SetCookie>) -> Result<Json<Done>, ApiError> {
    let request = SetSessionRequest {
        uid: body.uid.0,
        email: body.email.0,
        display_name: body.display_name.unwrap_or_default(),
    };
    call.make(DEADLINE, "garimpo.auth.v1.AuthService/SetSession", request, |services, request| {
        services.auth.set_session(request)
    })
    .await?;
    Ok(Json(Done::YES))
}
