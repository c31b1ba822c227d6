//! The mailbox as a page.

use axum::response::{Html, IntoResponse, Response};

/// `GET /mail`.
pub async fn list() -> Response {
    Html("ambiente de testes").into_response()
}
