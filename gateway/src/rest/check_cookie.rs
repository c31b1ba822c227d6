//! GET /api/auth/check-cookie

use super::{Call, DEADLINE, within};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::auth::v1::GetSessionRequest;
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Answer {
    authenticated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<User>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct User {
    uid: String,
    email: String,
    display_name: String,
}

/// Says who the caller is.
pub(crate) async fn handle(call: Call) -> Result<Json<Answer>, ApiError> {
    let session = call.auth().get_session(within(DEADLINE, GetSessionRequest {})).await?.into_inner();
    let user = session.user.filter(|_| session.authenticated);
    let user = user.map(|u| User { uid: u.uid, email: u.email, display_name: u.display_name });
    Ok(Json(Answer { authenticated: session.authenticated, user }))
}
