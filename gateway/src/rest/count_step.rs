//! POST /api/steps

use super::body::Fields;
use super::values::VisitStep;
use super::{Call, DEADLINE, Done};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::tracking::v1::CountStepRequest;
use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

#[derive(Deserialize, ToSchema)]
pub(crate) struct CountStep {
    step: VisitStep,
    /// With landing alone: where the visit came from.
    #[schema(examples("instagram"))]
    source: Option<String>,
    /// With landing alone.
    #[schema(examples("perfil"))]
    campaign: Option<String>,
    /// With landing alone: promotion code.
    #[schema(examples("novo"))]
    promo: Option<String>,
}

/// Counts that a visit reached a step towards a purchase, and nothing about the visitor.
#[utoipa::path(post, path = "/api/steps", operation_id = "count_step", tag = "tracking", request_body = CountStep,
    params(("origin" = Option<String>, Header, description = "Our own. No token replaces it.")),
    responses((status = 202, body = Done)), security(()))]
pub(crate) async fn handle(
    call: Call,
    Fields(body): Fields<CountStep>,
) -> Result<(StatusCode, Json<Done>), ApiError> {
    let request = CountStepRequest {
        step: body.step.0,
        source: body.source.unwrap_or_default(),
        campaign: body.campaign.unwrap_or_default(),
        promo: body.promo.unwrap_or_default(),
    };
    let counted = call
        .make(DEADLINE, "garimpo.tracking.v1.TrackingService/CountStep", request, |services, request| {
            services.tracking.count_step(request)
        })
        .await;
    counted.map_err(ApiError::in_snake_case)?;
    Ok((StatusCode::ACCEPTED, Json(Done::YES)))
}
