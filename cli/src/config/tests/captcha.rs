//! Settings of the challenge of sign-ups.

use garimpo_server::providers::captcha::CaptchaProvider;

use super::*;

const TURNSTILE: [(&str, &str); 3] = [
    ("GARIMPO_CAPTCHA", "turnstile"),
    ("GARIMPO_CAPTCHA_SITE_KEY", "0x4AAAAAAAsite"),
    ("GARIMPO_CAPTCHA_SECRET", "0x4AAAAAAAsegredo"),
];

#[test]
fn a_provider_of_challenges_needs_both_keys_and_has_its_own_addresses() {
    for (index, name) in ["GARIMPO_CAPTCHA_SITE_KEY", "GARIMPO_CAPTCHA_SECRET"].into_iter().enumerate() {
        let given = [&TURNSTILE[..=index], &TURNSTILE[index + 2..]].concat();
        assert!(refusal(Role::Serve, &given).starts_with(&format!("{name}: found nothing")), "{name}");
    }
    let hcaptcha = [&[("GARIMPO_CAPTCHA", "hcaptcha")], &TURNSTILE[1..]].concat();
    for (settings, provider, url, script_host) in [
        (
            &TURNSTILE[..],
            CaptchaProvider::Turnstile,
            "https://challenges.cloudflare.com/",
            "challenges.cloudflare.com",
        ),
        (&hcaptcha, CaptchaProvider::Hcaptcha, "https://api.hcaptcha.com/", "js.hcaptcha.com"),
    ] {
        let config = read(Role::Serve, settings).unwrap();

        let Captcha::Provider(captcha) = &config.captcha else { panic!("{provider:?}") };
        assert_eq!(captcha.provider, provider);
        assert!(captcha.url.starts_with(url) && captcha.url.ends_with("/siteverify"), "{}", captcha.url);
        assert!(captcha.script_url.starts_with(&format!("https://{script_host}/")), "{}", captcha.script_url);
        assert!(config.shown.iter().all(|setting| !setting.value.contains("segredo")));
        assert!(!format!("{config:?}").contains("segredo"));
    }
}

#[test]
fn responses_of_challenges_are_verified_over_tls_or_on_this_machine() {
    let with = |url| [&TURNSTILE[..], &[("GARIMPO_CAPTCHA_URL", url)]].concat();
    let error = refusal(Role::Serve, &with("http://siteverify.example/"));
    assert!(error.starts_with("GARIMPO_CAPTCHA_URL: found "), "{error}");
    for url in ["https://proxy.example/siteverify", "http://127.0.0.1:12111/captcha/siteverify"] {
        let config = read(Role::Serve, &with(url)).unwrap();
        assert!(matches!(&config.captcha, Captcha::Provider(captcha) if captcha.url == url), "{url}");
    }
}

#[test]
fn keys_of_challenges_without_their_provider_and_a_secret_as_the_site_key_are_refused() {
    let error = refusal(Role::Serve, &TURNSTILE[1..]);
    assert_eq!(error.lines().count(), 2, "{error}");
    assert!(error.contains("GARIMPO_CAPTCHA_SECRET: found a value, while GARIMPO_CAPTCHA is off"), "{error}");
    for (name, wrong) in [("GARIMPO_CAPTCHA", "recaptcha"), ("GARIMPO_CAPTCHA_SITE_KEY", "ES_segredo")] {
        let error = refusal(Role::Serve, &[&[(name, wrong)], &TURNSTILE[..]].concat());
        assert!(error.starts_with(&format!("{name}: found ")), "{error}");
    }
}

#[test]
fn challenges_of_the_sandbox_stay_on_this_machine() {
    let settings = [&STRIPE[..], &OUTSIDE[..], &[("GARIMPO_CAPTCHA", "sandbox")]].concat();
    assert!(read(Role::Serve, &settings).unwrap().uses_sandbox);
    let error =
        refusal(Role::Serve, &[&settings[..], &[("GARIMPO_PUBLIC_URL", "https://loja.example")]].concat());
    assert!(error.contains("challenges are the sandbox's"), "{error}");
}
