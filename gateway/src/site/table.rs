//! The web build's own route table (`web/scripts/prerender.mjs` documents both files).

use super::Files;
use crate::security::headers::Policies;
use crate::settings::Settings;
use serde::Deserialize;
use std::collections::HashMap;

/// Pages by address, and the policies under which they run.
pub(super) struct Table {
    pages: HashMap<String, Page>,
    pub not_found: Page,
    pub policies: Policies,
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
    noindex: bool,
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
    not_found: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CspFile {
    style_hashes: Vec<String>,
}

impl Page {
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

    /// Whether search engines must leave it out.
    pub fn noindex(&self) -> bool {
        self.noindex
    }
}

impl Table {
    /// Reads the build's files; without them there are no pages.
    pub fn read(files: &Files, settings: &Settings) -> Self {
        let routes = files.text("routes.json").and_then(|text| parsed("routes.json", &text));
        let csp: CspFile =
            files.text("csp.json").and_then(|text| parsed("csp.json", &text)).unwrap_or_default();
        let routes = routes.unwrap_or(RoutesFile { routes: Vec::new(), not_found: "404.html".to_owned() });
        let not_found = Page {
            path: String::new(),
            canonical: String::new(),
            file: routes.not_found,
            campaign_file: None,
            csp: Csp::Default,
            noindex: true,
        };
        let pages = routes.routes.into_iter().map(|page| (page.path.clone(), page)).collect();
        Self { pages, not_found, policies: Policies::new(settings, &csp.style_hashes) }
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
