//! GET /config.json: values of the run time, because the HTML of pages never changes.

use super::Site;
use super::third_party::Advertising;
use crate::rest::values::{Instant, Url};
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::CACHE_CONTROL;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SiteConfig {
    /// Script of the payment provider.
    checkout_script_url: Url,
    /// Publishable key for the script.
    checkout_publishable_key: String,
    /// Whether the campaign runs.
    black_november: bool,
    /// The product's time; null while no server replies.
    #[schema(required)]
    server_time: Option<Instant>,
    /// Ids of Meta's pixels, to which pages may send events with consent.
    pixel_ids: Vec<String>,
    /// Script of the pixel; null without a pixel.
    #[schema(required)]
    pixel_script_url: Option<Url>,
    /// Account of Google Ads, to which pages may send events with consent.
    #[schema(required)]
    ads_id: Option<String>,
    /// Script of Google Ads; null without an account.
    #[schema(required)]
    ads_script_url: Option<Url>,
    /// Label of each event's conversion action.
    #[schema(value_type = AdsLabels)]
    ads_labels: BTreeMap<String, String>,
    /// Whether a sign-up may require a challenge, whose script only the policy of /cadastro allows.
    captcha: bool,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "documents the names of the labels")]
struct AdsLabels {
    #[schema(nullable = false)]
    cadastro: Option<String>,
    #[schema(nullable = false)]
    checkout_iniciado: Option<String>,
    #[schema(nullable = false)]
    checkout_finalizado: Option<String>,
}

/// Returns the settings that pages read at run time.
#[utoipa::path(get, path = "/config.json", operation_id = "site_config", tag = "site",
    responses((status = 200, body = SiteConfig)), security((), ("session" = []), ("token" = [])))]
pub(crate) async fn handle(State(site): State<Arc<Site>>) -> Response {
    let state = site.campaign.state().await;
    let Advertising { pixel, ads } = &site.settings.advertising;
    let url = |url: &String| Url(url.clone());
    let config = SiteConfig {
        checkout_script_url: url(&site.settings.checkout.script_url),
        checkout_publishable_key: site.settings.checkout.publishable_key.clone(),
        black_november: state.black_november,
        server_time: state.server_time.and_then(Instant::new),
        pixel_ids: pixel.iter().map(|pixel| pixel.id.clone()).collect(),
        pixel_script_url: pixel.as_ref().map(|pixel| url(&pixel.script_url)),
        ads_id: ads.as_ref().map(|ads| ads.id.clone()),
        ads_script_url: ads.as_ref().map(|ads| url(&ads.script_url)),
        ads_labels: ads.as_ref().map(|ads| ads.labels.clone()).unwrap_or_default(),
        captcha: site.settings.captcha.is_some(),
    };
    ([(CACHE_CONTROL, HeaderValue::from_static("no-store"))], Json(config)).into_response()
}
