//! POST /meta-capi

use super::body::Fields;
use super::doc::{Body, DONE, Doc, Field, Kind};
use super::{Call, DEADLINE, Done, within};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::tracking::v1::{CustomData, TrackEventRequest, UserData};
use http::StatusCode;

/// What the call says about itself.
pub(crate) const DOC: Doc = Doc {
    method: "post",
    path: "/meta-capi",
    summary: "Takes a conversion event from our own pages or a service.",
    parameters: &[],
    body: Body::Json(&[
        Field::required("event_name", Kind::Text),
        Field::required("event_time", Kind::Integer),
        Field::required("event_id", Kind::Text),
        Field::required(USER_DATA, Kind::Object(USER_FIELDS)),
        Field::optional(CUSTOM_DATA, Kind::Object(CUSTOM_FIELDS)),
    ]),
    success: 202,
    answer: DONE,
    failures: &[ErrorReason::UnknownEvent, ErrorReason::PermissionDenied],
};

const USER_DATA: &str = "user_data";
const CUSTOM_DATA: &str = "custom_data";
const USER_FIELDS: &[Field] = &[
    Field::optional("em", Kind::Text),
    Field::optional("fn", Kind::Text),
    Field::optional("ph", Kind::Text),
    Field::optional("external_id", Kind::Text),
];
const CUSTOM_FIELDS: &[Field] = &[
    Field::optional("value", Kind::Reais),
    Field::optional("currency", Kind::Text),
    Field::optional("subscription_plan", Kind::Text),
    Field::optional("interval", Kind::Text),
];

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
    let Some(mut fields) = body.required_object(USER_DATA) else { return UserData::default() };
    let data = UserData {
        em: fields.optional_text("em"),
        r#fn: fields.optional_text("fn"),
        ph: fields.optional_text("ph"),
        external_id: fields.optional_text("external_id"),
    };
    body.refuse_inside(USER_DATA, fields);
    data
}

fn custom_data(body: &mut Fields) -> Option<CustomData> {
    let mut fields = body.object(CUSTOM_DATA)?;
    let data = CustomData {
        value_centavos: fields.optional_centavos("value"),
        currency: fields.optional_text("currency"),
        subscription_plan: fields.optional_text("subscription_plan"),
        interval: fields.optional_text("interval"),
    };
    body.refuse_inside(CUSTOM_DATA, fields);
    Some(data)
}
