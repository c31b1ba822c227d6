//! Which advertising platforms pages may tell of conversions, with the visitor's consent alone.

use std::collections::BTreeMap;

use garimpo_gateway::{Ads, Advertising, Pixel};

use super::providers::{SAFE_URL, safe_url};
use super::reader::{ConfigError, Reader};

/// What pages tell: the names of the events.
const EVENTS: [&str; 3] = ["cadastro", "checkout_iniciado", "checkout_finalizado"];
/// The sandbox's account for Google's ads.
const SANDBOX_ADS: &str = "AW-100000000";

/// GARIMPO_META_SCRIPT_URL and GARIMPO_ADS_…; the pixel's id stands with GARIMPO_CONVERSIONS.
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

    /// The sandbox at this origin, which keeps what pages tell.
    pub fn sandbox(origin: &str) -> Self {
        let labels = EVENTS.map(|event| (event.to_owned(), format!("sandbox_{event}")));
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

pub(super) fn advertising(from: &mut Reader<'_>) -> Result<AdvertisingConfig, ConfigError> {
    const LABELS: &str =
        "event=label, comma-separated; events: cadastro, checkout_iniciado, checkout_finalizado";
    const PIXEL_SCRIPT: &str = "https://connect.facebook.net/en_US/fbevents.js";
    let script = |text: &str| safe_url(text).map(|_| text.to_owned());
    let pixel_script_url = from.value("GARIMPO_META_SCRIPT_URL", PIXEL_SCRIPT, SAFE_URL, script)?;
    let Some(id) = from.optional("GARIMPO_ADS_ID", "none", "AW- and digits", ads_id)? else {
        return Ok(AdvertisingConfig { pixel_script_url, ads: None });
    };
    let labels = from.required("GARIMPO_ADS_LABELS", LABELS, labels)?;
    let script_url =
        from.value("GARIMPO_ADS_SCRIPT_URL", "https://www.googletagmanager.com/gtag/js", SAFE_URL, script)?;
    Ok(AdvertisingConfig { pixel_script_url, ads: Some(Ads { id, labels, script_url }) })
}

fn ads_id(text: &str) -> Option<String> {
    let digits = text.strip_prefix("AW-")?;
    let fits = (1..=20).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| text.to_owned())
}

fn labels(text: &str) -> Option<BTreeMap<String, String>> {
    let label = |part: &str| {
        let (event, label) = part.trim().split_once('=')?;
        let stands = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let fits = (1..=100).contains(&label.len()) && label.bytes().all(stands);
        (EVENTS.contains(&event) && fits).then(|| (event.to_owned(), label.to_owned()))
    };
    text.split(',').map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotulos_de_conversao_sao_lidos_por_evento() {
        let read = labels("cadastro=abC_1-x, checkout_iniciado=y").unwrap();
        assert_eq!(read["cadastro"], "abC_1-x");
        assert_eq!(read["checkout_iniciado"], "y");
        for wrong in ["", "cadastro", "cadastro=", "outro=x", "cadastro=a b", "cadastro=x,,"] {
            assert_eq!(labels(wrong), None, "{wrong}");
        }
        assert_eq!(ads_id("AW-123").as_deref(), Some("AW-123"));
        assert_eq!(ads_id("GT-123").or(ads_id("AW-")).or(ads_id("AW-1x")), None);
    }
}
