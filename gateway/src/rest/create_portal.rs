//! POST /api/create-customer-portal-session

use super::body::Fields;
use super::values::{Email, Url};
use super::{Call, PROVIDER_DEADLINE};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::billing::v1::CreatePortalSessionRequest;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Deserialize, ToSchema)]
pub(crate) struct CreatePortal {
    // The server refuses a missing email with a reason of its own, EMAIL_MISSING.
    #[schema(required, nullable = false)]
    email: Option<Email>,
}

#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PortalSession {
    /// Its pages return to /area-usuario.
    url: Url,
}

/// Opens the provider's subscription management.
#[utoipa::path(post, path = "/api/create-customer-portal-session", operation_id = "create_portal", tag = "billing",
    request_body = CreatePortal,
    responses((status = 200, body = PortalSession)), security(("session" = []), ("token" = [])))]
pub(crate) async fn handle(
    call: Call,
    Fields(body): Fields<CreatePortal>,
) -> Result<Json<PortalSession>, ApiError> {
    let request = CreatePortalSessionRequest { email: body.email.map(|email| email.0).unwrap_or_default() };
    let answer = call
        .make(
            PROVIDER_DEADLINE,
            "garimpo.billing.v1.BillingService/CreatePortalSession",
            request,
            |services, request| services.billing.create_portal_session(request),
        )
        .await?;
    Ok(Json(PortalSession { url: Url(answer.url) }))
}
