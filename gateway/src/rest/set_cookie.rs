//! POST /api/auth/set-cookie

use super::body::Fields;
use super::doc::{Body, Caller, DONE, Doc, EMAIL, Field, Kind, UID};
use super::{Call, DEADLINE, Done, within};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::auth::v1::SetSessionRequest;
use garimpo_proto::errors::v1::ErrorReason;

/// What the call says about itself.
pub(crate) const DOC: Doc = Doc {
    method: "post",
    path: "/api/auth/set-cookie",
    summary: "Makes the session cookie from an ID token, or renews the live session.",
    caller: Caller::Known,
    parameters: &[],
    body: Body::Json(&[
        UID,
        EMAIL,
        Field::optional("displayName", Kind::Text).means("Ignored: the account's own name holds."),
    ]),
    success: 200,
    answer: DONE,
    sets_cookie: true,
    says_ok: false,
    failures: &[ErrorReason::Unauthenticated, ErrorReason::PermissionDenied],
};

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
