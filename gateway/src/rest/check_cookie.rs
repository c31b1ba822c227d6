//! GET /api/auth/check-cookie

use super::doc::{Body, Caller, Doc, EMAIL, Field, Kind, UID};
use super::{Call, DEADLINE, within};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::auth::v1::GetSessionRequest;
use serde::Serialize;

/// What the call says about itself.
pub(crate) const DOC: Doc = Doc {
    method: "get",
    path: "/api/auth/check-cookie",
    summary: "Says who the caller is.",
    caller: Caller::Anyone,
    parameters: &[],
    body: Body::None,
    success: 200,
    answer: &[
        Field::required("authenticated", Kind::Boolean),
        Field::sometimes("user", Kind::Object(USER)).means("There when authenticated."),
    ],
    sets_cookie: true,
    says_ok: false,
    failures: &[],
};

const USER: &[Field] = &[UID, EMAIL, Field::required("displayName", Kind::Text).like("Ana Maria Souza")];

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
