//! POST /meta-capi

use super::body::Fields;
use super::{Call, DEADLINE, Done, within};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::tracking::v1::{CustomData, TrackEventRequest, UserData};
use http::StatusCode;

/// Takes a conversion event.
pub(crate) async fn handle(call: Call, mut body: Fields) -> Result<(StatusCode, Json<Done>), ApiError> {
    let request = TrackEventRequest {
        event_name: body.text("event_name"),
        event_time: Some(prost_types::Timestamp { seconds: body.integer("event_time"), nanos: 0 }),
        event_id: body.text("event_id"),
        user_data: Some(user_data(&mut body)),
        custom_data: custom_data(&mut body),
    };
    body.finish()?;

    call.tracking().track_event(within(DEADLINE, request)).await?;
    Ok((StatusCode::ACCEPTED, Json(Done::YES)))
}

fn user_data(body: &mut Fields) -> UserData {
    const NAME: &str = "user_data";
    let Some(mut fields) = body.required_object(NAME) else { return UserData::default() };
    let data = UserData {
        em: fields.optional_text("em"),
        r#fn: fields.optional_text("fn"),
        ph: fields.optional_text("ph"),
        external_id: fields.optional_text("external_id"),
    };
    body.refuse_inside(NAME, fields);
    data
}

fn custom_data(body: &mut Fields) -> Option<CustomData> {
    const NAME: &str = "custom_data";
    let mut fields = body.object(NAME)?;
    let data = CustomData {
        value_centavos: fields.optional_centavos("value"),
        currency: fields.optional_text("currency"),
        subscription_plan: fields.optional_text("subscription_plan"),
        interval: fields.optional_text("interval"),
    };
    body.refuse_inside(NAME, fields);
    Some(data)
}
