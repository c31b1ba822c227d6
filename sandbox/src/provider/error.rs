//! Errors of the payments API, in the provider's own shape.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

#[derive(Debug, Clone)]
pub struct ApiError {
    pub status: u16,
    /// The `error` object.
    pub error: Value,
}

impl ApiError {
    /// Fields without a value are left out.
    fn new(status: u16, mut error: Value) -> Self {
        if let Some(fields) = error.as_object_mut() {
            fields.retain(|_, value| !value.is_null());
        }
        Self { status, error }
    }

    /// The body of the answer, with the URL of the call's page in the log.
    pub fn body(&self, log_url: &str) -> String {
        let mut error = self.error.clone();
        error["request_log_url"] = log_url.into();
        if let Some(code) = error["code"].as_str() {
            let page = code.replace('_', "-");
            error["doc_url"] = format!("https://docs.stripe.com/error-codes#{page}").into();
        }
        json!({"error": error}).to_string()
    }

    fn request(status: u16, param: Option<&str>, code: Option<&str>, message: impl Into<String>) -> Self {
        let (kind, message) = ("invalid_request_error", message.into());
        Self::new(status, json!({"type": kind, "code": code, "param": param, "message": message}))
    }

    /// 500: a defect of the sandbox, whose cause is logged.
    pub fn failed(message: &str, cause: &dyn std::fmt::Display) -> Self {
        tracing::error!(error = %cause, "{message}");
        Self::new(500, json!({"type": "api_error", "message": format!("{message}.")}))
    }

    /// 400: a parameter is wrong.
    pub fn param(param: &str, message: impl Into<String>) -> Self {
        Self::request(400, Some(param), None, message)
    }

    /// 400: a parameter is wrong, with the code for it.
    pub fn invalid(param: &str, code: &str, message: impl Into<String>) -> Self {
        Self::request(400, Some(param), Some(code), message)
    }

    /// 400: the call does not have such a parameter.
    pub fn unknown(param: &str) -> Self {
        let hint = match param {
            "payment_method_types" => ". Did you mean allowed_payment_method_types?",
            _ => "",
        };
        Self::invalid(param, "parameter_unknown", format!("Received unknown parameter: {param}{hint}"))
    }

    /// 400 of a type that the provider does not have: the provider takes this parameter, and the
    /// sandbox does not play it, or not beside the others of the call.
    pub fn not_played(param: &str) -> Self {
        Self::value_not_played(param, format!("The sandbox does not play {param} in this call."))
    }

    /// The same for a value of a parameter that is played.
    pub fn value_not_played(param: &str, message: impl Into<String>) -> Self {
        let (kind, code, message) = ("sandbox_error", "parameter_not_played", message.into());
        Self::new(400, json!({"type": kind, "code": code, "param": param, "message": message}))
    }

    /// 400: a parameter is missing.
    pub fn missing(param: &str) -> Self {
        Self::invalid(param, "parameter_missing", format!("Missing required param: {param}."))
    }

    /// 400: the object's state does not allow it.
    pub fn state(code: Option<&str>, message: impl Into<String>) -> Self {
        Self::request(400, None, code, message)
    }

    /// 404 for an id in the path (`param` is `id`), 400 for an id in a parameter.
    pub fn not_found(kind: &str, id: &str, param: &str) -> Self {
        let status = if param == "id" { 404 } else { 400 };
        Self::request(status, Some(param), Some("resource_missing"), format!("No such {kind}: '{id}'"))
    }

    /// 401: the key is missing or wrong.
    pub fn unauthorized(message: &str) -> Self {
        Self::request(401, None, None, message)
    }

    /// 403: the key may not do this. The documented type is that of a wrong request.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::request(403, None, None, message)
    }

    /// 402: the card was declined.
    pub fn declined(code: &str, decline_code: Option<&str>, message: &str) -> Self {
        let param = match code {
            "incorrect_cvc" => Some("cvc"),
            "expired_card" => Some("exp_month"),
            "incorrect_number" => Some("number"),
            _ => None,
        };
        let error = json!({
            "type": "card_error", "code": code, "decline_code": decline_code, "message": message, "param": param,
        });
        Self::new(402, error)
    }

    /// 400 of type `idempotency_error`, or 409 while the first call runs.
    pub fn idempotency(status: u16, message: &str) -> Self {
        let code = (status == 409).then_some("idempotency_key_in_use");
        let kind = if status == 409 { "invalid_request_error" } else { "idempotency_error" };
        Self::new(status, json!({"type": kind, "code": code, "message": message}))
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

/// Reads the JSON body of a call from outside of the payments API.
pub fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|error| ApiError::state(None, error.to_string()))
}

impl From<sqlx::Error> for ApiError {
    fn from(error: sqlx::Error) -> Self {
        Self::failed("The sandbox's database failed", &error)
    }
}

impl From<serde_json::Error> for ApiError {
    fn from(error: serde_json::Error) -> Self {
        Self::failed("A stored object is malformed", &error)
    }
}
