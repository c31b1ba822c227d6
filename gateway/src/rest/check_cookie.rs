//! GET /api/auth/check-cookie

use super::values::{Email, Uid};
use super::{Call, DEADLINE};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::auth::v1::GetSessionRequest;
use serde::Serialize;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Session {
    authenticated: bool,
    /// Present when authenticated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    user: Option<SessionUser>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SessionUser {
    uid: Uid,
    email: Email,
    #[schema(examples("Ana Maria Souza"))]
    display_name: String,
}

/// Returns the caller's session.
#[utoipa::path(get, path = "/api/auth/check-cookie", operation_id = "check_cookie", tag = "session",
    responses((status = 200, body = Session)), security((), ("session" = []), ("token" = [])))]
pub(crate) async fn handle(call: Call) -> Result<Json<Session>, ApiError> {
    let session = call
        .make(
            DEADLINE,
            "garimpo.auth.v1.AuthService/GetSession",
            GetSessionRequest {},
            |services, request| services.auth.get_session(request),
        )
        .await?;
    let user = session.user.filter(|_| session.authenticated).map(|user| SessionUser {
        uid: Uid(user.uid),
        email: Email(user.email),
        display_name: user.display_name,
    });
    Ok(Json(Session { authenticated: session.authenticated, user }))
}
