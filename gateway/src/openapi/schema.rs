//! JSON Schema of the fields: formats, patterns and limits exactly as the services judge them.

use super::{Kind, Presence};
use crate::rest::doc::Field;
use serde_json::{Map, Value, json};

/// Control characters, for a regular expression's class.
const CONTROLS: &str = r"\u0000-\u001f\u007f-\u009f";
/// The last second that RFC 3339 can write.
const LAST_SECOND: i64 = 253_402_300_799;

/// What a request may hold; other fields are ignored.
pub(super) fn object(fields: &[Field]) -> Value {
    let required = fields.iter().filter(|f| matches!(f.presence, Presence::Required | Presence::Nullable));
    let required: Vec<_> = required.map(|f| f.name).collect();
    let properties: Map<String, Value> = fields.iter().map(|f| (f.name.to_owned(), schema(f))).collect();
    json!({"type": "object", "required": required, "properties": properties})
}

/// What an answer holds: these fields and no others.
pub(super) fn answer(fields: &[Field]) -> Value {
    let mut object = object(fields);
    object["additionalProperties"] = false.into();
    object
}

fn schema(field: &Field) -> Value {
    let mut schema = of_kind(field);
    if matches!(field.presence, Presence::Optional | Presence::Nullable) {
        schema = json!({"anyOf": [schema, {"type": "null"}]});
    }
    if !field.meaning.is_empty() {
        schema["description"] = field.meaning.into();
    }
    schema
}

/// The schema of a field's value, null aside.
pub(super) fn of_kind(field: &Field) -> Value {
    let mut schema = match field.kind {
        Kind::Text => json!({"type": "string"}),
        Kind::Id(longest) => {
            json!({"type": "string", "minLength": 1, "maxLength": longest, "pattern": r"^[^\u0000]+$"})
        }
        Kind::Email => {
            let part = format!("[^\\s@{CONTROLS}]+");
            json!({"type": "string", "maxLength": 254, "pattern": format!(r"^\s*{part}@{part}\.{part}\s*$")})
        }
        Kind::Name => json!({"type": "string", "maxLength": 120, "pattern": format!("^{}$", name())}),
        Kind::NameOrBlank => {
            json!({"type": "string", "maxLength": 120, "pattern": format!(r"^(?:\s*|{})$", name())})
        }
        Kind::PhoneOrBlank => {
            json!({"type": "string", "pattern": r"^(?:\s*|[^0-9]*(?:[0-9][^0-9]*){10,11})$"})
        }
        Kind::PhoneDigits => json!({"type": "string", "pattern": "^[0-9]{10,11}$"}),
        Kind::OneOf(words) => json!({"type": "string", "enum": words}),
        Kind::Url => json!({"type": "string", "format": "uri"}),
        Kind::Instant => json!({"type": "string", "format": "date-time"}),
        Kind::Seconds => json!({"type": "integer", "minimum": 1, "maximum": LAST_SECOND}),
        Kind::Boolean => json!({"type": "boolean"}),
        Kind::Yes => json!({"type": "boolean", "const": true}),
        Kind::Reais => json!({"anyOf": [
            {"type": "number", "minimum": 0, "exclusiveMaximum": 10_000_000_000_u64},
            {"type": "string", "pattern": r"^[0-9]{1,10}(?:\.[0-9]{1,10})?$"},
        ]}),
        Kind::Texts => json!({"type": "array", "items": {"type": "string"}}),
        Kind::Object(fields) => object(fields),
    };
    if !field.example.is_empty() {
        schema["examples"] = json!([example(field)]);
    }
    schema
}

/// A name with blanks around it.
fn name() -> String {
    let letter = format!(r"[^\s{CONTROLS}]");
    format!(r"\s*{letter}(?:[^{CONTROLS}]*{letter})?\s*")
}

/// Examples are written as text; what is no text is read as JSON.
fn example(field: &Field) -> Value {
    let is_text = !matches!(field.kind, Kind::Seconds | Kind::Boolean | Kind::Reais | Kind::Texts);
    let read = || serde_json::from_str(field.example).ok();
    if is_text { field.example.into() } else { read().unwrap_or_else(|| field.example.into()) }
}
