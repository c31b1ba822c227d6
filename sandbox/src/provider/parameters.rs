//! Parameters of every call: those that the provider has, and those that the sandbox plays.
//!
//! `parameters.json` lists the first, read from the provider's SDK by
//! `tests/clients/provider/parameters.mjs`. [`PLAYED`] lists the second. A call that succeeds
//! without reading one of its parameters ([`Params::unread`]) is refused, too.

use std::sync::LazyLock;

use serde_json::{Map, Value};

#[cfg(doc)]
use crate::provider::Params;
use crate::provider::call::Call;
use crate::provider::error::ApiError;

/// Parameters by call, `POST customers/*`. `1` is a value, a list one of its values, `*` any name
/// that the caller chooses.
static KNOWN: LazyLock<Map<String, Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("parameters.json")).unwrap_or_default());

/// Parameters that calls play, separated by blanks. A plain name plays itself and anything below
/// it, a dotted name itself alone. Items of lists are named without their number.
const PLAYED: &[(&str, &str)] = &[
    ("DELETE subscriptions/*", "cancellation_details.comment cancellation_details.feedback"),
    ("GET charges", "customer payment_intent created"),
    ("GET checkout/sessions", "customer status created"),
    ("GET coupons", "created"),
    ("GET customers", "email test_clock created"),
    ("GET customers/*/balance_transactions", "created"),
    ("GET customers/*/payment_methods", "type"),
    ("GET customers/search", "query page"),
    ("GET disputes", "charge payment_intent created"),
    ("GET events", "type types delivery_success created"),
    ("GET invoice_payments", "invoice created"),
    ("GET invoices", "customer status subscription created"),
    ("GET payment_intents", "customer created"),
    ("GET payment_methods", "customer type"),
    ("GET prices", "active product lookup_keys created"),
    ("GET products", "active created"),
    ("GET promotion_codes", "active code created"),
    ("GET refunds", "charge payment_intent created"),
    ("GET subscriptions", "customer status test_clock created"),
    ("POST billing_portal/sessions", "customer return_url locale"),
    (
        "POST checkout/sessions",
        "mode ui_mode return_url success_url line_items.price line_items.price_data.currency \
         line_items.price_data.unit_amount line_items.price_data.product \
         line_items.price_data.product_data.name line_items.price_data.product_data.metadata \
         line_items.price_data.recurring.interval line_items.price_data.recurring.interval_count \
         line_items.quantity discounts.coupon customer customer_email client_reference_id metadata \
         locale allowed_payment_method_types payment_method_options.boleto.expires_after_days \
         subscription_data.metadata subscription_data.trial_end \
         subscription_data.trial_period_days redirect_on_completion",
    ),
    ("POST coupons", "id percent_off amount_off currency duration applies_to.products name metadata"),
    ("POST coupons/*", "name metadata"),
    ("POST credit_notes", "invoice amount memo reason metadata email_type"),
    ("POST customers", "email name phone metadata preferred_locales address test_clock"),
    ("POST customers/*", "email name phone metadata invoice_settings.default_payment_method balance"),
    ("POST customers/*/balance_transactions", "amount currency description metadata"),
    ("POST disputes/*", "evidence.uncategorized_text submit metadata"),
    ("POST invoices/*", "auto_advance metadata"),
    ("POST invoices/*/pay", "payment_method off_session paid_out_of_band"),
    (
        "POST invoices/create_preview",
        "customer subscription subscription_details.items.id subscription_details.items.price \
         subscription_details.proration_behavior subscription_details.proration_date",
    ),
    (
        "POST payment_methods",
        "type boleto.tax_id billing_details.name billing_details.email billing_details.address metadata",
    ),
    ("POST payment_methods/*/attach", "customer"),
    (
        "POST prices",
        "currency unit_amount recurring.interval recurring.interval_count product product_data.name \
         product_data.metadata lookup_key transfer_lookup_key metadata",
    ),
    ("POST prices/*", "active metadata lookup_key"),
    ("POST products", "id name active metadata"),
    ("POST products/*", "name active metadata"),
    ("POST promotion_codes", "promotion.type promotion.coupon code"),
    ("POST refunds", "payment_intent charge amount reason metadata"),
    (
        "POST subscriptions",
        "customer items.price items.quantity default_payment_method collection_method \
         payment_behavior off_session payment_settings.payment_method_types discounts.coupon \
         trial_end metadata",
    ),
    (
        "POST subscriptions/*",
        "cancel_at_period_end cancel_at cancellation_details.comment cancellation_details.feedback \
         metadata default_payment_method proration_behavior proration_date items.id items.price \
         payment_behavior discounts.coupon trial_end pause_collection.behavior \
         pause_collection.resumes_at",
    ),
    ("POST test_helpers/test_clocks", "frozen_time name"),
    ("POST test_helpers/test_clocks/*/advance", "frozen_time"),
    ("POST webhook_endpoints", "url enabled_events api_version metadata"),
    ("POST webhook_endpoints/*", "enabled_events metadata disabled"),
];
/// Parameters that every call plays that has them.
const COMMON: [&str; 4] = ["expand", "limit", "starting_after", "ending_before"];

