//! POST /create-embedded-checkout-session

use super::body::Fields;
use super::values::{FilledEmail, Interval};
use super::{Call, PROVIDER_DEADLINE};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::billing::v1::CreateCheckoutSessionRequest;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateCheckout {
    email: FilledEmail,
    /// Id or name of a plan; case, accents and repeated blanks are ignored.
    #[schema(examples("Elite Nível 2"))]
    plan_name: String,
    interval: Interval,
    /// Id or code of a coupon; blank for none.
    #[schema(examples("novo10"))]
    coupon_id: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CheckoutSession {
    client_secret: String,
}

/// Opens the embedded checkout for the caller's own account.
#[utoipa::path(post, path = "/create-embedded-checkout-session", operation_id = "create_checkout", tag = "billing",
    request_body = CreateCheckout,
    responses((status = 200, body = CheckoutSession)), security(("session" = []), ("token" = [])))]
pub(crate) async fn handle(
    call: Call,
    Fields(body): Fields<CreateCheckout>,
) -> Result<Json<CheckoutSession>, ApiError> {
    let request = CreateCheckoutSessionRequest {
        email: body.email.0,
        plan_name: body.plan_name,
        interval: body.interval.0,
        coupon_id: body.coupon_id.unwrap_or_default(),
        ..Default::default()
    };
    let answer = call
        .make(
            PROVIDER_DEADLINE,
            "garimpo.billing.v1.BillingService/CreateCheckoutSession",
            request,
            |services, request| services.billing.create_checkout_session(request),
        )
        .await?;
    Ok(Json(CheckoutSession { client_secret: answer.client_secret }))
}
