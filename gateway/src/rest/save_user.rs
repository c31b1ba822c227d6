//! POST /api/users

use super::body::Fields;
use super::doc::{Body, Caller, Doc, EMAIL, Field, Kind, UID};
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
    caller: Caller::Known,
    parameters: &[],
    body: Body::Json(&[
        UID,
        EMAIL,
        Field::required("displayName", Kind::Name).like("Ana Maria Souza"),
        Field::optional("emailVerified", Kind::Boolean).means("Ignored."),
        Field::optional("phoneNumber", Kind::PhoneOrBlank)
            .means("Absent leaves it, blank takes it away.")
            .like("(11) 98765-4321"),
        Field::optional("firstName", Kind::NameOrBlank).means("Otherwise the first word of displayName."),
        Field::optional("lastName", Kind::NameOrBlank).means("Otherwise the rest of displayName."),
    ]),
    success: 200,
    answer: super::user_record::FIELDS,
    sets_cookie: true,
    says_ok: false,
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
        // Not in the documented call: what is kept stays.
        photo_url: None,
    };
    body.finish()?;

    let answer = call.users().save_user(within(DEADLINE, request)).await?.into_inner();
    let user = answer.user.ok_or_else(|| ApiError::new(ErrorReason::Internal))?;
    Ok(Json(user.into()))
}
