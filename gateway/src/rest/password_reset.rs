//! POST /api/password-reset

use super::body::Fields;
use super::doc::{Body, Caller, DONE, Doc, EMAIL};
use super::{Call, DEADLINE, Done, within};
use crate::error::{ApiError, Shape};
use axum::Json;
use axum::response::Response;
use garimpo_proto::auth::v1::RequestPasswordResetRequest;
use garimpo_proto::errors::v1::ErrorReason;

/// What the call says about itself.
pub(crate) const DOC: Doc = Doc {
    method: "post",
    path: "/api/password-reset",
    summary: "Mails a recovery link, if the account exists.",
    caller: Caller::Anyone,
    parameters: &[],
    body: Body::Json(&[EMAIL]),
    success: 200,
    answer: DONE,
    sets_cookie: true,
    says_ok: true,
    failures: &[ErrorReason::InvalidEmail, ErrorReason::PermissionDenied, ErrorReason::ProviderUnavailable],
};

/// Mails a recovery link; the answer is the same whether or not the account exists.
pub(crate) async fn handle(call: Call, mut body: Fields) -> Result<Json<Done>, ApiError> {
    let request = RequestPasswordResetRequest { email: body.text_or_empty("email") };
    body.finish()?;

    call.auth().request_password_reset(within(DEADLINE, request)).await?;
    Ok(Json(Done::YES))
}

/// Every refusal of this call, whoever makes it, says `"ok": false`.
pub(crate) async fn say_ok(mut response: Response) -> Response {
    if let Some(error) = response.extensions_mut().remove::<ApiError>() {
        response.extensions_mut().insert(error.shaped(Shape::WithOk));
    }
    response
}
