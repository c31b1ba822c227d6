//! Validation of conversion events, with the error objects of the real platform.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::{Map, Value, json};

use crate::state::{DAY, Moment, ids, text};

/// The only valid token.
const TOKEN: &str = "meta_test_garimpo";
/// Supported versions of the API.
const VERSIONS: &[&str] = &["v24.0", "v25.0", "v26.0"];
/// Limit of one call.
const MAX_EVENTS: usize = 1000;
const MAX_AGE_DAYS: i64 = 7;
/// How far `event_time` may lie in the future.
const MAX_AHEAD_SECONDS: i64 = 600;

// Names are separated by blanks.
const BODY: &str = "data access_token test_event_code partner_agent";
const EVENT: &str = "event_name event_time event_id event_source_url referrer_url action_source opt_out \
                     user_data custom_data data_processing_options data_processing_options_country \
                     data_processing_options_state original_event_data";
const SOURCES: &str = "website app email phone_call chat physical_store system_generated \
                       business_messaging other";
/// Keys of user_data whose values must be SHA-256 in hex.
const HASHED: &str = "em ph fn ln ct st zp country db ge";
/// The other keys of user_data.
const PLAIN: &str =
    "external_id client_ip_address client_user_agent fbc fbp subscription_id fb_login_id lead_id";
/// Sets of keys that do not identify a customer without another key.
const TOO_WEAK: [&str; 4] =
    ["ct country st zp ge client_user_agent", "db client_user_agent", "fn ge", "ln ge"];

/// Why a call is refused. One invalid event refuses the whole call.
pub(super) struct Refusal {
    code: i64,
    subcode: Option<i64>,
    title: String,
    message: String,
}

impl Refusal {
    fn parameter(message: impl Into<String>) -> Self {
        Self { code: 100, subcode: None, title: "Invalid parameter".into(), message: message.into() }
    }

    fn too_old(at: i64) -> Self {
        let message =
            format!("The timestamp for this event, {at}, is more than {MAX_AGE_DAYS} days in the past.");
        Self { code: 100, subcode: Some(2_804_003), title: "Event Timestamp Too Old".into(), message }
    }

    fn token() -> Self {
        let message = "Invalid OAuth access token - Cannot parse access token".to_owned();
        Self { code: 190, subcode: None, title: message.clone(), message }
    }

    fn path() -> Self {
        let message = "Unknown path components".to_owned();
        Self { code: 2500, subcode: None, title: message.clone(), message }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let message = if self.code == 100 { "Invalid parameter" } else { &self.message };
        let error = json!({"error": {"message": message, "type": "OAuthException", "code": self.code,
            "error_subcode": self.subcode, "is_transient": false, "error_user_title": self.title,
            "error_user_msg": self.message, "fbtrace_id": ids::random(20)}});
        (StatusCode::BAD_REQUEST, Json(error)).into_response()
    }
}

/// Validates a whole call.
pub(super) fn check(
    version: &str,
    pixel: &str,
    token: &str,
    body: &Value,
    now: Moment,
) -> Result<(), Refusal> {
    ensure!(VERSIONS.contains(&version) && is_number(pixel), Refusal::path());
    ensure!(token == TOKEN, Refusal::token());
    known(body.as_object().ok_or_else(|| Refusal::parameter("the body must be a JSON object"))?, BODY, "")?;
    let events = body["data"].as_array().ok_or_else(|| Refusal::parameter("data is required"))?;
    let message = format!("data must hold 1 to {MAX_EVENTS} events");
    ensure!((1..=MAX_EVENTS).contains(&events.len()), Refusal::parameter(message));
    events.iter().enumerate().try_for_each(|(at, event)| {
        check_event(event, now)
            .map_err(|refusal| Refusal { message: format!("data[{at}]: {}", refusal.message), ..refusal })
    })
}

fn check_event(event: &Value, now: Moment) -> Result<(), Refusal> {
    known(event.as_object().ok_or_else(|| Refusal::parameter("an event must be an object"))?, EVENT, "")?;
    ensure!(!text(event, "event_name").is_empty(), Refusal::parameter("event_name is required"));
    let at = event["event_time"].as_i64().ok_or_else(|| Refusal::parameter("event_time is required"))?;
    ensure!(Moment::from_seconds(at) >= now.plus(-MAX_AGE_DAYS * DAY), Refusal::too_old(at));
    ensure!(at <= now.seconds() + MAX_AHEAD_SECONDS, Refusal::parameter("event_time is in the future"));
    let source = text(event, "action_source");
    ensure!(has(SOURCES, source), Refusal::parameter("action_source is required and must be known"));
    let user = event["user_data"].as_object().ok_or_else(|| Refusal::parameter("user_data is required"))?;
    check_user(user)?;
    let is_whole = !text(event, "event_source_url").is_empty() && user.contains_key("client_user_agent");
    let message = "website events need event_source_url and client_user_agent";
    ensure!(source != "website" || is_whole, Refusal::parameter(message));
    check_custom(event)
}

fn check_user(user: &Map<String, Value>) -> Result<(), Refusal> {
    known(user, &format!("{HASHED} {PLAIN}"), "user_data.")?;
    let is_weak = TOO_WEAK.iter().any(|set| user.keys().all(|key| has(set, key)));
    ensure!(!is_weak, Refusal::parameter("user_data does not say enough about the customer"));
    for (key, value) in user {
        let values = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
        let holds = |right: fn(&str) -> bool| {
            !values.is_empty() && values.iter().all(|value| value.as_str().is_some_and(right))
        };
        let (is_right, must) = match key.as_str() {
            key if has(HASHED, key) => (holds(is_sha256), "be hashed with SHA-256"),
            "client_ip_address" => (holds(is_address), "be an IPv4 or IPv6 address"),
            "fbc" | "fbp" => (holds(is_browser_id), "be fb.<n>.<milliseconds>.<id>"),
            _ => (holds(|text| !text.is_empty()), "be a text"),
        };
        ensure!(is_right, Refusal::parameter(format!("user_data.{key} must {must}")));
    }
    Ok(())
}

/// custom_data accepts any names; the names of the platform have types.
fn check_custom(event: &Value) -> Result<(), Refusal> {
    let custom = &event["custom_data"];
    ensure!(custom.is_null() || custom.is_object(), Refusal::parameter("custom_data must be an object"));
    let (value, currency) = (&custom["value"], &custom["currency"]);
    let has_value = event["event_name"] == "Purchase" || !value.is_null();
    ensure!(!has_value || value.is_number(), Refusal::parameter("custom_data.value must be a number"));
    let is_code = |text: &str| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_right = (!has_value && currency.is_null()) || currency.as_str().is_some_and(is_code);
    ensure!(is_right, Refusal::parameter("custom_data.currency must be a code such as BRL"));
    Ok(())
}

fn has(names: &str, name: &str) -> bool {
    names.split(' ').any(|known| known == name)
}

fn known(fields: &Map<String, Value>, names: &str, under: &str) -> Result<(), Refusal> {
    match fields.keys().find(|key| !has(names, key)) {
        Some(key) => Err(Refusal::parameter(format!("{under}{key} is not a known parameter"))),
        None => Ok(()),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn is_address(text: &str) -> bool {
    text.parse::<std::net::IpAddr>().is_ok()
}

fn is_browser_id(text: &str) -> bool {
    let parts: Vec<_> = text.splitn(4, '.').collect();
    matches!(parts[..], ["fb", index, at, id] if is_number(index) && is_number(at) && !id.is_empty())
}
