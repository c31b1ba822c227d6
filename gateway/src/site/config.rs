//! GET /config.json: what the pages read at run time, since their HTML never changes.

use super::Site;
use super::third_party::Advertising;
use crate::rest::doc::{Body, Caller, Doc, Field, Kind};
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::CACHE_CONTROL;
use prost_types::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;
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
        Field::required("pixelIds", Kind::Texts)
            .means("Meta's pixels, which the page may tell with consent."),
        Field::nullable("pixelScriptUrl", Kind::Url).means("Their script; null without a pixel."),
        Field::nullable("adsId", Kind::Text)
            .means("Google's ads account, which the page may tell with consent."),
        Field::nullable("adsScriptUrl", Kind::Url).means("Its script; null without an account."),
        Field::required("adsLabels", Kind::Object(LABELS)).means("Label of each event's conversion action."),
    ],
    sets_cookie: false,
    says_ok: false,
    failures: &[],
};

const LABELS: &[Field] = &[
    Field::sometimes("cadastro", Kind::Text),
    Field::sometimes("checkout_iniciado", Kind::Text),
    Field::sometimes("checkout_finalizado", Kind::Text),
];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Config<'a> {
    checkout_script_url: &'a str,
    checkout_publishable_key: &'a str,
    black_november: bool,
    /// RFC 3339; null while no server answers.
    server_time: Option<String>,
    pixel_ids: Vec<&'a str>,
    pixel_script_url: Option<&'a str>,
    ads_id: Option<&'a str>,
    ads_script_url: Option<&'a str>,
    ads_labels: BTreeMap<&'a str, &'a str>,
}

/// Answers the runtime settings.
pub(crate) async fn handle(State(site): State<Arc<Site>>) -> Response {
    let state = site.campaign.state().await;
    let Advertising { pixel, ads } = &site.settings.advertising;
    let labels = ads.iter().flat_map(|ads| &ads.labels);
    let config = Config {
        checkout_script_url: &site.settings.checkout.script_url,
        checkout_publishable_key: &site.settings.checkout.publishable_key,
        black_november: state.black_november,
        server_time: state.server_time.and_then(rfc3339),
        pixel_ids: pixel.iter().map(|pixel| pixel.id.as_str()).collect(),
        pixel_script_url: pixel.as_ref().map(|pixel| pixel.script_url.as_str()),
        ads_id: ads.as_ref().map(|ads| ads.id.as_str()),
        ads_script_url: ads.as_ref().map(|ads| ads.script_url.as_str()),
        ads_labels: labels.map(|(event, label)| (event.as_str(), label.as_str())).collect(),
    };
    ([(CACHE_CONTROL, HeaderValue::from_static("no-store"))], Json(config)).into_response()
}

fn rfc3339(at: Timestamp) -> Option<String> {
    let nanos = i128::from(at.seconds) * 1_000_000_000 + i128::from(at.nanos);
    OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()?.format(&Rfc3339).ok()
}
