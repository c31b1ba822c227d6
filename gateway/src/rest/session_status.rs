//! GET /session-status?session_id=

use super::doc::{Body, Caller, Doc, Field, Kind, Parameter};
use super::{Call, PROVIDER_DEADLINE, within};
use crate::error::ApiError;
use axum::Json;
use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use garimpo_proto::billing::v1::GetCheckoutSessionRequest;
use garimpo_proto::errors::v1::ErrorReason;
use serde::{Deserialize, Serialize};

/// What the call says about itself.
pub(crate) const DOC: Doc = Doc {
    method: "get",
    path: "/session-status",
    summary: "Says how a checkout stands to whoever holds its id.",
    caller: Caller::Anyone,
    parameters: &[Parameter {
        place: "query",
        field: Field::required("session_id", Kind::Id(255)).like("cs_test_a1b2c3"),
    }],
    body: Body::None,
    success: 200,
    answer: &[
        Field::required("status", Kind::OneOf(&["open", "complete", "expired"])),
        Field::required("customer_email", Kind::Email),
    ],
    sets_cookie: true,
    says_ok: false,
    failures: &[
        ErrorReason::InvalidArgument,
        ErrorReason::NotFound,
        ErrorReason::ProviderUnavailable,
        ErrorReason::TooManyRequests,
    ],
};

#[derive(Deserialize)]
pub(crate) struct Asked {
    session_id: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct Answer {
    status: String,
    customer_email: String,
}

/// Says how a checkout stands to whoever holds its id.
pub(crate) async fn handle(
    call: Call,
    query: Result<Query<Asked>, QueryRejection>,
) -> Result<Json<Answer>, ApiError> {
    let session_id = query.ok().and_then(|Query(asked)| asked.session_id).filter(|id| !id.is_empty());
    let Some(session_id) = session_id else {
        return Err(ApiError::fields(vec![("session_id".into(), "é obrigatório".into())]));
    };
    let request = within(PROVIDER_DEADLINE, GetCheckoutSessionRequest { session_id });
    let answer = call.billing().get_checkout_session(request).await?.into_inner();
    Ok(Json(Answer { status: answer.status, customer_email: answer.customer_email }))
}
