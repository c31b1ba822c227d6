//! The built site: pages by the web build's route table, everything else by name.
//!
//! A page's bytes never change while the gateway runs, so ETags hold; what changes at run time is `/config.json`.

mod address;
mod campaign;
mod config;
mod files;
mod negotiate;
mod table;

pub(crate) use config::{DOC as CONFIG_DOC, handle as config};
pub use files::Files;

use crate::app::App;
use crate::backend::Backend;
use crate::error::ApiError;
use crate::observe::{Answered, count_not_found};
use crate::security::headers;
use crate::settings::{Settings, is_loopback_host};
use address::Addressed;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use campaign::Campaign;
use files::File;
use garimpo_proto::errors::v1::ErrorReason;
use governor::{Quota, RateLimiter};
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HOST, LOCATION, VARY};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use std::num::NonZeroU32;
use std::sync::Arc;
use table::Table;
pub(crate) use table::{Csp, Page};

const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");
/// Longest part of an unknown path that is logged, in characters.
const LOGGED_PATH: usize = 120;
/// Lines of the log about unknown paths in a second.
const UNKNOWN_LINES_PER_SECOND: NonZeroU32 = NonZeroU32::new(10).expect("not zero");
const NOT_BUILT: &str =
    "<!doctype html><meta charset=utf-8><title>404</title><p>O site ainda não foi construído.";

/// The site of one gateway.
pub(crate) struct Site {
    files: Files,
    addressed: Addressed,
    table: Arc<Table>,
    campaign: Campaign,
    /// Lines of the log about unknown paths.
    unknown_lines: governor::DefaultDirectRateLimiter,
}

impl Site {
    /// The site over its files; the campaign's state is asked of the backend.
    pub fn new(settings: &Settings, backend: Backend) -> Self {
        let files = settings.site.clone();
        let table = Arc::new(Table::read(&files, settings));
        let addressed = Addressed::new(settings.public_url.origin());
        let unknown_lines = RateLimiter::direct(Quota::per_second(UNKNOWN_LINES_PER_SECOND));
        Self { files, addressed, table, campaign: Campaign::new(backend), unknown_lines }
    }

    /// The best representation of a file that the caller takes.
    async fn file(&self, name: &str, asked: &HeaderMap) -> Option<File> {
        if files::may_name_our_address(name) {
            self.addressed.negotiated(&self.files, name, asked).await
        } else {
            self.files.negotiated(name, asked)
        }
    }

    /// The route table; a development build reads it again each time, since the web build may have run meanwhile.
    fn table(&self, settings: &Settings) -> Arc<Table> {
        if cfg!(debug_assertions) { Arc::new(Table::read(&self.files, settings)) } else { self.table.clone() }
    }
}

/// Answers what no other route took.
pub(crate) async fn handle(State(app): State<Arc<App>>, request: Request) -> Response {
    let (site, settings) = (&app.site, &app.settings);
    let path = request.uri().path();
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return refuse_method(site, settings, path);
    }
    if let Some(home) = address_of_ours(settings, &request) {
        return redirect(StatusCode::TEMPORARY_REDIRECT, &home);
    }
    let table = site.table(settings);
    if let Some(page) = table.page(path) {
        let campaign = page.has_campaign() && site.campaign.black_november().await;
        return answer_page(site, page, page.file(campaign), StatusCode::OK, request.headers()).await;
    }
    if let Some(page_path) = path.strip_suffix('/').filter(|p| table.page(p).is_some()) {
        let query = request.uri().query().map(|q| format!("?{q}")).unwrap_or_default();
        return redirect(StatusCode::PERMANENT_REDIRECT, &format!("{page_path}{query}"));
    }
    if let Some(response) = answer_asset(site, path, request.headers()).await {
        return response;
    }
    not_found(site, &table, path, request.headers()).await
}

async fn answer_page(
    site: &Site,
    page: &Page,
    file: &str,
    status: StatusCode,
    asked: &HeaderMap,
) -> Response {
    let Some(file) = site.file(file, asked).await else {
        tracing::error!(file, "a page of the route table has no file");
        return ApiError::new(ErrorReason::Internal).into_response();
    };
    let mut response = answer_file(file, status, asked, ASK_AGAIN);
    headers::dress_page(response.headers_mut(), page.headers());
    response.extensions_mut().insert(Answered(page.canonical().to_owned()));
    response
}

