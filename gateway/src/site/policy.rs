//! The policy of each page: what it may load and who may embed it.

use super::page::{Csp, Page};
use super::third_party::{Advertising, Checkout};
use crate::security::headers::NO_PAGE;
use http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY};
use http::{HeaderMap, HeaderName, HeaderValue, Uri};

const COOP: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");
const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");
/// Their addresses carry a code, which must not reach another site.
const OPENED_BY_CODE: [&str; 2] = ["/redefinir-senha", "/confirmar-email"];

/// Origins from the settings that the policies of pages allow.
pub(super) struct Policies {
    checkout: CheckoutOrigins,
    advertising: AdvertisingOrigins,
}

impl Policies {
    pub fn new(checkout: &Checkout, advertising: &Advertising) -> Self {
        Self {
            checkout: CheckoutOrigins::of(&checkout.script_url),
            advertising: AdvertisingOrigins::of(advertising),
        }
    }

    /// Security headers of a page.
    pub fn headers_of(&self, page: &Page) -> HeaderMap {
        let opened_by_code = OPENED_BY_CODE.contains(&page.canonical.as_str());
        let is_checkout = page.csp == Csp::Checkout;
        let payment =
            if is_checkout { format!("(self \"{}\")", self.checkout.script) } else { "()".to_owned() };
        // The provider may open pages between the checkout's window and its opener, which must
        // reach each other.
        let coop = if is_checkout { "unsafe-none" } else { "same-origin-allow-popups" };
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_SECURITY_POLICY, value(self.csp_of(page, opened_by_code)));
        headers.insert(COOP, HeaderValue::from_static(coop));
        let permissions = format!("camera=(), microphone=(), geolocation=(), payment={payment}");
        headers.insert(PERMISSIONS, value(permissions));
        if opened_by_code {
            headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        }
        if page.noindex {
            headers.insert(ROBOTS, HeaderValue::from_static("noindex"));
        }
        headers
    }

    fn csp_of(&self, page: &Page, opened_by_code: bool) -> String {
        let hash = page.style_hash.as_deref().filter(|hash| is_hash(hash));
        let styles = hash.map(|hash| format!(" '{hash}'")).unwrap_or_default();
        match page.csp {
            // Our own scripts alone.
            _ if opened_by_code => own_policy(&styles, "", &AdvertisingOrigins::default()),
            Csp::Default => own_policy(&styles, "", &self.advertising),
            Csp::Account => own_policy(&styles, " https:", &self.advertising),
            Csp::Checkout => checkout_policy(&styles, &self.checkout, &self.advertising),
        }
    }
}

/// Origins that the payment provider's script needs.
struct CheckoutOrigins {
    script: String,
    frames: String,
    connects: String,
}

impl CheckoutOrigins {
    fn of(script_url: &str) -> Self {
        let uri: Uri = script_url.parse().unwrap_or_default();
        let script = origin_of(&uri);
        if uri.host() == Some("js.stripe.com") {
            // Stripe documents these hosts:
            // https://docs.stripe.com/security/guide#content-security-policy
            return Self {
                frames: format!(
                    "{script} https://*.js.stripe.com https://hooks.stripe.com https://checkout.stripe.com"
                ),
                connects: format!("{script} https://api.stripe.com https://checkout.stripe.com"),
                script: format!("{script} https://*.js.stripe.com"),
            };
        }
        Self { frames: script.clone(), connects: script.clone(), script }
    }
}

/// Origins that the scripts of advertising platforms need, each after a blank.
#[derive(Default)]
struct AdvertisingOrigins {
    scripts: String,
    images: String,
    connects: String,
    frames: String,
}

impl AdvertisingOrigins {
    fn of(platforms: &Advertising) -> Self {
        let mut origins = Self::default();
        if let Some(pixel) = &platforms.pixel {
            origins.add(&pixel.script_url, &META);
        }
        if let Some(ads) = &platforms.ads {
            origins.add(&ads.script_url, &GOOGLE);
        }
        origins
    }

