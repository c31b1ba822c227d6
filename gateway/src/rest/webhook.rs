//! POST /webhooks/stripe

use super::body::bounded;
use super::doc::{Body as BodyDoc, Caller, Doc, Field, Kind};
use super::{Call, DEADLINE, within};
use crate::error::ApiError;
use axum::Json;
use axum::body::Body;
use garimpo_proto::billing::v1::ReceiveEventRequest;
use garimpo_proto::errors::v1::ErrorReason;
use http::HeaderMap;
use serde::Serialize;

/// What the call says about itself.
pub(crate) const DOC: Doc = Doc {
    method: "post",
    path: "/webhooks/stripe",
    summary: "Takes the payment provider's signed events.",
    caller: Caller::Signed,
    parameters: &[],
    body: BodyDoc::Signed(&[Field::required("id", Kind::Id(255))
        .means("What else an event has is the provider's: one of an unknown shape is stored all the same.")
        .like("evt_1")]),
    success: 200,
    answer: &[Field::required("received", Kind::Yes)],
    sets_cookie: false,
    says_ok: false,
    failures: &[ErrorReason::InvalidSignature],
};

/// Largest event, in bytes.
const MAX_EVENT: usize = 1024 * 1024;

#[derive(Serialize)]
pub(crate) struct Answer {
    received: bool,
}

/// Passes an event on as it came: the signature is over the raw body.
pub(crate) async fn handle(call: Call, headers: HeaderMap, body: Body) -> Result<Json<Answer>, ApiError> {
    let payload = bounded(body, MAX_EVENT).await?;
    let signature =
        headers.get("stripe-signature").and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned();

    let request = ReceiveEventRequest { payload: payload.into(), signature };
    call.webhooks().receive_event(within(DEADLINE, request)).await?;
    Ok(Json(Answer { received: true }))
}
