//! POST /api/steps

use super::body::Fields;
use super::doc::{Body, Caller, DONE, Doc, Field, Kind, Parameter};
use super::{Call, DEADLINE, Done, within};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::tracking::v1::CountStepRequest;
use http::StatusCode;

/// What the call says about itself.
pub(crate) const DOC: Doc = Doc {
    method: "post",
    path: "/api/steps",
    summary: "Counts that a visit came to a step of the way to a purchase, and nothing about the visitor.",
    caller: Caller::OwnPage,
    parameters: &[Parameter {
        place: "header",
        field: Field::optional("origin", Kind::Text).means("Our own; nothing stands for it."),
    }],
    body: Body::Json(&[
        Field::required("step", Kind::OneOf(&["landing", "plans", "signup", "upsell"])),
        Field::optional("source", Kind::Text)
            .means("With landing alone: where the visit came from.")
            .like("instagram"),
        Field::optional("campaign", Kind::Text).means("With landing alone.").like("perfil"),
        Field::optional("promo", Kind::Text).means("With landing alone: promotion code.").like("novo"),
    ]),
    success: 202,
    answer: DONE,
    sets_cookie: true,
    says_ok: false,
    failures: &[ErrorReason::PermissionDenied],
};

/// Counts a step.
pub(crate) async fn handle(call: Call, mut body: Fields) -> Result<(StatusCode, Json<Done>), ApiError> {
    let request = CountStepRequest {
        step: body.text("step"),
        source: body.text_or_empty("source"),
        campaign: body.text_or_empty("campaign"),
        promo: body.text_or_empty("promo"),
    };
    body.finish()?;

    let counted = call.tracking().count_step(within(DEADLINE, request)).await;
    counted.map_err(ApiError::in_snake_case)?;
    Ok((StatusCode::ACCEPTED, Json(Done::YES)))
}
