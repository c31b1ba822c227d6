//! POST /meta-capi

use super::body::Fields;
use super::doc::{Body, Caller, DONE, Doc, Field, Kind, Parameter};
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
    caller: Caller::OwnPageOrToken,
    parameters: &[Parameter {
        place: "header",
        field: Field::optional("origin", Kind::Text)
            .means("Our own, unless a token with tracking.write comes."),
    }],
    body: Body::Json(&[
        Field::required("event_name", Kind::OneOf(EVENTS))
            .means("A payment is only a pointer from outside: its value comes from the server."),
        Field::required("event_time", Kind::Seconds)
            .means("Of the last 7 days: the platform takes no older one.")
            .like("1790000000"),
        Field::required("event_id", Kind::Id(300))
            .means("One event counts once per id.")
            .like("cadastro:usr_1"),
        Field::required(USER_DATA, Kind::Object(USER_FIELDS)),
        Field::optional(CUSTOM_DATA, Kind::Object(CUSTOM_FIELDS)).means(
            "Believed of a service alone; of who is signed in it comes from the checkout that event_id names.",
        ),
        Field::optional("consent", Kind::Boolean)
            .means("The visitor's answer; without consent nothing leaves for third parties."),
        Field::optional("event_source_url", Kind::Text)
            .means("The page of ours where it happened; query and fragment are dropped.")
            .like("https://garimpo.example/cadastro"),
    ]),
    success: 202,
    answer: DONE,
    sets_cookie: true,
    says_ok: false,
    failures: &[ErrorReason::UnknownEvent, ErrorReason::PermissionDenied],
};

const USER_DATA: &str = "user_data";
const CUSTOM_DATA: &str = "custom_data";
const EVENTS: &[&str] =
    &["cadastro", "checkout_iniciado", "checkout_finalizado", "pagamento_confirmado", "PVNewSubs"];
const USER_FIELDS: &[Field] = &[
    Field::optional("em", Kind::Text).means("Email, plain or as SHA-256 in hex.").like("ana@exemplo.com.br"),
    Field::optional("fn", Kind::Text).means("First name, plain or as SHA-256 in hex.").like("Ana"),
    Field::optional("ph", Kind::Text).means("Phone, plain or as SHA-256 in hex.").like("(11) 98765-4321"),
    Field::optional("external_id", Kind::Text).means("uid, plain or as SHA-256 in hex.").like("usr_1"),
    Field::optional("fbp", Kind::Text)
        .means("Browser id of the pixel.")
        .like("fb.1.1790000000000.1234567890"),
    Field::optional("fbc", Kind::Text).means("Click id of the pixel.").like("fb.1.1790000000000.IwAR0abc"),
];
const CUSTOM_FIELDS: &[Field] = &[
    Field::optional("value", Kind::Reais).like("391.6"),
    Field::optional("currency", Kind::Text).means("Always read as BRL.").like("BRL"),
    Field::optional("subscription_plan", Kind::Text).like("top_afiliado"),
    Field::optional("interval", Kind::Text).like("semestral"),
];

/// Takes a conversion event.
pub(crate) async fn handle(call: Call, mut body: Fields) -> Result<(StatusCode, Json<Done>), ApiError> {
    let request = TrackEventRequest {
        event_name: body.text("event_name"),
        event_time: Some(prost_types::Timestamp { seconds: body.integer("event_time"), nanos: 0 }),
        event_id: body.text("event_id"),
        user_data: Some(user_data(&mut body)),
        custom_data: custom_data(&mut body),
        consent: body.optional_bool("consent"),
        event_source_url: body.optional_text("event_source_url"),
    };
    body.finish()?;

    let taken = call.tracking().track_event(within(DEADLINE, request)).await;
    taken.map_err(ApiError::in_snake_case)?;
    Ok((StatusCode::ACCEPTED, Json(Done::YES)))
}

fn user_data(body: &mut Fields) -> UserData {
    let Some(mut fields) = body.required_object(USER_DATA) else { return UserData::default() };
    let data = UserData {
        em: fields.optional_text("em"),
        r#fn: fields.optional_text("fn"),
        ph: fields.optional_text("ph"),
        external_id: fields.optional_text("external_id"),
        fbp: fields.optional_text("fbp"),
        fbc: fields.optional_text("fbc"),
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
