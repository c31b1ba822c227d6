//! Response headers that keep a page to itself.

use crate::settings::{Advertising, Settings};
use crate::site::{Csp, Page};
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, Uri};

const COOP: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");
const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");
/// Their addresses carry a code for a moment, which must reach no other site.
const OPENED_BY_CODE: [&str; 2] = ["/redefinir-senha", "/confirmar-email"];
/// What is no page runs nothing.
const NO_PAGE: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// Headers of a page's answers.
#[derive(Debug, Default, Clone)]
pub(crate) struct PageHeaders(Vec<(HeaderName, HeaderValue)>);

/// What the settings say of every page's policy.
pub(crate) struct Policies {
    checkout: CheckoutOrigins,
    told: Told,
}

impl Policies {
    pub fn new(settings: &Settings) -> Self {
        Self {
            checkout: CheckoutOrigins::of(&settings.checkout.script_url),
            told: Told::of(&settings.advertising),
        }
    }

    /// What keeps a page to itself.
    pub fn headers_of(&self, page: &Page) -> PageHeaders {
        let opened_by_code = OPENED_BY_CODE.contains(&page.canonical());
        let is_checkout = page.csp() == Csp::Checkout;
        let payment =
            if is_checkout { format!("(self \"{}\")", self.checkout.script) } else { "()".to_owned() };
        // The checkout's window and its opener must see each other, whatever page the provider puts between.
        let coop = if is_checkout { "unsafe-none" } else { "same-origin-allow-popups" };
        let mut headers = vec![
            (CONTENT_SECURITY_POLICY, value(self.csp_of(page, opened_by_code))),
            (COOP, HeaderValue::from_static(coop)),
            (PERMISSIONS, value(format!("camera=(), microphone=(), geolocation=(), payment={payment}"))),
        ];
        if opened_by_code {
            headers.push((REFERRER_POLICY, HeaderValue::from_static("no-referrer")));
        }
        if page.noindex() {
            headers.push((ROBOTS, HeaderValue::from_static("noindex")));
        }
        PageHeaders(headers)
    }