/// Refuses the parameters of a call that the provider does not have, and those that it has and the
/// sandbox does not play.
///
/// # Errors
/// 400 `parameter_unknown` or a wrong value as the provider's, or `parameter_not_played` of the
/// type `sandbox_error`, which the provider never returns.
pub fn check(call: &Call<'_>) -> Result<(), ApiError> {
    let Some((name, known)) = known(call) else { return Ok(()) };
    if let Some(param) = unknown(&call.params.value, known, "") {
        return Err(ApiError::unknown(&param));
    }
    if let Some((param, values)) = wrong(&call.params.value, known, "") {
        let message = format!("Invalid {param}: must be one of {}", values.join(", "));
        return Err(ApiError::param(&param, message));
    }
    let played = PLAYED.iter().find(|(own, _)| own == name).map_or("", |(_, played)| *played);
    let played: Vec<_> = played.split_whitespace().chain(COMMON).collect();
    match unplayed(&call.params.value, "", "", &played) {
        Some(param) => Err(ApiError::not_played(&param)),
        None => Ok(()),
    }
}

/// The parameters of a call, with its name. A fixed segment of a path comes before an id.
fn known(call: &Call<'_>) -> Option<(&'static String, &'static Value)> {
    let is_call = |name: &str| {
        let mut segments = name.split([' ', '/']);
        segments.next() == Some(call.method.as_str())
            && segments.clone().count() == call.path.len()
            && segments.zip(&call.path).all(|(own, given)| own == "*" || own == *given)
    };
    KNOWN.iter().filter(|(name, _)| is_call(name)).min_by_key(|(name, _)| name.matches('*').count())
}

fn named(inside: &str, step: &str) -> String {
    if inside.is_empty() { step.to_owned() } else { format!("{inside}[{step}]") }
}

/// The first name under a value that is not in a tree of known ones.
fn unknown(value: &Value, known: &Value, name: &str) -> Option<String> {
    match value {
        _ if known.get("*").is_some() => None,
        Value::Object(fields) => fields.iter().find_map(|(step, value)| {
            let name = named(name, step);
            match known.get(step) {
                Some(known) => unknown(value, known, &name),
                None => Some(name),
            }
        }),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(at, item)| unknown(item, known, &format!("{name}[{at}]")))
        }
        _ => None,
    }
}

/// The first name under a value whose text is not one of the listed values, which follow. An empty
/// text clears the parameter.
fn wrong<'k>(value: &Value, known: &'k Value, name: &str) -> Option<(String, Vec<&'k str>)> {
    match value {
        Value::Object(fields) => fields.iter().find_map(|(step, value)| {
            known.get(step).and_then(|known| wrong(value, known, &named(name, step)))
        }),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(at, item)| wrong(item, known, &format!("{name}[{at}]")))
        }
        Value::String(given) => {
            let values: Vec<_> = known.as_array()?.iter().filter_map(Value::as_str).collect();
            let is_wrong = !given.is_empty() && !values.contains(&given.as_str());
            is_wrong.then(|| (name.to_owned(), values))
        }
        _ => None,
    }
}

