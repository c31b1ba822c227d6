//! Advertising platforms to which pages send conversions, only with the visitor's consent.

use garimpo_gateway::{Ads, Advertising, Pixel};

use super::forms::AD_EVENTS;
use super::required::Required;
use super::variables::ConversionVariables;

/// The sandbox's account for Google's ads.
const SANDBOX_ADS: &str = "AW-100000000";

/// GARIMPO_META_SCRIPT_URL and GARIMPO_ADS_…; the pixel's id is set with GARIMPO_CONVERSIONS.
#[derive(Debug, Clone)]
pub struct AdvertisingConfig {
    /// GARIMPO_META_SCRIPT_URL: script of the pixel.
    pub pixel_script_url: String,
    /// GARIMPO_ADS_ID, _LABELS and _SCRIPT_URL: Google's ads.
    pub ads: Option<Ads>,
}

impl AdvertisingConfig {
    /// The pixel of an id, and the ads.
    pub fn with_pixel(&self, id: &str) -> Advertising {
        let pixel = Pixel { id: id.to_owned(), script_url: self.pixel_script_url.clone() };
        Advertising { pixel: Some(pixel), ads: self.ads.clone() }
    }

    /// The sandbox at this origin, which records the events of pages.
    pub fn sandbox(origin: &str) -> Self {
        let labels = AD_EVENTS.map(|event| (event.to_owned(), format!("sandbox_{event}")));
        Self {
            pixel_script_url: format!("{origin}/pixel/fbevents.js"),
            ads: Some(Ads {
                id: SANDBOX_ADS.to_owned(),
                labels: labels.into(),
                script_url: format!("{origin}/pixel/gtag.js"),
            }),
        }
    }
}

pub(super) fn advertising(given: &ConversionVariables, required: &mut Required<'_>) -> AdvertisingConfig {
    let labels = required.when(given.ads_id.is_some(), "GARIMPO_ADS_LABELS", given.ads_labels.clone());
    let ads = given.ads_id.clone().zip(labels).map(|(id, labels)| Ads {
        id,
        labels,
        script_url: given.ads_script_url.clone(),
    });
    AdvertisingConfig { pixel_script_url: given.meta_script_url.clone(), ads }
}
