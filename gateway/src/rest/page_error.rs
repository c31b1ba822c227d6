//! POST /api/client-errors

use super::Done;
use super::body::Fields;
use crate::app::App;
use crate::error::ApiError;
use crate::observe::{PAGE_BREAKS, PageLabels};
use crate::request_context::RequestContext;
use crate::scrub::scrubbed;
use axum::Json;
use axum::extract::State;
use http::StatusCode;
use serde::Deserialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// Largest body, in bytes: what a page sends, in letters of three bytes.
const MAX_BODY: usize = 8 * 1024;
/// Longest logged error, in characters. A page sends as many.
const MAX_LOGGED: usize = 2_500;

#[derive(Deserialize, ToSchema)]
pub(crate) struct PageError {
    /// File name of the site's main script.
    #[schema(examples("site-Cu35oAmy.js"))]
    release: String,
    /// Path of the page's address.
    #[schema(examples("/planos"))]
    path: String,
    /// Message and stack, which are logged without query strings, emails and codes.
    #[schema(examples(
        "TypeError: x is not a function\n at a (https://garimpo.example/assets/site-Cu35oAmy.js:1:2)"
    ))]
    error: String,
}

/// Counts and logs an error of one of our pages, and nothing about the visitor.
#[utoipa::path(post, path = "/api/client-errors", operation_id = "report_page_error", tag = "site",
    request_body = PageError,
    params(("origin" = Option<String>, Header, description = "Our own. No token replaces it.")),
    responses((status = 202, body = Done)), security(()))]
pub(crate) async fn handle(
    State(app): State<Arc<App>>,
    context: RequestContext,
    Fields(report): Fields<PageError, MAX_BODY>,
) -> Result<(StatusCode, Json<Done>), ApiError> {
    app.budgets.page_errors.take(context.address)?;
    let PageLabels { release, route } = app.site.labels_of(&report.release, &report.path);
    if app.budgets.page_errors.may_log() {
        tracing::warn!(
            target: "garimpo::page",
            release,
            route,
            error = scrubbed(&report.error, MAX_LOGGED),
            "a page broke"
        );
    }
    if app.budgets.page_errors.is_first(context.address, &release, &route) {
        metrics::counter!(PAGE_BREAKS, "release" => release, "route" => route).increment(1);
    }
    Ok((StatusCode::ACCEPTED, Json(Done::YES)))
}
