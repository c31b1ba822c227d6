//! The policy of each page: what it may load and who may embed it.

use super::page::{Area, Csp, Page};
use super::third_party::{Advertising, Captcha, Checkout};
use crate::security::headers::NO_PAGE;
use http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY};
use http::{HeaderMap, HeaderName, HeaderValue, Uri};

const COOP: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");
const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");
const SPECULATION_RULES: HeaderName = HeaderName::from_static("speculation-rules");
/// Address of the rules by which browsers prefetch pages of the site.
const RULES_FILE: HeaderValue = HeaderValue::from_static("\"/speculation-rules.json\"");
/// Their addresses carry a code, which must not reach another site.
const OPENED_BY_CODE: [&str; 2] = ["/redefinir-senha", "/confirmar-email"];

/// The page that may show a challenge.
const SIGN_UP: &str = "/cadastro";

const TRUSTED_TYPES: &str = "; require-trusted-types-for 'script'";

/// Origins from the settings that the policies of pages allow.
pub(super) struct Policies {
    checkout: AllowedOrigins,
    advertising: AllowedOrigins,
    /// The origins of /cadastro where a sign-up may require a challenge.
    sign_up: Option<AllowedOrigins>,
}

impl Policies {
    pub fn new(checkout: &Checkout, advertising: &Advertising, captcha: Option<&Captcha>) -> Self {
        Self {
            checkout: AllowedOrigins::default().with(&checkout.script_url, &STRIPE),
            advertising: AllowedOrigins::of_advertising(advertising),
            sign_up: captcha.map(|captcha| AllowedOrigins::photos().with_captcha(&captcha.script_url)),
        }
    }

    /// Security headers of a page.
    pub fn headers_of(&self, page: &Page) -> HeaderMap {
        let opened_by_code = OPENED_BY_CODE.contains(&page.canonical.as_str());
        let is_checkout = page.csp == Csp::Checkout;
        let payment = if is_checkout {
            format!("(self \"{}\")", self.checkout.scripts.trim_start())
        } else {
            "()".to_owned()
        };
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
        if page.area == Area::Site {
            headers.insert(SPECULATION_RULES, RULES_FILE);
        }
        if page.noindex {
            headers.insert(ROBOTS, HeaderValue::from_static("noindex"));
        }
        headers
    }

    fn csp_of(&self, page: &Page, opened_by_code: bool) -> String {
        let inline = Inline {
            script: source_of(page.script_hash.as_deref()),
            style: source_of(page.style_hash.as_deref()),
        };
        let (none, photos) = (AllowedOrigins::default(), AllowedOrigins::photos());
        if let Some(sign_up) = self.sign_up.as_ref().filter(|_| page.canonical == SIGN_UP) {
            // No provider of challenges documents that its script works with trusted types.
            return policy(&inline, sign_up, &self.advertising);
        }
        match page.csp {
            _ if opened_by_code => policy(&inline, &none, &none) + TRUSTED_TYPES,
            Csp::Default => policy(&inline, &none, &self.advertising) + TRUSTED_TYPES,
            Csp::Account => policy(&inline, &photos, &self.advertising) + TRUSTED_TYPES,
            // The provider's script is added by setting `src`, which trusted types refuse.
            Csp::Checkout => policy(&inline, &self.checkout, &self.advertising),
        }
    }
}

/// Sources that a policy allows besides our own, each after a blank.
#[derive(Default)]
struct AllowedOrigins {
    scripts: String,
    images: String,
    connects: String,
    frames: String,
    styles: String,
}

impl AllowedOrigins {
    /// Images of any https address.
    fn photos() -> Self {
        Self { images: " https:".to_owned(), ..Self::default() }
    }

    fn of_advertising(Advertising { pixel, ads }: &Advertising) -> Self {
        let pixel = pixel.iter().map(|pixel| (&pixel.script_url, &META));
        let ads = ads.iter().map(|ads| (&ads.script_url, &GOOGLE));
        pixel.chain(ads).fold(Self::default(), |origins, (url, platform)| origins.with(url, platform))
    }

    /// Adds the sources of a challenge's script.
    fn with_captcha(self, script_url: &str) -> Self {
        let uri: Uri = script_url.parse().unwrap_or_default();
        let platform = if uri.host() == Some(HCAPTCHA.host) { &HCAPTCHA } else { &TURNSTILE };
        self.with(script_url, platform)
    }

