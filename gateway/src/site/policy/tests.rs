use super::*;
use crate::site::third_party::{Ads, Pixel};

fn of(pixel_script: &str, ads_script: &str) -> String {
    let pixel = Pixel { id: "1".to_owned(), script_url: pixel_script.to_owned() };
    let ads = Ads { id: "AW-1".to_owned(), labels: [].into(), script_url: ads_script.to_owned() };
    policy(
        &Inline::default(),
        &AllowedOrigins::default(),
        &AllowedOrigins::of_advertising(&Advertising { pixel: Some(pixel), ads: Some(ads) }),
    )
}

/// The sources of a directive.
fn sources<'a>(policy: &'a str, directive: &str) -> Vec<&'a str> {
    let parts = policy.split("; ");
    let own = parts.filter_map(|part| part.strip_prefix(directive)?.strip_prefix(' '));
    own.flat_map(str::split_whitespace).collect()
}

#[test]
fn platform_scripts_reach_only_the_origins_that_the_platforms_document() {
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
fn without_a_platform_or_with_a_stand_in_no_further_origin_is_allowed() {
    let closed = policy(&Inline::default(), &AllowedOrigins::default(), &AllowedOrigins::default());
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

#[test]
fn a_challenge_reaches_what_its_provider_documents_and_a_stand_in_its_own_origin() {
    let of = |script_url: &str| {
        let none = AllowedOrigins::default();
        policy(&Inline::default(), &AllowedOrigins::default().with_captcha(script_url), &none)
    };
    let hcaptcha = of("https://js.hcaptcha.com/1/api.js?render=explicit");
    let documented = ["https://hcaptcha.com", "https://*.hcaptcha.com"];
    for directive in ["script-src", "style-src", "connect-src"] {
        assert_eq!(sources(&hcaptcha, directive), [&["'self'"][..], &documented].concat(), "{directive}");
    }
    assert_eq!(sources(&hcaptcha, "frame-src"), documented);
    assert_eq!(sources(&hcaptcha, "img-src"), ["'self'", "data:"]);

    let stand_in = of("http://127.0.0.1:12111/captcha/api.js");
    assert_eq!(sources(&stand_in, "script-src"), ["'self'", "http://127.0.0.1:12111"]);
    assert_eq!(sources(&stand_in, "style-src"), ["'self'"]);
    assert_eq!(sources(&stand_in, "frame-src"), ["'none'"]);
}