    fn csp_of(&self, page: &Page, opened_by_code: bool) -> String {
        let hash = page.style_hash().filter(|hash| is_hash(hash));
        let styles = hash.map(|hash| format!(" '{hash}'")).unwrap_or_default();
        match page.csp() {
            // No script but ours, whatever platforms are told elsewhere.
            _ if opened_by_code => own_policy(&styles, "", &Told::default()),
            Csp::Default => own_policy(&styles, "", &self.told),
            Csp::Account => own_policy(&styles, " https:", &self.told),
            Csp::Checkout => checkout_policy(&styles, &self.checkout, &self.told),
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
            // The real provider spreads over several hosts (its own published guidance).
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

/// Origins that the scripts of advertising platforms need, each with a blank before it.
#[derive(Default)]
struct Told {
    scripts: String,
    images: String,
    connects: String,
    frames: String,
}

impl Told {
    fn of(advertising: &Advertising) -> Self {
        let mut told = Self::default();
        if let Some(pixel) = &advertising.pixel {
            told.add(&pixel.script_url, &META);
        }
        if let Some(ads) = &advertising.ads {
            told.add(&ads.script_url, &GOOGLE);
        }
        told
    }

    /// A platform's own script spreads over several hosts; another script, such as a stand-in, has one origin.
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

/// Meta documents no policy. These are the hosts that sites with a strict one had to open for the pixel: its script and
/// settings come from the first, events go to the second as a picture or a beacon (spatie/laravel-csp, MetaPixel;
/// dust-tt/dust#29223, of July 2026). Events too long for an address would need a form and a frame there: ours are short.
const META: Platform = Platform {
    host: "connect.facebook.net",
    lists: [
        "https://connect.facebook.net",
        "https://www.facebook.com",
        "https://connect.facebook.net https://www.facebook.com",
        "",
    ],
};
/// Google's own list, <https://developers.google.com/tag-platform/security/guides/csp#google_ads>, as of September 2026
/// (spatie/laravel-csp#226 has it line by line). It repeats what it measures at the visitor's country: ours is Brazil.
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

fn own_policy(styles: &str, more_images: &str, told: &Told) -> String {
    let Told { scripts, images, connects, frames } = told;
    let frames = if frames.is_empty() { " 'none'" } else { frames };
    format!(
        "default-src 'none'; script-src 'self'{scripts}; style-src 'self'{styles}; \
         img-src 'self' data:{more_images}{images}; font-src 'self'; connect-src 'self'{connects}; frame-src{frames}; \
         frame-ancestors 'none'; base-uri 'none'; form-action 'self'; manifest-src 'self'; \
         require-trusted-types-for 'script'"
    )
}

/// No trusted types: the provider's script is added by setting `src`.
fn checkout_policy(styles: &str, checkout: &CheckoutOrigins, told: &Told) -> String {
    let CheckoutOrigins { script, frames, connects } = checkout;
    let Told { scripts, images, connects: tells, frames: more_frames } = told;
    format!(
        "default-src 'none'; script-src 'self' {script}{scripts}; style-src 'self'{styles}; \
         img-src 'self' data: {script}{images}; font-src 'self'; connect-src 'self' {connects}{tells}; frame-src {frames}{more_frames}; frame-ancestors 'none'; \
         base-uri 'none'; form-action 'self'; manifest-src 'self'"
    )
}

fn is_hash(text: &str) -> bool {
    text.starts_with("sha") && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=-_".contains(&b))
}

fn value(text: String) -> HeaderValue {
    HeaderValue::from_str(&text).unwrap_or(NO_PAGE)
}

/// Puts a page's own headers on its answer.
pub(crate) fn dress_page(headers: &mut HeaderMap, PageHeaders(own): &PageHeaders) {
    headers.extend(own.iter().cloned());
}

/// Sets the security headers of every response, except those that a page or file has set. A gRPC
/// response is no page, so it gets only the headers against sniffing and caching.
pub(crate) fn dress(headers: &mut HeaderMap, settings: &Settings, is_grpc: bool) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if is_grpc {
        return;
    }
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(NO_PAGE);
    headers.entry(REFERRER_POLICY).or_insert(HeaderValue::from_static("strict-origin-when-cross-origin"));
    if settings.public_url.is_https() {
        // For this host alone: what else the domain serves is not ours to decide.
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Ads, Pixel};

    fn of(pixel_script: &str, ads_script: &str) -> String {
        let pixel = Pixel { id: "1".to_owned(), script_url: pixel_script.to_owned() };
        let ads = Ads { id: "AW-1".to_owned(), labels: [].into(), script_url: ads_script.to_owned() };
        own_policy("", "", &Told::of(&Advertising { pixel: Some(pixel), ads: Some(ads) }))
    }

    /// The sources of a directive.
    fn sources<'a>(policy: &'a str, directive: &str) -> Vec<&'a str> {
        let parts = policy.split("; ");
        let own = parts.filter_map(|part| part.strip_prefix(directive)?.strip_prefix(' '));
        own.flat_map(str::split_whitespace).collect()
    }

    #[test]
    fn scripts_das_plataformas_alcancam_o_que_elas_documentam_e_nada_mais() {
        let policy =
            of("https://connect.facebook.net/en_US/fbevents.js", "https://www.googletagmanager.com/gtag/js");

        for (directive, url) in [
            ("script-src", "https://connect.facebook.net"),
            ("img-src", "https://www.facebook.com"),
            ("connect-src", "https://www.facebook.com"),
            ("script-src", "https://googleads.g.doubleclick.net"),
            ("img-src", "https://google.com"),
            ("connect-src", "https://ad.doubleclick.net"),
            ("connect-src", "https://pagead2.googlesyndication.com"),
            ("frame-src", "https://www.googletagmanager.com"),
        ] {
            assert!(sources(&policy, directive).contains(&url), "{directive} {url}: {policy}");
        }
        assert_eq!(sources(&policy, "form-action"), ["'self'"]);
        for all in ["*", "https:", "'unsafe-inline'", "'unsafe-eval'"] {
            assert!(!policy.split([' ', ';']).any(|source| source == all), "{all}: {policy}");
        }
    }

    #[test]
    fn sem_plataforma_ou_com_substituta_nada_alem_da_origem_dela_se_abre() {
        let closed = own_policy("", "", &Told::default());
        for (directive, expected) in [
            ("script-src", vec!["'self'"]),
            ("img-src", vec!["'self'", "data:"]),
            ("connect-src", vec!["'self'"]),
            ("frame-src", vec!["'none'"]),
        ] {
            assert_eq!(sources(&closed, directive), expected);
        }
        let stand_in = "http://127.0.0.1:12111";
        let policy = of(&format!("{stand_in}/pixel/fbevents.js"), &format!("{stand_in}/pixel/gtag.js"));
        assert_eq!(sources(&policy, "script-src"), ["'self'", stand_in]);
        assert_eq!(sources(&policy, "frame-src"), ["'none'"]);
    }
}
