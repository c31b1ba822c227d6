//! The web build's own route table (`web/scripts/prerender.mjs` documents it).

use super::Files;
use crate::security::headers::{PageHeaders, Policies};
use crate::settings::Settings;
use serde::Deserialize;
use std::collections::HashMap;

/// Pages by address.
pub(super) struct Table {
    pages: HashMap<String, Page>,
    pub not_found: Page,
}

/// One page at one address.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Page {
    path: String,
    /// The screen's first address; aliases share it.
    canonical: String,
    file: String,
    /// The file while Black November runs.
    campaign_file: Option<String>,
    csp: Csp,
    /// Of the CSS inlined in it.
    style_hash: Option<String>,
    noindex: bool,
    /// What its answers wear, made once.
    #[serde(skip)]
    headers: PageHeaders,
}

/// Which policy a page runs under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Csp {
    /// Only what is ours.
    Default,
    /// Wider by pictures of any https address: a profile's photo.
    Account,
    /// Wider by the checkout's origins.
    Checkout,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RoutesFile {
    routes: Vec<Page>,
    not_found: NotFound,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NotFound {
    file: String,
    style_hash: Option<String>,
}

impl RoutesFile {
    fn of_no_build() -> Self {
        let not_found = NotFound { file: "404.html".to_owned(), style_hash: None };
        Self { routes: Vec::new(), not_found }
    }
}

impl Page {
    /// What answers every other address.
    fn not_found(NotFound { file, style_hash }: NotFound) -> Self {
        Self {
            path: String::new(),
            canonical: String::new(),
            file,
            campaign_file: None,
            csp: Csp::Default,
            style_hash,
            noindex: true,
            headers: PageHeaders::default(),
        }
    }

    /// Whether it has a file of its own for the campaign.
    pub fn has_campaign(&self) -> bool {
        self.campaign_file.is_some()
    }

    /// The file of the page in a state of the campaign.
    pub fn file(&self, black_november: bool) -> &str {
        self.campaign_file.as_deref().filter(|_| black_november).unwrap_or(&self.file)
    }

    /// The screen's address.
    pub fn canonical(&self) -> &str {
        &self.canonical
    }

    /// Which policy it runs under.
    pub fn csp(&self) -> Csp {
        self.csp
    }

    /// Hash of the CSS inlined in it, for its policy.
    pub fn style_hash(&self) -> Option<&str> {
        self.style_hash.as_deref()
    }

    /// What its answers wear.
    pub fn headers(&self) -> &PageHeaders {
        &self.headers
    }

    /// Whether search engines must leave it out.
    pub fn noindex(&self) -> bool {
        self.noindex
    }
}

impl Table {
    /// Reads the build's files; without them there are no pages.
    pub fn read(files: &Files, settings: &Settings) -> Self {
        let policies = Policies::new(settings);
        let dressed = |page: Page| Page { headers: policies.headers_of(&page), ..page };
        let RoutesFile { routes, not_found } = files
            .text("routes.json")
            .and_then(|text| parsed("routes.json", &text))
            .unwrap_or_else(RoutesFile::of_no_build);
        let pages = routes.into_iter().map(|page| (page.path.clone(), dressed(page))).collect();
        Self { pages, not_found: dressed(Page::not_found(not_found)) }
    }

    /// The page at exactly this address.
    pub fn page(&self, path: &str) -> Option<&Page> {
        self.pages.get(path)
    }
}

fn parsed<T: for<'de> Deserialize<'de>>(name: &str, text: &str) -> Option<T> {
    serde_json::from_str(text)
        .inspect_err(|error| tracing::error!(%error, "{name} of the site cannot be read"))
        .ok()
}
