//! Reads a JSON body field by field, so that every missing or wrong one is named at once.

use crate::app::App;
use crate::body::{self, Bounds, MAX_TIME};
use crate::caller::Caller;
use crate::error::ApiError;
use axum::extract::{FromRequest, FromRequestParts, Request};
use bytes::Bytes;
use garimpo_proto::errors::v1::ErrorReason;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Largest JSON body, in bytes.
const MAX_JSON: usize = 64 * 1024;
/// Amounts are below it.
const MAX_REAIS: f64 = 1e10;
/// Whole numbers up to here are exact as floating point: 2^53.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The fields of a JSON object, and what was wrong with those read so far.
pub(crate) struct Fields {
    values: Map<String, Value>,
    wrong: Vec<(String, String)>,
}

impl Fields {
    /// A text that must be there.
    pub fn text(&mut self, name: &str) -> String {
        self.optional_text(name).unwrap_or_else(|| {
            if !self.is_wrong(name) {
                self.refuse::<()>(name, "é obrigatório");
            }
            String::new()
        })
    }

    /// A text that must be there with something in it: nothing, null and blanks are one and the same.
    pub fn filled_text(&mut self, name: &str) -> String {
        if self.values.get(name).and_then(Value::as_str).is_some_and(|text| text.trim().is_empty()) {
            self.values.remove(name);
        }
        self.text(name)
    }

    /// A text whose absence the server judges, by a reason of its own.
    pub fn text_or_empty(&mut self, name: &str) -> String {
        self.optional_text(name).unwrap_or_default()
    }

    /// A text that may be absent or null.
    pub fn optional_text(&mut self, name: &str) -> Option<String> {
        match self.values.remove(name)? {
            Value::Null => None,
            Value::String(text) => Some(text),
            _ => self.refuse(name, "deve ser um texto"),
        }
    }

    /// A boolean that may be absent or null.
    pub fn optional_bool(&mut self, name: &str) -> Option<bool> {
        match self.values.remove(name)? {
            Value::Null => None,
            Value::Bool(value) => Some(value),
            _ => self.refuse(name, "deve ser true ou false"),
        }
    }

    /// A whole number that must be there.
    pub fn integer(&mut self, name: &str) -> i64 {
        let value = self.values.remove(name).unwrap_or_default();
        // 1.0 is a whole number too, as JSON Schema has it.
        let is_whole = |n: &f64| n.fract() == 0.0 && n.abs() <= EXACT;
        let read = value.as_i64().or_else(|| value.as_f64().filter(is_whole).map(|n| n as i64));
        let why = if value.is_null() { "é obrigatório" } else { "deve ser um número inteiro" };
        read.or_else(|| self.refuse(name, why)).unwrap_or_default()
    }

    /// An amount in reais, as a number or as text with a decimal point, in centavos.
    pub fn optional_centavos(&mut self, name: &str) -> Option<i64> {
        let value = self.values.remove(name)?;
        let reais = match &value {
            Value::Null => return None,
            Value::Number(number) => number.as_f64(),
            Value::String(text) if is_decimal(text) => text.parse::<f64>().ok(),
            _ => None,
        };
        match reais.filter(|reais| (0.0..MAX_REAIS).contains(reais)) {
            Some(reais) => Some((reais * 100.0).round() as i64),
            None => self.refuse(name, "deve ser um valor em reais"),
        }
    }

    /// An object that must be there.
    pub fn required_object(&mut self, name: &str) -> Option<Self> {
        let object = self.object(name);
        if object.is_none() && !self.is_wrong(name) {
            return self.refuse(name, "é obrigatório");
        }
        object
    }

    /// An object that may be absent or null.
    pub fn object(&mut self, name: &str) -> Option<Self> {
        match self.values.remove(name)? {
            Value::Null => None,
            Value::Object(values) => Some(Self { values, wrong: Vec::new() }),
            _ => self.refuse(name, "deve ser um objeto"),
        }
    }

    /// Refuses a field.
    pub fn refuse<T>(&mut self, name: &str, why: &str) -> Option<T> {
        self.wrong.push((name.to_owned(), why.to_owned()));
        None
    }

    /// Takes over what was wrong inside a field.
    pub fn refuse_inside(&mut self, name: &str, inner: Self) {
        self.wrong.extend(inner.wrong.into_iter().map(|(field, why)| (format!("{name}.{field}"), why)));
    }

