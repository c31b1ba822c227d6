//! Objects with every field that the provider's types promise. `assets/unused.json` tells, for each kind, the
//! fields of parts that nobody here uses, as they are while they are not in use (`name?` completes `name` only
//! where it is); what an object says itself stands. `tests/clients/provider` holds all of it against the
//! typings of the provider's own SDK.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

static UNUSED: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../assets/unused.json")).expect("the file is JSON")
});

/// Adds to a document, and to every object inside it, the fields that it does not use.
pub fn complete(mut doc: Value) -> Value {
    complete_in_place(&mut doc);
    doc
}

/// The older values of some fields of an object, as whole as they are in it.
pub fn complete_older(object: &Value, older: Value) -> Value {
    let Value::Object(mut older) = older else { return older };
    let names: Vec<String> = older.keys().cloned().collect();
    older.entry("object").or_insert_with(|| object["object"].clone());
    let Value::Object(mut whole) = complete(Value::Object(older)) else { return json!({}) };
    whole.retain(|name, _| names.contains(name));
    Value::Object(whole)
}

fn complete_in_place(doc: &mut Value) {
    match doc {
        Value::Object(fields) => {
            let kind = fields.get("object").and_then(Value::as_str).unwrap_or_default().to_owned();
            if !fields.contains_key("deleted") {
                if let Some(Value::Object(unused)) = UNUSED.get(&kind) {
                    add(fields, unused);
                }
                add_what_follows(&kind, fields);
            }
            // Metadata is the caller's own.
            fields.iter_mut().filter(|(name, _)| *name != "metadata").for_each(|(_, value)| {
                complete_in_place(value);
            });
        }
        Value::Array(items) => items.iter_mut().for_each(complete_in_place),
        _ => {}
    }
}

fn add(fields: &mut Map<String, Value>, unused: &Map<String, Value>) {
    for (name, value) in unused {
        let (name, only_inside) = name.strip_suffix('?').map_or((name.as_str(), false), |name| (name, true));
        match (fields.get_mut(name), value) {
            (Some(Value::Object(inner)), Value::Object(unused)) => add(inner, unused),
            (None, _) if !only_inside => {
                fields.insert(name.to_owned(), value.clone());
            }
            _ => {}
        }
    }
}

/// Fields that say again what the object says elsewhere.
fn add_what_follows(kind: &str, fields: &mut Map<String, Value>) {
    let (name, value) = match kind {
        "line_item" => {
            let parent = fields.get("parent").cloned().unwrap_or_default();
            let details = parent["type"].as_str().unwrap_or_default();
            ("subscription", parent[details]["subscription"].clone())
        }
        "subscription_item" => ("plan", plan_of(fields.get("price").unwrap_or(&Value::Null))),
        _ => return,
    };
    fields.entry(name).or_insert(value);
}

/// A price as it was called before there were prices.
fn plan_of(price: &Value) -> Value {
    let recurring = &price["recurring"];
    json!({
        "id": price["id"], "object": "plan", "active": price["active"], "amount": price["unit_amount"],
        "amount_decimal": price["unit_amount_decimal"], "billing_scheme": price["billing_scheme"],
        "created": price["created"], "currency": price["currency"], "interval": recurring["interval"],
        "interval_count": recurring["interval_count"], "livemode": false, "metadata": price["metadata"],
        "meter": null, "nickname": price["nickname"], "product": price["product"], "tiers_mode": null,
        "transform_usage": null, "trial_period_days": null, "usage_type": recurring["usage_type"],
    })
}
