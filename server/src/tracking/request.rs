//! Reads a posted conversion event.

use garimpo_domain::attribution::{is_counted_click, is_fbc, is_fbp};
use garimpo_domain::conversion::{PersonalField, is_in_time, own_page};
use garimpo_domain::{ConversionEvent, Interval, Timestamp, catalog};
use garimpo_proto::tracking::v1 as pb;

use super::conversion::{CURRENCY, Conversion, hash_fields};
use crate::caller::{Caller, Principal};
use crate::error::{ErrorReason, Result, Violations};

/// Longest text of an event, in characters.
const MAX_TEXT: usize = 300;

pub(super) fn read(
    caller: &Caller,
    request: pb::TrackEventRequest,
    now: Timestamp,
    public_url: &str,
) -> Result<Conversion> {
    let by_service = matches!(caller.principal, Principal::Service(_));
    let event = read_event(&request, by_service, now)?;
    let person = request.user_data.unwrap_or_default();
    let custom = request.custom_data.unwrap_or_default();
    // A service calls from a machine of ours: neither address nor browser is the person's.
    let of_browser = |text: Option<String>| text.filter(|_| !by_service);
    let page = request.event_source_url.and_then(|address| own_page(&address, public_url));
    let page = page.or_else(|| (!by_service).then(|| format!("{public_url}{}", event.page())));
    let user_data = hash_fields([
        (PersonalField::Email, person.em.as_deref()),
        (PersonalField::FirstName, person.r#fn.as_deref()),
        (PersonalField::Phone, person.ph.as_deref()),
        (PersonalField::ExternalId, person.external_id.as_deref()),
    ]);
    if by_service && !user_data.keys().any(|name| name != PersonalField::FirstName.name()) {
        let mut wrong = Violations::new();
        let why = "no usable email, phone or external_id: a name alone identifies no person";
        wrong.add("user_data", ErrorReason::InvalidArgument, why);
        wrong.refuse()?;
    }
    Ok(Conversion {
        event,
        event_id: request.event_id,
        event_time: request.event_time.unwrap_or_default().seconds,
        uid: caller.known().map(|identity| identity.uid.clone()),
        consent: request.consent,
        user_data,
        value_centavos: custom.value_centavos.filter(|_| event.has_value()),
        subscription_plan: custom.subscription_plan.map(plan_id),
        interval: custom.interval.map(interval),
        client_address: of_browser(caller.client_address().map(|address| address.to_string())),
        user_agent: of_browser(caller.user_agent().map(str::to_owned)),
        source_url: page,
        fbp: person.fbp.filter(|fbp| is_fbp(fbp)),
        fbc: person.fbc.filter(|fbc| is_fbc(fbc) && is_counted_click(fbc, now)),
    })
}

/// The event's type, after a check of every field that can be wrong.
fn read_event(request: &pb::TrackEventRequest, by_service: bool, now: Timestamp) -> Result<ConversionEvent> {
    let mut wrong = Violations::new();
    let event = ConversionEvent::parse(&request.event_name).ok_or("no conversion event has this name");
    let event = wrong.take("event_name", ErrorReason::UnknownEvent, event);
    let mut refuse = |field: &str, why: &str| wrong.add(field, ErrorReason::InvalidArgument, why);
    let id = &request.event_id;
    if id.is_empty() || id.chars().count() > MAX_TEXT || id.contains('\0') {
        refuse("event_id", "missing, too long or with NUL");
    }
    let at = |at: prost_types::Timestamp| Timestamp::from_unix_seconds(at.seconds);
    if !request.event_time.map(at).is_some_and(|at| is_in_time(at, now)) {
        refuse("event_time", "missing, more than 7 days old, or ahead of the clock");
    }
    if request.user_data.is_none() {
        refuse("user_data", "missing");
    }
    if request.custom_data.as_ref().and_then(|data| data.value_centavos).is_some_and(|value| value < 0) {
        refuse("custom_data.value", "negative");
    }
    // The value of a page's event is not used, and a sign-up has none.
    let has_value = by_service && event.is_none_or(ConversionEvent::has_value);
    let custom = request.custom_data.as_ref().filter(|_| has_value);
    let currency = custom.and_then(|data| data.currency.as_deref()).unwrap_or_default();
    if !currency.is_empty() && !currency.eq_ignore_ascii_case(CURRENCY) {
        refuse("custom_data.currency", "only BRL");
    }
    wrong.finish(event)
}

/// The id of a plan of ours, or the posted text.
fn plan_id(posted: String) -> String {
    catalog().plan_named(&posted).map_or_else(|| shortened(posted), |plan| plan.id.as_str().to_owned())
}

/// An interval of ours as every event writes it, or the posted text.
fn interval(posted: String) -> String {
    Interval::parse(&posted).map_or_else(|| shortened(posted), |interval| interval.written().to_owned())
}

fn shortened(text: String) -> String {
    text.chars().take(MAX_TEXT).collect()
}
