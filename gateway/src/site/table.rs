//! The route table of the web build, documented in `web/vite/site/route-table.ts`.

use super::files::Files;
use super::page::Page;
use super::policy::Policies;
use serde::Deserialize;
use std::collections::HashMap;

/// Pages by address.
pub(super) struct Table {
    pages: HashMap<String, Page>,
    pub not_found: Page,
    /// File name of the site's main script; empty without a build.
    pub release: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RoutesFile {
    routes: Vec<Page>,
    /// The page of unknown addresses, which has no address of its own.
    not_found: Page,
    #[serde(default)]
    release: String,
}

impl RoutesFile {
    fn of_no_build() -> Self {
        let not_found = Page { file: "404.html".to_owned(), ..Page::default() };
        Self { routes: Vec::new(), not_found, release: String::new() }
    }
}

impl Table {
    /// Reads the files of the build. Without them there are no pages.
    pub fn read(files: &Files, policies: &Policies) -> Self {
        let with_headers = |page: Page| Page { headers: policies.headers_of(&page), ..page };
        let parsed = files.text("routes.json").map(|text| serde_json::from_str(&text));
        let parsed = parsed.transpose().unwrap_or_else(|error: serde_json::Error| {
            tracing::error!(%error, "routes.json of the site cannot be read");
            None
        });
        let RoutesFile { routes, not_found, release } = parsed.unwrap_or_else(RoutesFile::of_no_build);
        let pages = routes.into_iter().map(|page| (page.path.clone(), with_headers(page))).collect();
        Self { pages, not_found: with_headers(Page { noindex: true, ..not_found }), release }
    }

    pub fn page(&self, path: &str) -> Option<&Page> {
        self.pages.get(path)
    }
}
