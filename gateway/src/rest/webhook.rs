//! POST /webhooks/stripe

use super::doc::{Body as BodyDoc, Caller, Doc, Field, Kind};
use super::{Call, DEADLINE, within};
use crate::app::App;
use crate::body::{self, Bounds};
use crate::error::ApiError;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use garimpo_proto::billing::v1::ReceiveEventRequest;
use garimpo_proto::errors::v1::ErrorReason;
use http::HeaderMap;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

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
const SIGNATURE: &str = "stripe-signature";
/// Longest signature header, in bytes: eight signatures and their time take less.
const MAX_SIGNATURE: usize = 1024;
/// Pause for a client whose signatures were wrong too often.
const BARRED_FOR: Duration = Duration::from_mins(1);

#[derive(Serialize)]
pub(crate) struct Answer {
    received: bool,
}

/// Passes an event on as it came: the signature is over the raw body.
///
/// The cheap checks come before the body is read, because anyone can send one.
pub(crate) async fn handle(
    State(app): State<Arc<App>>,
    call: Call,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Answer>, ApiError> {
    let address = call.caller.address();
    if !app.budgets.refused_events.allows(address) {
        return Err(ApiError::too_many_requests(BARRED_FOR));
    }
    let signature = headers.get(SIGNATURE).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned();
    if !may_be_valid(&signature) {
        return Err(ApiError::new(ErrorReason::InvalidSignature));
    }
    let time = app.settings.limits.event_time;
    let bounds = Bounds { limit: MAX_EVENT, bytes: &app.budgets.event_bytes, time };
    let payload = body::read(body, bounds, &app, &call.caller).await?;

    let request = ReceiveEventRequest { payload: payload.into(), signature };
    let received = call.webhooks().receive_event(within(DEADLINE, request)).await;
    received.map_err(ApiError::from).inspect_err(|error| {
        if error.reason() == ErrorReason::InvalidSignature {
            app.budgets.refused_events.record(address);
        }
    })?;
    Ok(Json(Answer { received: true }))
}

/// Whether the header has the form `t=<seconds>,v1=<64 hex digits>`. Its time and its signatures are
/// checked by the service, because the product's clock and secrets are there.
fn may_be_valid(header: &str) -> bool {
    let parts = || header.split(',').filter_map(|part| part.trim().split_once('='));
    let is_time = |value: &str| value.parse::<i64>().is_ok();
    let is_signature = |value: &str| value.len() == 64 && value.bytes().all(|b| b.is_ascii_hexdigit());
    header.len() <= MAX_SIGNATURE
        && parts().any(|(name, value)| name == "t" && is_time(value))
        && parts().any(|(name, value)| name == "v1" && is_signature(value))
}
