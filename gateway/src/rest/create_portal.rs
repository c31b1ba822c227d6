//! POST /api/create-customer-portal-session

use super::body::Fields;
use super::{Call, PROVIDER_DEADLINE, within};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::billing::v1::CreatePortalSessionRequest;
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Answer {
    url: String,
}

/// Opens the provider's subscription management.
pub(crate) async fn handle(call: Call, mut body: Fields) -> Result<Json<Answer>, ApiError> {
    // A missing email has a reason of its own, EMAIL_MISSING, which the server gives.
    let request = CreatePortalSessionRequest { email: body.text_or_empty("email") };
    body.finish()?;

    let answer = call.billing().create_portal_session(within(PROVIDER_DEADLINE, request)).await?.into_inner();
    Ok(Json(Answer { url: answer.url }))
}
