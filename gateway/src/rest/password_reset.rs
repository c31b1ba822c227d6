//! POST /api/password-reset

use super::body::Fields;
use super::doc::{Body, DONE, Doc, Field, Kind};
use super::{Call, DEADLINE, Done, within};
use crate::error::{ApiError, Shape};
use axum::Json;
use garimpo_proto::auth::v1::RequestPasswordResetRequest;
use garimpo_proto::errors::v1::ErrorReason;

/// What the call says about itself.
pub(crate) const DOC: Doc = Doc {
    method: "post",
    path: "/api/password-reset",
    summary: "Mails a recovery link, if the account exists.",
    parameters: &[],
    body: Body::Json(&[Field::required("email", Kind::Text)]),
    success: 200,
    answer: DONE,
    failures: &[ErrorReason::InvalidEmail],
};

/// Mails a recovery link; the answer is the same whether or not the account exists.
pub(crate) async fn handle(call: Call, body: Result<Fields, ApiError>) -> Result<Json<Done>, ApiError> {
    reset(call, body).await.map_err(|error| error.shaped(Shape::WithOk))
}

async fn reset(call: Call, body: Result<Fields, ApiError>) -> Result<Json<Done>, ApiError> {
    let mut body = body?;
    let request = RequestPasswordResetRequest { email: body.text_or_empty("email") };
    body.finish()?;

    call.auth().request_password_reset(within(DEADLINE, request)).await?;
    Ok(Json(Done::YES))
}
