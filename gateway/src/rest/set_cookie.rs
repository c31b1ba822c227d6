//! POST /api/auth/set-cookie

use super::body::Fields;
use super::{Call, DEADLINE, Done, within};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::auth::v1::SetSessionRequest;

/// Makes the session cookie from an ID token, or renews the one that came.
pub(crate) async fn handle(call: Call, mut body: Fields) -> Result<Json<Done>, ApiError> {
    let request = SetSessionRequest {
        uid: body.text("uid"),
        email: body.text("email"),
        display_name: body.optional_text("displayName").unwrap_or_default(),
    };
    body.finish()?;

    call.auth().set_session(within(DEADLINE, request)).await?;
    Ok(Json(Done::YES))
}
