//! POST /api/users

use super::body::Fields;
use super::user_record::UserRecord;
use super::values::{Email, Name, NameOrBlank, PhoneOrBlank, Uid};
use super::{Call, DEADLINE};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::users::v1::SaveUserRequest;
use serde::Deserialize;
use utoipa::ToSchema;

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SaveUser {
    uid: Uid,
    email: Email,
    display_name: Name,
    /// Ignored.
    email_verified: Option<bool>,
    /// A missing phone stays as it is, a blank one is deleted.
    phone_number: Option<PhoneOrBlank>,
    /// Default: the first word of displayName.
    first_name: Option<NameOrBlank>,
    /// Default: the rest of displayName.
    last_name: Option<NameOrBlank>,
}

/// Creates or updates the caller's own record.
#[utoipa::path(post, path = "/api/users", operation_id = "save_user", tag = "users", request_body = SaveUser,
    responses((status = 200, body = UserRecord)), security(("session" = []), ("token" = [])))]
pub(crate) async fn handle(call: Call, Fields(body): Fields<SaveUser>) -> Result<Json<UserRecord>, ApiError> {
    let request = SaveUserRequest {
        uid: body.uid.0,
        email: body.email.0,
        display_name: body.display_name.0,
        email_verified: body.email_verified.unwrap_or_default(),
        phone_number: body.phone_number.map(|phone| phone.0),
        first_name: body.first_name.map(|name| name.0),
        last_name: body.last_name.map(|name| name.0),
        // Not in the documented call: the stored one stays.
        photo_url: None,
    };
    let answer = call
        .make(DEADLINE, "garimpo.users.v1.UserService/SaveUser", request, |services, request| {
            services.users.save_user(request)
        })
        .await?;
    let user = answer.user.ok_or_else(|| ApiError::new(ErrorReason::Internal))?;
    Ok(Json(user.into()))
}
