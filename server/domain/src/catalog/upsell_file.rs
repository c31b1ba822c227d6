//! `catalog/upsell.toml`: the texts of one offer for each longer period.

use serde::Deserialize;

use super::error::CatalogError;
use crate::coupons::BuyerHistory;
use crate::period::Interval;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UpsellFile {
    last_line: LastLine,
    offers: Vec<OfferTexts>,
}

impl UpsellFile {
    pub(super) fn checked(self) -> Result<(LastLine, Vec<OfferTexts>), CatalogError> {
        let longer = [Interval::Quarterly, Interval::Semiannual, Interval::Annual];
        if !self.offers.iter().map(|offer| offer.interval).eq(longer) {
            return Err(CatalogError::Offers("are not one for each longer period, shortest first"));
        }
        if self.offers.iter().any(|offer| offer.features.len() != 4) {
            return Err(CatalogError::Offers("have not four lines each"));
        }
        Ok((self.last_line, self.offers))
    }
}

/// The last feature of each offer: whoever has paid before has no guarantee.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LastLine {
    first_subscription: String,
    paid_before: String,
}

impl LastLine {
    pub(crate) fn of(&self, history: BuyerHistory) -> &str {
        match history {
            BuyerHistory::FirstSubscription => &self.first_subscription,
            BuyerHistory::PaidBefore => &self.paid_before,
        }
    }
}

/// The words of an offer (`catalog/upsell.toml`).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfferTexts {
    pub(crate) interval: Interval,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) badge: String,
    #[serde(default)]
    pub(crate) highlight: bool,
    pub(crate) features_title: String,
    pub(crate) features: Vec<String>,
}
