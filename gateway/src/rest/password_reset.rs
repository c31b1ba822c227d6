//! POST /api/password-reset

use super::body::Fields;
use super::values::Email;
use super::{Call, DEADLINE, Done};
use crate::error::{ApiError, Shape};
use axum::Json;
use axum::response::Response;
use garimpo_proto::auth::v1::RequestPasswordResetRequest;
use serde::Deserialize;
use utoipa::ToSchema;

#[derive(Deserialize, ToSchema)]
pub(crate) struct PasswordReset {
    // The server refuses a missing email as an invalid one.
    #[schema(required, nullable = false)]
    email: Option<Email>,
}

/// Mails a recovery link, if the account exists. The response is the same if it does not.
#[utoipa::path(post, path = "/api/password-reset", operation_id = "password_reset", tag = "session",
    request_body = PasswordReset,
    responses((status = 200, body = Done)), security((), ("session" = []), ("token" = [])))]
pub(crate) async fn handle(call: Call, Fields(body): Fields<PasswordReset>) -> Result<Json<Done>, ApiError> {
    let request = RequestPasswordResetRequest { email: body.email.map(|email| email.0).unwrap_or_default() };
    call.make(DEADLINE, "garimpo.auth.v1.AuthService/RequestPasswordReset", request, |services, request| {
        services.auth.request_password_reset(request)
    })
    .await?;
    Ok(Json(Done::YES))
}

/// Adds `"ok": false` to every refusal of this call, also to those made by the router.
pub(crate) async fn add_ok(mut response: Response) -> Response {
    if let Some(error) = response.extensions_mut().remove::<ApiError>() {
        response.extensions_mut().insert(error.shaped(Shape::WithOk));
    }
    response
}
