//! Errors of the payments API, in the provider's own shape.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::{Value, json};

#[derive(Debug, Clone)]
pub struct ApiError {
    pub status: u16,
    /// The `error` object.
    pub error: Value,
}

impl ApiError {
    /// The `error` object without its null fields.
    pub fn compact(&self) -> Value {
        let mut error = self.error.clone();
        if let Some(fields) = error.as_object_mut() {
            fields.retain(|_, value| !value.is_null());
        }
        error
    }

    /// The body of the answer, with the URL of the call's page in the log.
    pub fn body(&self, log_url: &str) -> String {
        let mut error = self.compact();
        if let Some(fields) = error.as_object_mut() {
            if let Some(code) = fields.get("code").and_then(Value::as_str) {
                let page = code.replace('_', "-");
                fields.insert("doc_url".into(), json!(format!("https://docs.stripe.com/error-codes#{page}")));
            }
            fields.insert("request_log_url".into(), json!(log_url));
        }
        json!({"error": error}).to_string()
    }

    /// 400: a parameter is wrong.
    pub fn invalid(param: Option<&str>, code: Option<&str>, message: impl Into<String>) -> Self {
        Self {
            status: 400,
            error: json!({
                "type": "invalid_request_error", "code": code, "param": param, "message": message.into(),
            }),
        }
    }

    /// 400: the call does not have such a parameter.
    pub fn unknown(param: &str) -> Self {
        let message = format!("Received unknown parameter: {param}");
        Self::invalid(Some(param), Some("parameter_unknown"), message)
    }

    /// 400: a parameter is missing.
    pub fn missing(param: &str) -> Self {
        Self::invalid(Some(param), Some("parameter_missing"), format!("Missing required param: {param}."))
    }

    /// 400: the object's state does not allow it.
    pub fn state(code: Option<&str>, message: impl Into<String>) -> Self {
        Self::invalid(None, code, message)
    }

    /// 404 for an id in the path (`param` is `id`), 400 for an id in a parameter.
    pub fn not_found(kind: &str, id: &str, param: &str) -> Self {
        let status = if param == "id" { 404 } else { 400 };
        let message = format!("No such {kind}: '{id}'");
        Self { status, ..Self::invalid(Some(param), Some("resource_missing"), message) }
    }

    /// 401: the key is missing or wrong.
    pub fn unauthorized(message: &str) -> Self {
        Self { status: 401, error: json!({"type": "invalid_request_error", "message": message}) }
    }

    /// 403: the key may not do this. The documented type is that of a wrong request.
    pub fn forbidden(message: String) -> Self {
        Self { status: 403, error: json!({"type": "invalid_request_error", "message": message}) }
    }

    /// 402: the card was declined.
    pub fn declined(code: &str, decline_code: Option<&str>, message: &str) -> Self {
        Self {
            status: 402,
            error: json!({
                "type": "card_error", "code": code, "decline_code": decline_code, "message": message,
                "param": match code { "incorrect_cvc" => Some("cvc"), "expired_card" => Some("exp_month"),
                    "incorrect_number" => Some("number"), _ => None },
            }),
        }
    }

    /// 400 of type `idempotency_error`, or 409 while the first call runs.
    pub fn idempotency(status: u16, message: &str) -> Self {
        let code = (status == 409).then_some("idempotency_key_in_use");
        let kind = if status == 409 { "invalid_request_error" } else { "idempotency_error" };
        Self { status, error: json!({"type": kind, "code": code, "message": message}) }
    }

    /// Whether an idempotency key keeps it, because the call had begun. Refused parameters and
    /// conflicts are not kept.
    pub fn is_result(&self) -> bool {
        match self.status {
            404 => self.code() == "resource_missing",
            400 => self.error["param"].is_null() && self.error["type"] == "invalid_request_error",
            _ => false,
        }
    }

    pub fn message(&self) -> &str {
        self.error["message"].as_str().unwrap_or_default()
    }

    /// The `code` of the error, empty without one.
    pub fn code(&self) -> &str {
        self.error["code"].as_str().unwrap_or_default()
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (status, Json(json!({"error": self.error}))).into_response()
    }
}

impl From<sqlx::Error> for ApiError {
    fn from(error: sqlx::Error) -> Self {
        tracing::error!(%error, "the sandbox's database failed");
        Self { status: 500, error: json!({"type": "api_error", "message": "The sandbox's database failed."}) }
    }
}

impl From<serde_json::Error> for ApiError {
    fn from(error: serde_json::Error) -> Self {
        tracing::error!(%error, "a stored object of the sandbox has another shape");
        Self { status: 500, error: json!({"type": "api_error", "message": "A stored object is malformed."}) }
    }
}