    /// Adds the sources of a platform's own script, or the origin of a stand-in such as the
    /// sandbox's.
    fn with(mut self, script_url: &str, platform: &Platform) -> Self {
        let uri: Uri = script_url.parse().unwrap_or_default();
        let origin = origin_of(&uri);
        let frames = if platform.is_framed { &*origin } else { "" };
        let stand_in = [&*origin, &*origin, &*origin, frames, ""];
        let lists = if uri.host() == Some(platform.host) { platform.lists } else { stand_in };
        let places =
            [&mut self.scripts, &mut self.images, &mut self.connects, &mut self.frames, &mut self.styles];
        for (to, list) in places.into_iter().zip(lists) {
            for origin in list.split_whitespace() {
                if !to.split(' ').any(|known| known == origin) {
                    to.push(' ');
                    to.push_str(origin);
                }
            }
        }
        self
    }
}

/// Sources that a platform's own script needs.
struct Platform {
    /// Host of the script.
    host: &'static str,
    /// Of scripts, images, connections, frames and styles.
    lists: [&'static str; 5],
    /// Whether a stand-in of the script opens frames.
    is_framed: bool,
}

/// <https://docs.stripe.com/security/guide#content-security-policy>
const STRIPE: Platform = Platform {
    host: "js.stripe.com",
    lists: [
        "https://js.stripe.com https://*.js.stripe.com",
        "https://js.stripe.com https://*.js.stripe.com",
        "https://js.stripe.com https://api.stripe.com https://checkout.stripe.com",
        "https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com https://checkout.stripe.com",
        "",
    ],
    is_framed: true,
};

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
        "",
    ],
    is_framed: false,
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
        "",
    ],
    is_framed: false,
};

/// <https://developers.cloudflare.com/turnstile/reference/content-security-policy/>
const TURNSTILE: Platform = Platform {
    host: "challenges.cloudflare.com",
    lists: ["https://challenges.cloudflare.com", "", "", "https://challenges.cloudflare.com", ""],
    is_framed: false,
};
/// <https://docs.hcaptcha.com/#content-security-policy-settings>
const HCAPTCHA: Platform = Platform {
    host: "js.hcaptcha.com",
    lists: [HCAPTCHA_ORIGINS, "", HCAPTCHA_ORIGINS, HCAPTCHA_ORIGINS, HCAPTCHA_ORIGINS],
    is_framed: false,
};
const HCAPTCHA_ORIGINS: &str = "https://hcaptcha.com https://*.hcaptcha.com";

fn origin_of(uri: &Uri) -> String {
    let scheme = uri.scheme_str().unwrap_or("https");
    uri.authority().map(|authority| format!("{scheme}://{authority}")).unwrap_or_default()
}

/// Sources of what a page contains inline, each after a blank; empty without.
#[derive(Default)]
struct Inline {
    script: String,
    style: String,
}

fn policy(inline: &Inline, page: &AllowedOrigins, advertising: &AllowedOrigins) -> String {
    let Inline { script, style } = inline;
    let both = |of: fn(&AllowedOrigins) -> &str| format!("{}{}", of(page), of(advertising));
    let (scripts, images) = (both(|o| &o.scripts), both(|o| &o.images));
    let (connects, frames, styles) = (both(|o| &o.connects), both(|o| &o.frames), both(|o| &o.styles));
    let frames = if frames.is_empty() { " 'none'" } else { &frames };
    format!(
        "default-src 'none'; script-src 'self'{script}{scripts}; style-src 'self'{style}{styles}; \
         img-src 'self' data:{images}; font-src 'self'; connect-src 'self'{connects}; frame-src{frames}; \
         frame-ancestors 'none'; base-uri 'none'; form-action 'self'; manifest-src 'self'"
    )
}

/// The source of a hash; empty for none, and for text that is no hash.
fn source_of(hash: Option<&str>) -> String {
    hash.filter(|hash| is_hash(hash)).map(|hash| format!(" '{hash}'")).unwrap_or_default()
}

fn is_hash(text: &str) -> bool {
    text.starts_with("sha") && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=-_".contains(&b))
}

fn value(text: String) -> HeaderValue {
    HeaderValue::from_str(&text).unwrap_or(NO_PAGE)
}

#[cfg(test)]
mod tests;
