//! GET /session-status?session_id=

use super::doc::{Body, Doc, Field, Kind, Parameter};
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
    parameters: &[Parameter { name: "session_id", place: "query" }],
    body: Body::None,
    success: 200,
    answer: &[Field::required("status", Kind::Text), Field::required("customer_email", Kind::Text)],
    failures: &[ErrorReason::InvalidArgument, ErrorReason::NotFound, ErrorReason::ProviderUnavailable],
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
