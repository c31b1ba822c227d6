//! POST /api/password-reset

use super::body::Fields;
use super::{Call, DEADLINE, Done, within};
use crate::error::{ApiError, Shape};
use axum::Json;
use garimpo_proto::auth::v1::RequestPasswordResetRequest;

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
