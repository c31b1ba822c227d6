//! JSON for people, its secrets masked.

use serde_json::{Value, json};

pub fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(&masked(value)).unwrap_or_default()
}

/// Secrets, and links that open a customer's data without a key, show their beginning alone.
fn masked(value: &Value) -> Value {
    let cut = |text: &str| json!(format!("{}…", text.chars().take(12).collect::<String>()));
    match value {
        Value::Object(fields) => {
            let is_portal = fields.get("object").is_some_and(|kind| kind == "billing_portal.session");
            let mask = |name: &str| {
                matches!(name, "client_secret" | "secret" | "cvc") || (is_portal && name == "url")
            };
            let of = |name: &String, value: &Value| match value {
                Value::String(text) if mask(name) => cut(text),
                other => masked(other),
            };
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), of(name, value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(masked).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_start_of_a_secret_is_shown() {
        let shown = pretty(&json!({
            "object": "list",
            "data": [
                {"object": "checkout.session", "client_secret": "cs_test_abcdefghijkl_secret_xyz", "url": null},
                {"object": "webhook_endpoint", "secret": "whsec_abcdefghijkl", "url": "http://127.0.0.1/webhooks"},
                {"object": "billing_portal.session", "url": "http://127.0.0.1:1/portal/abcdefghijkl"},
            ],
        }));

        for secret in ["secret_xyz", "whsec_abcdefghijkl", "portal/abcdefghijkl"] {
            assert!(!shown.contains(secret), "{shown}");
        }
        assert!(shown.contains("\"whsec_abcdef…\"") && shown.contains("http://127.0.0.1/webhooks"));
    }
}
