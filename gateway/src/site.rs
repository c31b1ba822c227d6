//! The built site: pages by the route table of the web build, other files by name.
//!
//! A page's bytes never change while the gateway runs, so ETags stay valid. Values of the run time
//! are in `/config.json`.

mod address;
mod campaign;
pub(crate) mod config;
pub(crate) mod files;
mod negotiate;
mod packing;
mod page;
mod policy;
mod table;
pub(crate) mod third_party;

use crate::budget::CountedClients;
use crate::error::ApiError;
use crate::observe::{NOT_FOUND, PageLabels, RouteLabel};
use crate::public_url::is_loopback_host;
use crate::request_context::RequestContext;
use crate::rpc::OTHER;
use crate::settings::Settings;
use address::Addressed;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use campaign::Campaign;
use files::File;
use garimpo_proto::Services;
use garimpo_proto::errors::v1::ErrorReason;
use governor::{Quota, RateLimiter};
use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HOST, LOCATION, REFERER, VARY,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use page::Page;
use policy::Policies;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use table::Table;

const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");
/// Longest part of an unknown path that is logged, in characters.
const LOGGED_PATH: usize = 120;
/// Lines of the log about unknown paths in a second.
const UNKNOWN_LINES_PER_SECOND: NonZeroU32 = NonZeroU32::new(10).expect("not zero");
const NOT_BUILT: &str =
    "<!doctype html><meta charset=utf-8><title>404</title><p>O site ainda não foi construído.";

/// The site of one gateway.
pub(crate) struct Site {
    settings: Settings,
    addressed: Addressed,
    policies: Policies,
    table: Arc<Table>,
    campaign: Campaign,
    /// Limits the lines of the log about unknown paths.
    unknown_lines: governor::DefaultDirectRateLimiter,
    /// Clients that followed a dead link of this site.
    misled: CountedClients<()>,
}

impl Site {
    /// The site over its files. The state of the campaign is read from the service.
    pub fn new(settings: Settings, services: Services) -> Self {
        let policies = Policies::new(&settings.checkout, &settings.advertising, settings.captcha.as_ref());
        Self {
            addressed: Addressed::new(settings.public_url.origin()),
            table: Arc::new(Table::read(&settings.site, &policies)),
            campaign: Campaign::new(services),
            unknown_lines: RateLimiter::direct(Quota::per_second(UNKNOWN_LINES_PER_SECOND)),
            misled: CountedClients::new(),
            policies,
            settings,
        }
    }

    /// The best representation of a file that the caller accepts.
    async fn file(&self, name: &str, accepted: &HeaderMap) -> Option<File> {
        if files::may_name_our_address(name) {
            self.addressed.negotiated(&self.settings.site, name, accepted).await
        } else {
            self.settings.site.negotiated(name, accepted)
        }
    }

    /// The route table. A development build reads it each time, because the web build may have run
    /// meanwhile.
    fn table(&self) -> Arc<Table> {
        if cfg!(debug_assertions) {
            Arc::new(Table::read(&self.settings.site, &self.policies))
        } else {
            self.table.clone()
        }
    }

    /// Labels of a page that broke: `other` for a release or an address that this build does not
    /// have.
    pub fn labels_of(&self, release: &str, path: &str) -> PageLabels {
        let table = self.table();
        let page = table.page(path).or_else(|| table.page(path.strip_suffix('/')?));
        let route = page.map_or(OTHER, |page| page.canonical.as_str());
        let release = if release == table.release { release } else { OTHER };
        let release = if release.is_empty() { OTHER } else { release };
        PageLabels { release: release.to_owned(), route: route.to_owned() }
    }

    async fn page_response(&self, page: &Page, accepted: &HeaderMap) -> Response {
        let campaign = page.campaign_file.is_some() && self.campaign.is_black_november().await;
        let name = page.file(campaign);
        let Some(file) = self.file(name, accepted).await else {
            tracing::error!(file = name, "a page of the route table has no file");
            return ApiError::new(ErrorReason::Internal).into_response();
        };
        let mut response = file_response(file, StatusCode::OK, accepted, REVALIDATE);
        response.headers_mut().extend(page.headers.clone());
        response.extensions_mut().insert(RouteLabel(page.canonical.clone()));
        response
    }

    async fn asset_response(&self, path: &str, accepted: &HeaderMap) -> Option<Response> {
        let name = path.strip_prefix('/').filter(|name| files::is_served_by_name(name))?;
        let file = self.file(name, accepted).await?;
        let cache = if name.starts_with("assets/") { FOREVER } else { REVALIDATE };
        let mut response = file_response(file, StatusCode::OK, accepted, cache);
        response.extensions_mut().insert(RouteLabel("asset".to_owned()));
        Some(response)
    }

