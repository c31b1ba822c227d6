//! GET /session-status?session_id=

use super::values::{CheckoutId, CheckoutStatus, Email};
use super::{Call, PROVIDER_DEADLINE};
use crate::error::ApiError;
use axum::Json;
use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use garimpo_proto::billing::v1::GetCheckoutSessionRequest;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Deserialize)]
pub(crate) struct StatusQuery {
    session_id: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckoutState {
    status: CheckoutStatus,
    customer_email: Email,
}

/// Returns the state of a checkout to any caller that has its id.
#[utoipa::path(get, path = "/session-status", operation_id = "session_status", tag = "billing",
    params(("session_id" = CheckoutId, Query)),
    responses((status = 200, body = CheckoutState)), security((), ("session" = []), ("token" = [])))]
pub(crate) async fn handle(
    call: Call,
    query: Result<Query<StatusQuery>, QueryRejection>,
) -> Result<Json<CheckoutState>, ApiError> {
    let session_id = query.ok().and_then(|Query(query)| query.session_id).filter(|id| !id.is_empty());
    let Some(session_id) = session_id else {
        return Err(ApiError::fields(vec![("session_id".into(), "é obrigatório".into())]));
    };
    let checkout = call
        .make(
            PROVIDER_DEADLINE,
            "garimpo.billing.v1.BillingService/GetCheckoutSession",
            GetCheckoutSessionRequest { session_id },
            |services, request| services.billing.get_checkout_session(request),
        )
        .await?;
    let customer_email = Email(checkout.customer_email);
    Ok(Json(CheckoutState { status: CheckoutStatus(checkout.status), customer_email }))
}