/// The first name under a value that is not played. `plain` has no numbers of lists.
fn unplayed(value: &Value, plain: &str, name: &str, played: &[&str]) -> Option<String> {
    if played.contains(&plain) {
        return None;
    }
    let inside = if plain.is_empty() { String::new() } else { format!("{plain}.") };
    if !played.iter().any(|played| played.starts_with(&inside)) {
        return Some(name.to_owned());
    }
    match value {
        Value::Object(fields) => fields.iter().find_map(|(step, value)| {
            unplayed(value, &format!("{inside}{step}"), &named(name, step), played)
        }),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(at, item)| unplayed(item, plain, &format!("{name}[{at}]"), played)),
        // An empty value clears the whole parameter.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use http::Method;

    use super::*;
    use crate::provider::Params;

    fn refused(call: &str, body: &str) -> Option<(String, String)> {
        let (method, path) = call.split_once(' ').expect("a method and a path");
        let call = Call {
            method: method.parse::<Method>().expect("a method"),
            path: path.split('/').collect(),
            params: Params::parse("", body).expect("parameters"),
        };
        let error = check(&call).err()?;
        let kind = error.error["type"].as_str().unwrap_or_default();
        let code = if kind == "sandbox_error" { "not played" } else { error.code() };
        Some((code.to_owned(), error.error["param"].as_str().unwrap_or_default().to_owned()))
    }

    #[test]
    fn unknown_and_not_played_parameters_are_refused_by_name_at_any_depth() {
        let played = "items[0][id]=si&items[0][price]=p&metadata[x]=1&expand[]=a&discounts=&cancel_at=";
        assert_eq!(refused("POST subscriptions/sub_1", played), None);
        assert_eq!(refused("GET prices", "created[gte]=1&limit=3&lookup_keys[0]=a"), None);
        assert_eq!(refused("GET nothing", "a=1"), None, "the table of calls answers 404");
        for (call, body, code, param) in [
            ("POST subscriptions/sub_1", "preco=1", "parameter_unknown", "preco"),
            ("POST subscriptions/sub_1", "items[0][preco]=q", "parameter_unknown", "items[0][preco]"),
            ("POST subscriptions/sub_1", "trial_end[at]=1", "parameter_unknown", "trial_end[at]"),
            ("POST subscriptions/sub_1", "items[0][deleted]=true", "not played", "items[0][deleted]"),
            ("POST subscriptions/sub_1", "description=a", "not played", "description"),
            ("POST subscriptions/sub_1", "description=a&nada=1", "parameter_unknown", "nada"),
            ("POST invoices/create_preview", "auto_advance=true", "parameter_unknown", "auto_advance"),
            ("POST invoices/create_preview", "schedule=s", "not played", "schedule"),
            ("POST invoices/in_1", "schedule=s", "parameter_unknown", "schedule"),
            ("POST invoices/in_1/void", "reason=a", "parameter_unknown", "reason"),
            ("GET webhook_endpoints", "created=1", "parameter_unknown", "created"),
            ("GET customers/search", "limit=1&email=a", "parameter_unknown", "email"),
            ("POST coupons", "currency_options[eur][amount_off]=1", "not played", "currency_options"),
        ] {
            let expected = Some((code.to_owned(), param.to_owned()));
            assert_eq!(refused(call, body), expected, "{call} {body}");
        }
    }

    #[test]
    fn a_value_that_the_provider_does_not_list_is_refused_by_name() {
        for (call, body) in [
            ("POST refunds", "payment_intent=pi&reason=duplicate"),
            ("GET subscriptions", "status=all"),
            ("POST subscriptions/sub_1", "cancellation_details[feedback]="),
            ("POST customers", "preferred_locales[0]=pt-BR"),
        ] {
            assert_eq!(refused(call, body), None, "{call} {body}");
        }
        for (call, body, param) in [
            ("POST refunds", "payment_intent=pi&reason=weird", "reason"),
            (
                "DELETE subscriptions/sub_1",
                "cancellation_details[feedback]=weird",
                "cancellation_details[feedback]",
            ),
            ("GET invoices", "status=bogus", "status"),
            ("GET subscriptions", "status=bogus", "status"),
            ("POST webhook_endpoints", "enabled_events[0]=invoice.bogus", "enabled_events[0]"),
        ] {
            let expected = Some((String::new(), param.to_owned()));
            assert_eq!(refused(call, body), expected, "{call} {body}");
        }
    }

    /// Words in the texts of a folder's sources, without this file.
    fn words(folder: &Path, found: &mut HashSet<String>) {
        for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
            let path = entry.path();
            if path.is_dir() {
                words(&path, found);
            } else if !path.ends_with(file!().rsplit('/').next().expect("a name")) {
                let source = std::fs::read_to_string(&path).expect("a source");
                let texts = source.lines().flat_map(|line| line.split('"').skip(1).step_by(2));
                let words = texts.flat_map(|text| text.split(|c: char| !c.is_lowercase() && c != '_'));
                found.extend(words.map(str::to_owned));
            }
        }
    }

    /// [`Params::unread`] checks at each call that all given parameters are read.
    #[test]
    fn each_played_parameter_is_read_by_name() {
        let mut found = HashSet::new();
        words(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/provider"), &mut found);
        for (call, played) in PLAYED {
            for step in played.split_whitespace().flat_map(|name| name.split('.')) {
                assert!(found.contains(step), "{call}: nothing reads {step}");
            }
        }
    }

    #[test]
    fn the_sandbox_plays_parameters_that_the_provider_has() {
        for (call, played) in PLAYED {
            let known = KNOWN.get(*call).unwrap_or_else(|| panic!("{call} is not served"));
            for name in played.split_whitespace() {
                let found = name.split('.').try_fold(known, |known, step| known.get(step));
                assert!(found.is_some(), "{call} has no {name}");
            }
        }
    }
}
