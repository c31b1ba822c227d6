//! GET /api/users/{uid}

use super::doc::{Body, Caller, Doc, Parameter, UID};
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
    caller: Caller::Known,
    parameters: &[Parameter { place: "path", field: UID }],
    body: Body::None,
    success: 200,
    answer: super::user_record::FIELDS,
    sets_cookie: true,
    says_ok: false,
    failures: &[
        ErrorReason::InvalidArgument,
        ErrorReason::Unauthenticated,
        ErrorReason::PermissionDenied,
        ErrorReason::UserNotFound,
    ],
};

/// Reads one user record.
pub(crate) async fn handle(
    call: Call,
    uid: Result<Path<String>, PathRejection>,
) -> Result<Json<UserRecord>, ApiError> {
    let Ok(Path(uid)) = uid else {
        return Err(ApiError::fields(vec![("uid".into(), "não é UTF-8".into())]));
    };
    let answer = call.users().get_user(within(DEADLINE, GetUserRequest { uid })).await?.into_inner();
    let user = answer.user.ok_or_else(|| ApiError::new(ErrorReason::Internal))?;
    Ok(Json(user.into()))
}
