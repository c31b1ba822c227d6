//! GET /config.json: what the pages read at run time, since their HTML never changes.

use crate::app::App;
use crate::rest::doc::{Body, Caller, Doc, Field, Kind};
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::CACHE_CONTROL;
use prost_types::Timestamp;
use serde::Serialize;
use std::sync::Arc;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// What the call says about itself.
pub(crate) const DOC: Doc = Doc {
    method: "get",
    path: "/config.json",
    summary: "What the pages read at run time.",
    caller: Caller::Anyone,
    parameters: &[],
    body: Body::None,
    success: 200,
    answer: &[
        Field::required("checkoutScriptUrl", Kind::Url).means("The payment provider's script."),
        Field::required("checkoutPublishableKey", Kind::Text).means("The key that the script takes."),
        Field::required("blackNovember", Kind::Boolean).means("Whether the campaign runs."),
        Field::nullable("serverTime", Kind::Instant)
            .means("The product's now; null while no server answers."),
        Field::required("pixelIds", Kind::Texts).means("Pixels that the page may load with consent."),
    ],
    sets_cookie: false,
    says_ok: false,
    failures: &[],
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Config<'a> {
    checkout_script_url: &'a str,
    checkout_publishable_key: &'a str,
    black_november: bool,
    /// RFC 3339; null while no server answers.
    server_time: Option<String>,
    pixel_ids: &'a [String],
}

/// Answers the runtime settings.
pub(crate) async fn handle(State(app): State<Arc<App>>) -> Response {
    let state = app.site.campaign.state().await;
    let config = Config {
        checkout_script_url: &app.settings.checkout.script_url,
        checkout_publishable_key: &app.settings.checkout.publishable_key,
        black_november: state.black_november,
        server_time: state.server_time.and_then(rfc3339),
        pixel_ids: &app.settings.pixel_ids,
    };
    ([(CACHE_CONTROL, HeaderValue::from_static("no-store"))], Json(config)).into_response()
}

fn rfc3339(at: Timestamp) -> Option<String> {
    let nanos = i128::from(at.seconds) * 1_000_000_000 + i128::from(at.nanos);
    OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()?.format(&Rfc3339).ok()
}
