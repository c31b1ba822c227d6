//! The JSON body of a request.

mod reader;
#[cfg(test)]
mod tests;

use crate::app::App;
use crate::body::{self, Bounds, MAX_TIME};
use crate::error::ApiError;
use crate::request_context::RequestContext;
use axum::extract::{FromRequest, FromRequestParts, Request};
use bytes::Bytes;
use garimpo_proto::errors::v1::ErrorReason;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use mime_guess::Mime;
use mime_guess::mime::{APPLICATION_JSON, CHARSET, UTF_8};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;

/// Largest JSON body, in bytes.
const MAX_JSON: usize = 64 * 1024;

/// A JSON object of at most `MAX` bytes, read as `T`.
pub(crate) struct Fields<T, const MAX: usize = MAX_JSON>(pub T);

impl<T: DeserializeOwned, const MAX: usize> FromRequest<Arc<App>> for Fields<T, MAX> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiError> {
        let (headers, bytes) = json_bytes(request, app, MAX).await?;
        read(&headers, &bytes).map(Self)
    }
}

/// A JSON object whose fields are ignored, or no body at all.
pub(crate) struct MaybeEmpty;

impl FromRequest<Arc<App>> for MaybeEmpty {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiError> {
        let (headers, bytes) = json_bytes(request, app, MAX_JSON).await?;
        if !bytes.is_empty() {
            read::<serde::de::IgnoredAny>(&headers, &bytes)?;
        }
        Ok(Self)
    }
}

async fn json_bytes(request: Request, app: &Arc<App>, limit: usize) -> Result<(HeaderMap, Bytes), ApiError> {
    let (mut parts, body) = request.into_parts();
    let context = RequestContext::from_request_parts(&mut parts, app).await?;
    let bounds = Bounds { limit, bytes: &app.budgets.body_bytes, time: MAX_TIME };
    let bytes = body::read(body, bounds, app, &context).await?;
    Ok((parts.headers, bytes))
}

fn read<T: DeserializeOwned>(headers: &HeaderMap, bytes: &[u8]) -> Result<T, ApiError> {
    if !is_json(headers) {
        return Err(ApiError::new(ErrorReason::UnsupportedMediaType));
    }
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(values)) => reader::read(values).map_err(ApiError::fields),
        Ok(_) => Err(ApiError::fields(vec![("corpo".into(), "deve ser um objeto JSON".into())])),
        Err(_) => Err(ApiError::fields(vec![("corpo".into(), "não é JSON válido".into())])),
    }
}

/// application/json, in UTF-8 if it names a charset.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|v| v.to_str().ok()?.parse::<Mime>().ok());
    kind.is_some_and(|kind| {
        kind.essence_str() == APPLICATION_JSON.essence_str()
            && kind.get_param(CHARSET).is_none_or(|charset| charset == UTF_8)
    })
}
