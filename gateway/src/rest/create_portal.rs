//! POST /api/create-customer-portal-session

use super::body::Fields;
use super::doc::{Body, Caller, Doc, EMAIL, Field, Kind};
use super::{Call, PROVIDER_DEADLINE, within};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::billing::v1::CreatePortalSessionRequest;
use garimpo_proto::errors::v1::ErrorReason;
use serde::Serialize;

/// What the call says about itself.
pub(crate) const DOC: Doc = Doc {
    method: "post",
    path: "/api/create-customer-portal-session",
    summary: "Opens the provider's subscription management.",
    caller: Caller::Known,
    parameters: &[],
    body: Body::Json(&[EMAIL]),
    success: 200,
    answer: &[Field::required("url", Kind::Url).means("It returns to /area-usuario.")],
    sets_cookie: true,
    says_ok: false,
    failures: &[
        ErrorReason::EmailMissing,
        ErrorReason::Unauthenticated,
        ErrorReason::PermissionDenied,
        ErrorReason::NoCustomer,
        ErrorReason::ProviderUnavailable,
    ],
};

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