    /// A platform's own script uses several hosts. Another script, such as the sandbox's, uses its
    /// origin.
    fn add(&mut self, script_url: &str, own: &Platform) {
        let uri: Uri = script_url.parse().unwrap_or_default();
        let origin = origin_of(&uri);
        let stand_in = [origin.as_str(), origin.as_str(), origin.as_str(), ""];
        let lists = if uri.host() == Some(own.host) { own.lists } else { stand_in };
        let places = [&mut self.scripts, &mut self.images, &mut self.connects, &mut self.frames];
        for (to, list) in places.into_iter().zip(lists) {
            for origin in list.split_whitespace() {
                if !to.split(' ').any(|known| known == origin) {
                    to.push(' ');
                    to.push_str(origin);
                }
            }
        }
    }
}

/// What a platform's own script reaches: for scripts, images, connections and frames.
struct Platform {
    /// Where the script itself comes from.
    host: &'static str,
    lists: [&'static str; 4],
}

/// Meta documents no policy. These are the hosts that sites with a strict one had to open for the
/// pixel: its script and settings come from the first, events go to the second as a picture or a
/// beacon (spatie/laravel-csp, MetaPixel; dust-tt/dust#29223, of July 2026). Events too long for an
/// address would need a form and a frame there: ours are short.
const META: Platform = Platform {
    host: "connect.facebook.net",
    lists: [
        "https://connect.facebook.net",
        "https://www.facebook.com",
        "https://connect.facebook.net https://www.facebook.com",
        "",
    ],
};
/// Google's own list, <https://developers.google.com/tag-platform/security/guides/csp#google_ads>,
/// as of September 2026 (spatie/laravel-csp#226 has it line by line). It repeats what it measures
/// at the visitor's country: ours is Brazil.
const GOOGLE: Platform = Platform {
    host: "www.googletagmanager.com",
    lists: [
        "https://www.googletagmanager.com https://www.googleadservices.com https://www.google.com \
         https://pagead2.googlesyndication.com https://googleads.g.doubleclick.net",
        "https://www.googletagmanager.com https://www.googleadservices.com https://www.google.com https://google.com \
         https://www.google.com.br https://pagead2.googlesyndication.com https://googleads.g.doubleclick.net",
        "https://www.googleadservices.com https://www.google.com https://google.com https://www.google.com.br \
         https://pagead2.googlesyndication.com https://googleads.g.doubleclick.net https://ad.doubleclick.net",
        "https://www.googletagmanager.com",
    ],
};

fn origin_of(uri: &Uri) -> String {
    let scheme = uri.scheme_str().unwrap_or("https");
    uri.authority().map(|authority| format!("{scheme}://{authority}")).unwrap_or_default()
}

fn own_policy(styles: &str, more_images: &str, advertising: &AdvertisingOrigins) -> String {
    let AdvertisingOrigins { scripts, images, connects, frames } = advertising;
    let frames = if frames.is_empty() { " 'none'" } else { frames };
    format!(
        "default-src 'none'; script-src 'self'{scripts}; style-src 'self'{styles}; \
         img-src 'self' data:{more_images}{images}; font-src 'self'; connect-src 'self'{connects}; frame-src{frames}; \
         frame-ancestors 'none'; base-uri 'none'; form-action 'self'; manifest-src 'self'; \
         require-trusted-types-for 'script'"
    )
}

/// No trusted types: the provider's script is added by setting `src`.
fn checkout_policy(styles: &str, checkout: &CheckoutOrigins, advertising: &AdvertisingOrigins) -> String {
    let CheckoutOrigins { script, frames, connects } = checkout;
    let AdvertisingOrigins { scripts, images, connects: more_connects, frames: more_frames } = advertising;
    format!(
        "default-src 'none'; script-src 'self' {script}{scripts}; style-src 'self'{styles}; \
         img-src 'self' data: {script}{images}; font-src 'self'; connect-src 'self' {connects}{more_connects}; frame-src {frames}{more_frames}; frame-ancestors 'none'; \
         base-uri 'none'; form-action 'self'; manifest-src 'self'"
    )
}

fn is_hash(text: &str) -> bool {
    text.starts_with("sha") && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=-_".contains(&b))
}

fn value(text: String) -> HeaderValue {
    HeaderValue::from_str(&text).unwrap_or(NO_PAGE)
}

#[cfg(test)]
mod tests;
