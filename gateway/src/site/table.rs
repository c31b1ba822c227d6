//! The route table of the web build, documented in `web/scripts/prerender.mjs`.

use super::files::Files;
use super::page::{Csp, Page};
use super::policy::Policies;
use http::HeaderMap;
use serde::Deserialize;
use std::collections::HashMap;

/// Pages by address.
pub(super) struct Table {
    pages: HashMap<String, Page>,
    pub not_found: Page,
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

impl NotFound {
    /// The page of unknown addresses.
    fn page(self) -> Page {
        Page {
            path: String::new(),
            canonical: String::new(),
            file: self.file,
            campaign_file: None,
            csp: Csp::Default,
            style_hash: self.style_hash,
            noindex: true,
            headers: HeaderMap::new(),
        }
    }
}

impl Table {
    /// Reads the files of the build. Without them there are no pages.
    pub fn read(files: &Files, policies: &Policies) -> Self {
        let with_headers = |page: Page| Page { headers: policies.headers_of(&page), ..page };
        let RoutesFile { routes, not_found } = files
            .text("routes.json")
            .and_then(|text| parsed("routes.json", &text))
            .unwrap_or_else(RoutesFile::of_no_build);
        let pages = routes.into_iter().map(|page| (page.path.clone(), with_headers(page))).collect();
        Self { pages, not_found: with_headers(not_found.page()) }
    }

    pub fn page(&self, path: &str) -> Option<&Page> {
        self.pages.get(path)
    }
}

fn parsed<T: for<'de> Deserialize<'de>>(name: &str, text: &str) -> Option<T> {
    serde_json::from_str(text)
        .inspect_err(|error| tracing::error!(%error, "{name} of the site cannot be read"))
        .ok()
}
