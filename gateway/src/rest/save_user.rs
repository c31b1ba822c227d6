//! POST /api/users

use super::body::Fields;
use super::user_record::UserRecord;
use super::{Call, DEADLINE, within};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::users::v1::SaveUserRequest;

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
