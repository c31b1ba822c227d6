//! Response headers that keep a page to itself (design section 10).

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

/// The policies of a site's pages, made once.
pub(crate) struct Policies {
    /// Of pages whose address carries a code: no script but ours, whatever platforms are told elsewhere.
    alone: HeaderValue,
    default: HeaderValue,
    account: HeaderValue,
    checkout: HeaderValue,
    checkout_permissions: HeaderValue,
}

impl Policies {
    /// `style_hashes`: hashes of the CSS inlined in the pages, as the build wrote them.
    pub fn new(settings: &Settings, style_hashes: &[String]) -> Self {
        let mut styles = String::new();
        for hash in style_hashes.iter().filter(|hash| is_hash(hash)) {
            styles.push_str(" '");
            styles.push_str(hash);
            styles.push('\'');
        }
        let checkout = CheckoutOrigins::of(&settings.checkout.script_url);
        let told = Told::of(&settings.advertising);
        let permissions =
            format!("camera=(), microphone=(), geolocation=(), payment=(self \"{}\")", checkout.script);
        Self {
            alone: value(own_policy(&styles, "", &Told::default())),
            default: value(own_policy(&styles, "", &told)),
            account: value(own_policy(&styles, " https:", &told)),
            checkout: value(checkout_policy(&styles, &checkout, &told)),
            checkout_permissions: value(permissions),
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
}

impl Told {
    fn of(advertising: &Advertising) -> Self {
        let mut told = Self::default();
        if let Some(pixel) = &advertising.pixel {
            told.add(&pixel.script_url, "connect.facebook.net", META);
        }
        if let Some(ads) = &advertising.ads {
            told.add(&ads.script_url, "www.googletagmanager.com", GOOGLE);
        }
        told
    }

    /// A platform's own script spreads over several hosts; another script, such as a stand-in, has one origin.
    fn add(&mut self, script_url: &str, host: &str, own: [&str; 3]) {
        let uri: Uri = script_url.parse().unwrap_or_default();
        let origin = origin_of(&uri);
        let lists = if uri.host() == Some(host) { own } else { [origin.as_str(); 3] };
        for (to, list) in [&mut self.scripts, &mut self.images, &mut self.connects].into_iter().zip(lists) {
            for origin in list.split(' ') {
                if !to.split(' ').any(|known| known == origin) {
                    to.push(' ');
                    to.push_str(origin);
                }
            }
        }
    }
}

/// Scripts, images and connections of Meta's pixel.
const META: [&str; 3] = [
    "https://connect.facebook.net",
    "https://www.facebook.com",
    "https://connect.facebook.net https://www.facebook.com",
];
/// The same of Google's tag for conversions. Its frames stay closed: conversions do not need them.
const GOOGLE: [&str; 3] = [
    "https://www.googletagmanager.com https://www.googleadservices.com https://googleads.g.doubleclick.net",
    "https://www.googletagmanager.com https://www.googleadservices.com https://googleads.g.doubleclick.net \
     https://www.google.com https://www.google.com.br",
    "https://www.googletagmanager.com https://www.googleadservices.com https://googleads.g.doubleclick.net \
     https://www.google.com https://pagead2.googlesyndication.com",
];

fn origin_of(uri: &Uri) -> String {
    let scheme = uri.scheme_str().unwrap_or("https");
    uri.authority().map(|authority| format!("{scheme}://{authority}")).unwrap_or_default()
}

fn own_policy(styles: &str, more_images: &str, told: &Told) -> String {
    let Told { scripts, images, connects } = told;
    format!(
        "default-src 'none'; script-src 'self'{scripts}; style-src 'self'{styles}; \
         img-src 'self' data:{more_images}{images}; font-src 'self'; connect-src 'self'{connects}; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; \
         manifest-src 'self'; require-trusted-types-for 'script'"
    )
}

/// No trusted types: the provider's script is added by setting `src`.
fn checkout_policy(styles: &str, checkout: &CheckoutOrigins, told: &Told) -> String {
    let CheckoutOrigins { script, frames, connects } = checkout;
    let Told { scripts, images, connects: tells } = told;
    format!(
        "default-src 'none'; script-src 'self' {script}{scripts}; style-src 'self'{styles}; \
         img-src 'self' data: {script}{images}; font-src 'self'; connect-src 'self' {connects}{tells}; frame-src {frames}; frame-ancestors 'none'; \
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
pub(crate) fn dress_page(headers: &mut HeaderMap, policies: &Policies, page: &Page) {
    let alone = |policy: &HeaderValue| {
        let permissions = HeaderValue::from_static("camera=(), microphone=(), geolocation=(), payment=()");
        (policy.clone(), "same-origin-allow-popups", permissions)
    };
    let (csp, coop, permissions) = match page.csp() {
        _ if OPENED_BY_CODE.contains(&page.canonical()) => alone(&policies.alone),
        Csp::Default => alone(&policies.default),
        Csp::Account => alone(&policies.account),
        // The checkout's window and its opener must see each other, whatever page the provider puts between.
        Csp::Checkout => (policies.checkout.clone(), "unsafe-none", policies.checkout_permissions.clone()),
    };
    headers.insert(CONTENT_SECURITY_POLICY, csp);
    headers.insert(COOP, HeaderValue::from_static(coop));
    headers.insert(PERMISSIONS, permissions);
    if OPENED_BY_CODE.contains(&page.canonical()) {
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    }
    if page.noindex() {
        headers.insert(ROBOTS, HeaderValue::from_static("noindex"));
    }
}

/// Headers of every answer; what a page or file set stays. gRPC's is no page, and needs only those that keep it from
/// being taken for one.
pub(crate) fn dress(headers: &mut HeaderMap, settings: &Settings, is_grpc: bool) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if is_grpc {
        return;
    }
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(NO_PAGE);
    headers.entry(REFERRER_POLICY).or_insert(HeaderValue::from_static("strict-origin-when-cross-origin"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if settings.public_url.is_https() {
        // For this host alone: what else the domain serves is not ours to decide.
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
}
