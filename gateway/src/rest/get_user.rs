//! GET /api/users/{uid}

use super::user_record::UserRecord;
use super::values::Uid;
use super::{Call, DEADLINE};
use crate::error::ApiError;
use axum::Json;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::users::v1::GetUserRequest;

/// Reads one user record.
#[utoipa::path(get, path = "/api/users/{uid}", operation_id = "get_user", tag = "users", params(("uid" = Uid, Path)),
    responses((status = 200, body = UserRecord)), security(("session" = []), ("token" = [])))]
pub(crate) async fn handle(
    call: Call,
    uid: Result<Path<String>, PathRejection>,
) -> Result<Json<UserRecord>, ApiError> {
    let Ok(Path(uid)) = uid else {
        return Err(ApiError::fields(vec![("uid".into(), "não é UTF-8".into())]));
    };
    let answer = call
        .make(
            DEADLINE,
            "garimpo.users.v1.UserService/GetUser",
            GetUserRequest { uid },
            |services, request| services.users.get_user(request),
        )
        .await?;
    let user = answer.user.ok_or_else(|| ApiError::new(ErrorReason::Internal))?;
    Ok(Json(user.into()))
}
