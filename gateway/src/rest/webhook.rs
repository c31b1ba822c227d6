//! POST /webhooks/stripe

use super::values::{ProviderEventId, True};
use super::{Call, DEADLINE};
use crate::app::App;
use crate::body::{self, Bounds};
use crate::budget::BLOCKED_FOR;
use crate::error::ApiError;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use garimpo_proto::billing::v1::ReceiveEventRequest;
use garimpo_proto::errors::v1::ErrorReason;
use http::HeaderMap;
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// Largest event, in bytes.
const MAX_EVENT: usize = 1024 * 1024;
const SIGNATURE: &str = "stripe-signature";
/// Longest signature header, in bytes. Eight signatures and their time are shorter.
const MAX_SIGNATURE: usize = 1024;

/// An event of an unknown shape is stored too: the other fields are the provider's.
#[derive(ToSchema)]
#[expect(dead_code, reason = "documents the body, which is passed on as it came")]
struct ProviderEvent {
    id: ProviderEventId,
}

#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Received {
    received: True,
}

/// Receives the payment provider's signed events.
///
/// The signature covers the raw body, so that it is passed on unread.
// The cheap checks come before the body is read, because anyone can send one.
#[utoipa::path(post, path = "/webhooks/stripe", operation_id = "receive_event", tag = "webhooks",
    request_body = ProviderEvent,
    responses((status = 200, body = Received)), security(("signature" = [])))]
pub(crate) async fn handle(
    State(app): State<Arc<App>>,
    call: Call,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Received>, ApiError> {
    let address = call.context.address;
    if !app.budgets.refused_events.allows(address) {
        return Err(ApiError::too_many_requests(BLOCKED_FOR));
    }
    let signature = headers.get(SIGNATURE).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned();
    if !may_be_valid(&signature) {
        return Err(ApiError::new(ErrorReason::InvalidSignature));
    }
    let time = app.settings.limits.event_time;
    let bounds = Bounds { limit: MAX_EVENT, bytes: &app.budgets.event_bytes, time };
    let payload = body::read(body, bounds, &app, &call.context).await?;

    let request = ReceiveEventRequest { payload: payload.into(), signature };
    let received = call
        .make(DEADLINE, "garimpo.billing.v1.WebhookService/ReceiveEvent", request, |services, request| {
            services.webhooks.receive_event(request)
        })
        .await;
    received.map_err(ApiError::from).inspect_err(|error| {
        if error.reason == ErrorReason::InvalidSignature {
            app.budgets.refused_events.record(address);
        }
    })?;
    Ok(Json(Received { received: True(true) }))
}

/// Whether the header has the form `t=<seconds>,v1=<64 hex digits>`. The service checks time and
/// signatures, because it has the product's clock and secrets.
fn may_be_valid(header: &str) -> bool {
    let parts = || header.split(',').filter_map(|part| part.trim().split_once('='));
    let is_time = |value: &str| value.parse::<i64>().is_ok();
    let is_signature = |value: &str| value.len() == 64 && value.bytes().all(|b| b.is_ascii_hexdigit());
    header.len() <= MAX_SIGNATURE
        && parts().any(|(name, value)| name == "t" && is_time(value))
        && parts().any(|(name, value)| name == "v1" && is_signature(value))
}
