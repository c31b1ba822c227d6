//! Why the test API refuses a call.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::json;

pub enum Refused {
    BadRequest(String),
    Unavailable(sqlx::Error),
}

impl From<serde_json::Error> for Refused {
    fn from(error: serde_json::Error) -> Self {
        Self::BadRequest(error.to_string())
    }
}

impl From<sqlx::Error> for Refused {
    fn from(error: sqlx::Error) -> Self {
        Self::Unavailable(error)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let (status, why) = match self {
            Self::BadRequest(why) => (StatusCode::BAD_REQUEST, why),
            Self::Unavailable(error) => {
                tracing::error!(%error, "the sandbox's database failed");
                (StatusCode::SERVICE_UNAVAILABLE, "the sandbox's database failed".to_owned())
            }
        };
        (status, Json(json!({"error": why}))).into_response()
    }
}
