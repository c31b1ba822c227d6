use super::super::values::{Reais, UnixSeconds};
use super::*;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::json;

fn json_headers() -> HeaderMap {
    HeaderMap::from_iter([(CONTENT_TYPE, http::HeaderValue::from_static("application/json"))])
}

/// Nested values, under names that calls read.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[0-9.]{0,14}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let name = prop_oneof![Just("email".to_owned()), Just("value".to_owned()), any::<String>()];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::hash_map(name, inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

#[derive(Deserialize)]
struct One<T> {
    email: T,
}

#[derive(Deserialize)]
struct Nothing {}

#[derive(Debug, Deserialize)]
struct Inner {
    #[serde(rename = "value")]
    _value: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Outer {
    #[serde(rename = "displayName")]
    _name: String,
    #[serde(rename = "age")]
    _age: UnixSeconds,
    #[serde(rename = "consent")]
    _consent: Option<bool>,
    #[serde(rename = "user_data")]
    _user_data: Inner,
    #[serde(rename = "amount")]
    _amount: Option<Reais>,
    #[serde(rename = "missing")]
    _missing: Inner,
}

#[test]
fn all_wrong_fields_are_named_at_once_in_the_order_of_the_type() {
    let body =
        json!({ "displayName": 1, "consent": "x", "user_data": { "value": [] }, "amount": -1, "extra": {} });
    let Value::Object(values) = body else { unreachable!("an object") };

    let wrong = reader::read::<Outer>(values).expect_err("six wrong fields");

    let named: Vec<_> = wrong.iter().map(|(field, why)| format!("{field} {why}")).collect();
    assert_eq!(
        named,
        [
            "displayName deve ser um texto",
            "age é obrigatório",
            "consent deve ser true ou false",
            "user_data.value deve ser um texto",
            "amount deve ser um valor em reais",
            "missing é obrigatório",
        ]
    );
}

#[test]
fn only_a_json_media_type_in_utf_8_is_json() {
    let judged = |kind: &'static str| {
        is_json(&HeaderMap::from_iter([(CONTENT_TYPE, http::HeaderValue::from_static(kind))]))
    };
    for kind in
        ["application/json", "Application/JSON;charset=\"UTF-8\"", "application/json;v=1; charset=utf-8"]
    {
        assert!(judged(kind), "{kind}");
    }
    for kind in ["", "text/plain", "application/jsonx", "application/json; charset=latin1"] {
        assert!(!judged(kind), "{kind}");
    }
}

fn field<T: DeserializeOwned>(body: &[u8]) -> Option<T> {
    read::<One<T>>(&json_headers(), body).ok().map(|one| one.email)
}

proptest! {
    #[test]
    fn any_body_is_a_json_object_or_is_refused(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        let is_object = serde_json::from_slice::<Value>(&bytes).is_ok_and(|value| value.is_object());
        prop_assert_eq!(read::<Nothing>(&json_headers(), &bytes).is_ok(), is_object);
    }

    #[test]
    fn any_field_is_read_by_its_type_or_refused(value in any_value()) {
        let body = serde_json::to_vec(&json!({ "email": value })).expect("JSON");
        // The value as received: encoding a float may lose its last bit.
        let value = serde_json::from_slice::<Value>(&body).expect("JSON")["email"].take();

        let text = field::<String>(&body);
        prop_assert_eq!(text.as_deref(), value.as_str());
        let amount = field::<Option<Reais>>(&body);
        prop_assert!(amount.flatten().is_none_or(|Reais(n)| (0..=1_000_000_000_000).contains(&n)));
        if let Some(UnixSeconds(number)) = field(&body) {
            prop_assert!(value.as_i64() == Some(number) || value.as_f64() == number.to_string().parse().ok());
        }
        prop_assert_eq!(field::<Nothing>(&body).is_some(), value.is_object());
    }
}
