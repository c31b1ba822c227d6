//! A call of the payments API, and the look-ups that every call shares.

use http::Method;
use serde_json::{Value, json};

use crate::objects::Object;
use crate::provider::error::ApiError;
use crate::provider::params::Params;
use crate::state::Tx;

/// The only version that the sandbox plays.
pub const API_VERSION: &str = "2026-10-28.endive";

/// The object of a successful call.
pub type Reply = Result<Value, ApiError>;

pub struct Call<'c> {
    pub method: Method,
    /// Segments after `/v1/`.
    pub path: Vec<&'c str>,
    /// Query and body.
    pub params: Params,
}

/// Runs a call to its end even if its caller goes away, as the provider does.
///
/// # Errors
/// 500 when the call panics.
pub async fn complete<T: Send + 'static>(
    call: impl Future<Output = Result<T, ApiError>> + Send + 'static,
) -> Result<T, ApiError> {
    tokio::spawn(call)
        .await
        .unwrap_or_else(|error| Err(ApiError::failed("A call of the sandbox failed", &error)))
}

/// The object of a kind that the path names.
///
/// # Errors
/// 404 `resource_missing`.
pub async fn get(tx: &mut Tx, kind: &str, id: &str) -> Reply {
    get_param(tx, kind, id, "id").await
}

/// The object of a kind that a parameter names.
///
/// # Errors
/// 400 `resource_missing` naming the parameter.
pub async fn get_param(tx: &mut Tx, kind: &str, id: &str, param: &str) -> Reply {
    tx.find_kind(kind, id).await?.ok_or_else(|| ApiError::not_found(kind, id, param))
}

/// The typed object that the path names.
///
/// # Errors
/// 404 `resource_missing`.
pub async fn load<T: Object>(tx: &mut Tx, id: &str) -> Result<T, ApiError> {
    load_param(tx, id, "id").await
}

/// The typed object that a parameter names.
///
/// # Errors
/// 400 `resource_missing` naming the parameter.
pub async fn load_param<T: Object>(tx: &mut Tx, id: &str, param: &str) -> Result<T, ApiError> {
    tx.load(id).await?.ok_or_else(|| ApiError::not_found(T::KIND, id, param))
}

/// Sets the given texts and the metadata of a document. An empty text clears its field.
pub fn set_fields(doc: &mut Value, params: &Params, texts: &[&str]) {
    for field in texts {
        if let Some(Value::String(value)) = params.at(field) {
            doc[*field] = if value.is_empty() { Value::Null } else { json!(value) };
        }
    }
    doc["metadata"] = json!(params.metadata_of(doc));
}