    /// The not-found page. A client is counted if the referrer is a page of this site, because the
    /// link there is dead. A path is logged only at debug level, because anyone can request any.
    async fn not_found(&self, page: &Page, path: &str, accepted: &HeaderMap, address: IpAddr) -> Response {
        if self.unknown_lines.check().is_ok() {
            tracing::debug!(path = loggable(path), "unknown route");
        }
        // Anybody can send such a referrer.
        if self.is_from_us(accepted) && self.misled.is_first(address, ()) {
            metrics::counter!(NOT_FOUND).increment(1);
        }
        let mut response = match self.file(page.file(false), accepted).await {
            // Never 304: the address has no page that could be unchanged.
            Some(file) => file_response(file, StatusCode::NOT_FOUND, &HeaderMap::new(), REVALIDATE),
            None => (StatusCode::NOT_FOUND, [(CONTENT_TYPE, "text/html; charset=utf-8")], NOT_BUILT)
                .into_response(),
        };
        response.headers_mut().extend(page.headers.clone());
        response.extensions_mut().insert(RouteLabel("not-found".to_owned()));
        response
    }

    /// Whether the referrer is a page of this site.
    fn is_from_us(&self, headers: &HeaderMap) -> bool {
        let origin = self.settings.public_url.origin();
        let path = headers.get(REFERER).and_then(|page| page.as_bytes().strip_prefix(origin.as_bytes()));
        path.is_some_and(|path| path.starts_with(b"/"))
    }

    /// The address of a page that was requested under another name of this machine.
    fn address_of_ours(&self, request: &Request) -> Option<String> {
        let ours = &self.settings.public_url;
        let requested: Uri = match request.uri().authority() {
            Some(authority) => authority.as_str().parse().ok()?,
            None => request.headers().get(HOST)?.to_str().ok()?.parse().ok()?,
        };
        let host = requested.host()?;
        let is_elsewhere =
            ours.is_loopback() && is_loopback_host(host) && !host.eq_ignore_ascii_case(ours.host());
        let path = request.uri().path_and_query().map_or("/", |p| p.as_str());
        is_elsewhere.then(|| format!("{}{path}", ours.origin()))
    }
}

/// Paths that password managers and old browsers ask for by themselves, and what they get.
const ASKED_BY_PROGRAMS: [(&str, &str); 2] =
    [("/.well-known/change-password", "/area-usuario"), ("/favicon.ico", "/icon-192.png")];

/// Handles requests that no other route takes.
pub(crate) async fn handle(
    State(site): State<Arc<Site>>,
    context: RequestContext,
    request: Request,
) -> Response {
    let (path, table) = (request.uri().path(), site.table());
    let page = table.page(path);
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return refuse_method(page.is_some());
    }
    if let Some(address) = site.address_of_ours(&request) {
        return redirect(StatusCode::TEMPORARY_REDIRECT, &address);
    }
    if let Some((_, address)) = ASKED_BY_PROGRAMS.iter().find(|(asked, _)| *asked == path) {
        return redirect(StatusCode::TEMPORARY_REDIRECT, address);
    }
    if let Some(page) = page {
        return site.page_response(page, request.headers()).await;
    }
    if let Some(page_path) = path.strip_suffix('/').filter(|p| table.page(p).is_some()) {
        let query = request.uri().query().map(|q| format!("?{q}")).unwrap_or_default();
        return redirect(StatusCode::PERMANENT_REDIRECT, &format!("{page_path}{query}"));
    }
    if let Some(response) = site.asset_response(path, request.headers()).await {
        return response;
    }
    site.not_found(&table.not_found, path, request.headers(), context.address).await
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

fn file_response(file: File, status: StatusCode, accepted: &HeaderMap, cache: HeaderValue) -> Response {
    let etag = file.etag();
    let is_unchanged = negotiate::is_unchanged(accepted, &etag);
    let mut response = Response::new(if is_unchanged { Body::empty() } else { Body::from(file.bytes) });
    *response.status_mut() = if is_unchanged { StatusCode::NOT_MODIFIED } else { status };
    let headers = response.headers_mut();
    headers.insert(ETAG, etag);
    headers.insert(CACHE_CONTROL, cache);
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(CONTENT_TYPE, file.content_type);
    if let (Some(encoding), false) = (file.encoding, is_unchanged) {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    response
}

fn redirect(status: StatusCode, to: &str) -> Response {
    // A path that begins with two slashes would name another host.
    let to = if to.starts_with("//") { "/" } else { to };
    match HeaderValue::from_str(to) {
        Ok(location) => (status, [(LOCATION, location), (CACHE_CONTROL, REVALIDATE)]).into_response(),
        Err(_) => ApiError::new(ErrorReason::NotFound).into_response(),
    }
}

fn refuse_method(is_page: bool) -> Response {
    if !is_page {
        return ApiError::new(ErrorReason::NotFound).into_response();
    }
    let mut response = ApiError::new(ErrorReason::MethodNotAllowed).into_response();
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET,HEAD"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logged_path_has_no_email_and_no_control_character() {
        assert_eq!(loggable("/nao-existe/x"), "/nao-existe/x");
        assert_eq!(loggable("/x/ana@exemplo.com.br/y"), "/x/***/y");
        assert_eq!(loggable("/x/ana%40exemplo.com.br"), "/x/***");
        assert_eq!(loggable("/\u{9b}31mX"), "/\\u{9b}31mX");
        assert_eq!(loggable(&"a".repeat(500)).len(), LOGGED_PATH);
    }
}
