//! POST /meta-capi

use super::body::Fields;
use super::values::{EventId, EventName, EventTime, Reais};
use super::{Call, DEADLINE, Done};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::tracking::v1::{self, TrackEventRequest};
use http::StatusCode;
use prost_types::Timestamp;
use serde::Deserialize;
use utoipa::ToSchema;

#[derive(Deserialize, ToSchema)]
pub(crate) struct ConversionEvent {
    /// The value of a payment is read from the server.
    event_name: EventName,
    /// Within the last 7 days: the platform refuses older events.
    event_time: EventTime,
    /// One event counts once per id.
    event_id: EventId,
    user_data: UserData,
    /// Used from a service alone. For a signed-in visitor it is read from the checkout that
    /// event_id names.
    custom_data: Option<CustomData>,
    /// The visitor's choice. Without consent no data is sent to third parties.
    consent: Option<bool>,
    /// Page of this site where the event happened; query and fragment are dropped.
    #[schema(examples("https://garimpo.example/cadastro"))]
    event_source_url: Option<String>,
}

#[derive(Deserialize, ToSchema)]
struct UserData {
    /// Email, plain or as SHA-256 in hex.
    #[schema(examples("ana@exemplo.com.br"))]
    em: Option<String>,
    /// First name, plain or as SHA-256 in hex.
    #[schema(examples("Ana"))]
    r#fn: Option<String>,
    /// Phone, plain or as SHA-256 in hex.
    #[schema(examples("(11) 98765-4321"))]
    ph: Option<String>,
    /// uid, plain or as SHA-256 in hex.
    #[schema(examples("usr_1"))]
    external_id: Option<String>,
    /// Browser id of the pixel.
    #[schema(examples("fb.1.1790000000000.1234567890"))]
    fbp: Option<String>,
    /// Click id of the pixel.
    #[schema(examples("fb.1.1790000000000.IwAR0abc"))]
    fbc: Option<String>,
}

#[derive(Deserialize, ToSchema)]
struct CustomData {
    value: Option<Reais>,
    /// Always read as BRL.
    #[schema(examples("BRL"))]
    currency: Option<String>,
    #[schema(examples("top_afiliado"))]
    subscription_plan: Option<String>,
    #[schema(examples("semestral"))]
    interval: Option<String>,
}

/// Receives a conversion event from our own pages or from a service.
#[utoipa::path(post, path = "/meta-capi", operation_id = "track_event", tag = "tracking", request_body = ConversionEvent,
    params(("origin" = Option<String>, Header, description = "Our own, unless there is a token with tracking.write.")),
    responses((status = 202, body = Done)), security(("token" = []), ()))]
pub(crate) async fn handle(
    call: Call,
    Fields(body): Fields<ConversionEvent>,
) -> Result<(StatusCode, Json<Done>), ApiError> {
    let UserData { em, r#fn, ph, external_id, fbp, fbc } = body.user_data;
    let request = TrackEventRequest {
        event_name: body.event_name.0,
        event_time: Some(Timestamp { seconds: body.event_time.0, nanos: 0 }),
        event_id: body.event_id.0,
        user_data: Some(v1::UserData { em, r#fn, ph, external_id, fbp, fbc }),
        custom_data: body.custom_data.map(|data| v1::CustomData {
            value_centavos: data.value.map(|value| value.0),
            currency: data.currency,
            subscription_plan: data.subscription_plan,
            interval: data.interval,
        }),
        consent: body.consent,
        event_source_url: body.event_source_url,
    };
    let tracked = call
        .make(DEADLINE, "garimpo.tracking.v1.TrackingService/TrackEvent", request, |services, request| {
            services.tracking.track_event(request)
        })
        .await;
    tracked.map_err(ApiError::in_snake_case)?;
    Ok((StatusCode::ACCEPTED, Json(Done::YES)))
}
