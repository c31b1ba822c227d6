//! GET /api/users/{uid}

use super::doc::{Body, Doc, Parameter};
use super::user_record::UserRecord;
use super::{Call, DEADLINE, within};
use crate::error::ApiError;
use axum::Json;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::users::v1::GetUserRequest;

/// What the call says about itself.
pub(crate) const DOC: Doc = Doc {
    method: "get",
    path: "/api/users/{uid}",
    summary: "Reads one user record.",
    parameters: &[Parameter { name: "uid", place: "path" }],
    body: Body::None,
    success: 200,
    answer: super::user_record::FIELDS,
    failures: &[ErrorReason::Unauthenticated, ErrorReason::PermissionDenied, ErrorReason::UserNotFound],
};

/// Reads one user record.
pub(crate) async fn handle(
    call: Call,
    uid: Result<Path<String>, PathRejection>,
) -> Result<Json<UserRecord>, ApiError> {
    let Ok(Path(uid)) = uid else { return Err(ApiError::new(ErrorReason::InvalidArgument)) };
    let answer = call.users().get_user(within(DEADLINE, GetUserRequest { uid })).await?.into_inner();
    let user = answer.user.ok_or_else(|| ApiError::new(ErrorReason::Internal))?;
    Ok(Json(user.into()))
}
