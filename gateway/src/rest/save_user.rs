//! POST /api/users

use super::body::Fields;
use super::doc::{Body, Doc, Field, Kind};
use super::user_record::UserRecord;
use super::{Call, DEADLINE, within};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::users::v1::SaveUserRequest;

/// What the call says about itself.
pub(crate) const DOC: Doc = Doc {
    method: "post",
    path: "/api/users",
    summary: "Creates or updates the caller's own record.",
    parameters: &[],
    body: Body::Json(&[
        Field::required("uid", Kind::Text),
        Field::required("email", Kind::Text),
        Field::required("displayName", Kind::Text),
        Field::optional("emailVerified", Kind::Boolean),
        Field::optional("phoneNumber", Kind::Text),
        Field::optional("firstName", Kind::Text),
        Field::optional("lastName", Kind::Text),
    ]),
    success: 200,
    answer: super::user_record::FIELDS,
    failures: &[
        ErrorReason::InvalidEmail,
        ErrorReason::InvalidPhone,
        ErrorReason::Unauthenticated,
        ErrorReason::PermissionDenied,
    ],
};

/// Creates or updates the caller's own record.
pub(crate) async fn handle(call: Call, mut body: Fields) -> Result<Json<UserRecord>, ApiError> {
    let request = SaveUserRequest {
        uid: body.text("uid"),
        email: body.text("email"),
        display_name: body.text("displayName"),
        email_verified: body.optional_bool("emailVerified").unwrap_or_default(),
        phone_number: body.optional_text("phoneNumber"),
        first_name: body.optional_text("firstName"),
        last_name: body.optional_text("lastName"),
    };
    body.finish()?;

    let answer = call.users().save_user(within(DEADLINE, request)).await?.into_inner();
    let user = answer.user.ok_or_else(|| ApiError::new(ErrorReason::Internal))?;
    Ok(Json(user.into()))
}
