//! A page, as the web build describes it.

use http::HeaderMap;
use serde::Deserialize;

/// One page at one address.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Page {
    #[serde(default)]
    pub path: String,
    /// First address of the screen; its aliases share it.
    #[serde(default)]
    pub canonical: String,
    #[serde(default)]
    pub area: Area,
    pub file: String,
    /// The file while Black November runs.
    pub campaign_file: Option<String>,
    #[serde(default)]
    pub csp: Csp,
    /// Hash of the CSS inlined in the page.
    pub style_hash: Option<String>,
    /// Hash of the script inlined in the page.
    pub script_hash: Option<String>,
    #[serde(default)]
    pub noindex: bool,
    /// Security headers of its responses, computed once.
    #[serde(skip)]
    pub headers: HeaderMap,
}

/// Part of the site that a page belongs to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Area {
    /// Rendered in the browser.
    #[default]
    App,
    /// Prerendered. Links between its pages are page loads, which browsers prefetch.
    Site,
}

/// Policy of a page.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Csp {
    /// Our own origin alone.
    #[default]
    Default,
    /// Also images of any https address: a profile's photo.
    Account,
    /// Also the origins of the checkout.
    Checkout,
}

impl Page {
    pub fn file(&self, black_november: bool) -> &str {
        self.campaign_file.as_deref().filter(|_| black_november).unwrap_or(&self.file)
    }
}