async fn answer_asset(site: &Site, path: &str, asked: &HeaderMap) -> Option<Response> {
    let name = path.strip_prefix('/').filter(|name| files::is_served_by_name(name))?;
    let file = site.file(name, asked).await?;
    let cache = if name.starts_with("assets/") { FOREVER } else { ASK_AGAIN };
    let mut response = answer_file(file, StatusCode::OK, asked, cache);
    response.extensions_mut().insert(Answered("asset".to_owned()));
    Some(response)
}

/// The not-found page. It is counted, so that a dead link of ours is seen, and logged at debug only,
/// because anyone can request any path.
async fn not_found(site: &Site, table: &Table, path: &str, asked: &HeaderMap) -> Response {
    if site.unknown_lines.check().is_ok() {
        tracing::debug!(path = loggable(path), "unknown route");
    }
    count_not_found();
    let mut response = match site.file(table.not_found.file(false), asked).await {
        // Never 304: the address has no page that could be unchanged.
        Some(file) => answer_file(file, StatusCode::NOT_FOUND, &HeaderMap::new(), ASK_AGAIN),
        None => {
            (StatusCode::NOT_FOUND, [(CONTENT_TYPE, "text/html; charset=utf-8")], NOT_BUILT).into_response()
        }
    };
    headers::dress_page(response.headers_mut(), table.not_found.headers());
    response.extensions_mut().insert(Answered("not-found".to_owned()));
    response
}

/// The start of a path as it may stand in the log: printable ASCII, without email addresses.
fn loggable(path: &str) -> String {
    let shown: String = path.chars().take(LOGGED_PATH).collect();
    let segments = shown.split('/').map(|segment| {
        let is_personal = segment.contains('@') || segment.to_ascii_lowercase().contains("%40");
        if is_personal { "***".to_owned() } else { segment.escape_default().to_string() }
    });
    segments.collect::<Vec<_>>().join("/")
}

fn answer_file(file: File, status: StatusCode, asked: &HeaderMap, cache: HeaderValue) -> Response {
    let etag = file.etag();
    let unchanged = negotiate::is_unchanged(asked, &etag);
    let body = if unchanged { Body::empty() } else { Body::from(file.bytes) };
    let mut response = Response::new(body);
    *response.status_mut() = if unchanged { StatusCode::NOT_MODIFIED } else { status };
    let headers = response.headers_mut();
    headers.insert(ETAG, etag);
    headers.insert(CACHE_CONTROL, cache);
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.content_type));
    if let (Some(encoding), false) = (file.encoding, unchanged) {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    response
}

/// Our own address of a page that was asked at another name of this machine.
fn address_of_ours(settings: &Settings, request: &Request) -> Option<String> {
    let ours = &settings.public_url;
    let asked: Uri = match request.uri().authority() {
        Some(authority) => authority.as_str().parse().ok()?,
        None => request.headers().get(HOST)?.to_str().ok()?.parse().ok()?,
    };
    let host = asked.host()?;
    let elsewhere = ours.is_loopback() && is_loopback_host(host) && !host.eq_ignore_ascii_case(ours.host());
    let path = request.uri().path_and_query().map_or("/", |p| p.as_str());
    elsewhere.then(|| format!("{}{path}", ours.origin()))
}

fn redirect(status: StatusCode, to: &str) -> Response {
    // A path that begins with two slashes would name another host.
    let to = if to.starts_with("//") { "/" } else { to };
    match HeaderValue::from_str(to) {
        Ok(location) => (status, [(LOCATION, location), (CACHE_CONTROL, ASK_AGAIN)]).into_response(),
        Err(_) => ApiError::new(ErrorReason::NotFound).into_response(),
    }
}

fn refuse_method(site: &Site, settings: &Settings, path: &str) -> Response {
    let exists = site.table(settings).page(path).is_some();
    let reason = if exists { ErrorReason::MethodNotAllowed } else { ErrorReason::NotFound };
    let mut response = ApiError::new(reason).into_response();
    if exists {
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET,HEAD"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caminho_no_registro_nao_tem_email_nem_controle() {
        assert_eq!(loggable("/nao-existe/x"), "/nao-existe/x");
        assert_eq!(loggable("/x/ana@exemplo.com.br/y"), "/x/***/y");
        assert_eq!(loggable("/x/ana%40exemplo.com.br"), "/x/***");
        assert_eq!(loggable("/\u{9b}31mX"), "/\\u{9b}31mX");
        assert_eq!(loggable(&"a".repeat(500)).len(), LOGGED_PATH);
    }
}