    /// Ends the reading: all that was wrong is refused together.
    pub fn finish(self) -> Result<(), ApiError> {
        if self.wrong.is_empty() { Ok(()) } else { Err(ApiError::fields(self.wrong)) }
    }

    fn is_wrong(&self, name: &str) -> bool {
        self.wrong.iter().any(|(field, _)| field == name)
    }
}

impl FromRequest<Arc<App>> for Fields {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiError> {
        let (headers, bytes) = json_bytes(request, app).await?;
        Self::read(&headers, &bytes)
    }
}

/// A JSON object, or no body at all.
pub(crate) struct MaybeEmpty;

impl FromRequest<Arc<App>> for MaybeEmpty {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiError> {
        let (headers, bytes) = json_bytes(request, app).await?;
        if !bytes.is_empty() {
            Fields::read(&headers, &bytes)?;
        }
        Ok(Self)
    }
}

async fn json_bytes(request: Request, app: &Arc<App>) -> Result<(HeaderMap, Bytes), ApiError> {
    let (mut parts, body) = request.into_parts();
    let caller = Caller::from_request_parts(&mut parts, app).await?;
    let bounds = Bounds { limit: MAX_JSON, bytes: &app.budgets.body_bytes, time: MAX_TIME };
    let bytes = body::read(body, bounds, app, &caller).await?;
    Ok((parts.headers, bytes))
}

impl Fields {
    fn read(headers: &HeaderMap, bytes: &[u8]) -> Result<Self, ApiError> {
        if !is_json(headers) {
            return Err(ApiError::new(ErrorReason::UnsupportedMediaType));
        }
        match serde_json::from_slice(bytes) {
            Ok(Value::Object(values)) => Ok(Self { values, wrong: Vec::new() }),
            Ok(_) => Err(ApiError::fields(vec![("corpo".into(), "deve ser um objeto JSON".into())])),
            Err(_) => Err(ApiError::fields(vec![("corpo".into(), "não é JSON válido".into())])),
        }
    }
}

/// application/json, in UTF-8 if it names a charset.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let mut parts = kind.split(';').map(str::trim);
    let is_json = parts.next().is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"));
    let charset =
        parts.filter_map(|part| part.split_once('=')).find(|(name, _)| name.eq_ignore_ascii_case("charset"));
    is_json && charset.is_none_or(|(_, name)| name.trim_matches('"').eq_ignore_ascii_case("utf-8"))
}

/// Digits, and perhaps a point with more of them.
fn is_decimal(text: &str) -> bool {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    [whole, part]
        .iter()
        .all(|digits| (1..=10).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn json_headers() -> HeaderMap {
        HeaderMap::from_iter([(CONTENT_TYPE, http::HeaderValue::from_static("application/json"))])
    }

    /// Values as deep as a sender likes, under names that calls read.
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

    proptest! {
        #[test]
        fn qualquer_corpo_e_um_objeto_json_ou_e_recusado(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let is_object = serde_json::from_slice::<Value>(&bytes).is_ok_and(|value| value.is_object());
            prop_assert_eq!(Fields::read(&json_headers(), &bytes).is_ok(), is_object);
        }

        #[test]
        fn qualquer_campo_e_lido_pelo_seu_tipo_ou_nomeado(value in any_value()) {
            let body = serde_json::to_vec(&json!({ "email": value })).expect("JSON");
            // As it arrives: a float may lose its last bit on the way.
            let value = serde_json::from_slice::<Value>(&body).expect("JSON")["email"].take();
            let read = || Fields::read(&json_headers(), &body).expect("an object");

            let mut fields = read();
            let text = fields.text("email");
            prop_assert_eq!(fields.finish().is_ok(), value.as_str() == Some(text.as_str()));
            let mut fields = read();
            let amount = fields.optional_centavos("email");
            let is_read = fields.finish().is_ok();
            prop_assert!(amount.is_none_or(|centavos| is_read && (0..=1_000_000_000_000).contains(&centavos)));
            let mut fields = read();
            let number = fields.integer("email");
            let is_it = value.as_i64() == Some(number) || value.as_f64() == number.to_string().parse().ok();
            prop_assert!(fields.finish().is_err() || is_it);
            let mut fields = read();
            let object = fields.object("email");
            prop_assert_eq!(object.is_some(), value.is_object());
        }
    }
}
