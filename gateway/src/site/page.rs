//! A page, as the web build describes it.

use http::HeaderMap;
use serde::Deserialize;

/// One page at one address.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Page {
    pub path: String,
    /// First address of the screen; its aliases share it.
    pub canonical: String,
    pub file: String,
    /// The file while Black November runs.
    pub campaign_file: Option<String>,
    pub csp: Csp,
    /// Hash of the CSS inlined in the page.
    pub style_hash: Option<String>,
    pub noindex: bool,
    /// Security headers of its answers, computed once.
    #[serde(skip)]
    pub headers: HeaderMap,
}

/// Policy of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Csp {
    /// Our own origin alone.
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
