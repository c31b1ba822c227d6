//! A page, as the web build describes it.

use http::HeaderMap;
use serde::Deserialize;

/// One page at one address.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Page {
    pub path: String,
    /// The screen's first address; aliases share it.
    pub canonical: String,
    pub file: String,
    /// The file while Black November runs.
    pub campaign_file: Option<String>,
    pub csp: Csp,
    /// Of the CSS inlined in it.
    pub style_hash: Option<String>,
    pub noindex: bool,
    /// Security headers of its answers, computed once.
    #[serde(skip)]
    pub headers: HeaderMap,
}

/// Which policy a page runs under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Csp {
    /// Only what is ours.
    Default,
    /// Wider by pictures of any https address: a profile's photo.
    Account,
    /// Wider by the checkout's origins.
    Checkout,
}

impl Page {
    /// The file of the page in a state of the campaign.
    pub fn file(&self, black_november: bool) -> &str {
        self.campaign_file.as_deref().filter(|_| black_november).unwrap_or(&self.file)
    }
}
