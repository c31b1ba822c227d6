//! Settings of the payment, identity, mail and advertising providers.

use super::*;

#[test]
fn conversions_to_meta_require_a_pixel_a_token_and_https() {
    let meta = ("GARIMPO_CONVERSIONS", "meta");
    let pixel = ("GARIMPO_META_PIXEL_ID", "1234567890");
    let token = ("GARIMPO_META_ACCESS_TOKEN", "EAA-segredo");
    assert!(refusal(Role::Serve, &[meta, token]).starts_with("GARIMPO_META_PIXEL_ID: found nothing"));
    let missing = refusal(Role::Serve, &[meta, pixel]);
    assert_eq!(missing, "GARIMPO_META_ACCESS_TOKEN: found nothing; allowed: an access token of the pixel");
    for (name, value) in [
        ("GARIMPO_META_PIXEL_ID", "12/34"),
        ("GARIMPO_META_API_VERSION", "26"),
        ("GARIMPO_META_API_VERSION", "v26.x"),
        ("GARIMPO_META_URL", "http://graph.facebook.com"),
    ] {
        let error = refusal(Role::Serve, &[(name, value), meta, pixel, token]);
        assert!(error.starts_with(&format!("{name}: found ")), "{error}");
    }

    let config = read(Role::Serve, &[meta, pixel, token]).unwrap();

    let Conversions::Meta(read) = &config.conversions else { panic!("meta") };
    assert_eq!((read.url.as_str(), read.version.as_str()), ("https://graph.facebook.com", "v26.0"));
    assert!(config.shown.iter().all(|setting| !setting.value.contains("segredo")));
    assert!(!format!("{config:?}").contains("segredo"));
}

#[test]
fn an_outside_identity_provider_requires_project_api_key_and_service_account() {
    let toolkit = ("GARIMPO_IDENTITY", "identity-toolkit");
    let key = ("GARIMPO_IDENTITY_API_KEY", "AIza-chave-secreta");
    let project = ("GARIMPO_IDENTITY_PROJECT", "garimpo-prod");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("conta.json");
    std::fs::write(&file, r#"{"client_email":"a@b","private_key_id":"1","private_key":"segredo"}"#).unwrap();
    let file = file.display().to_string();

    let account = ("GARIMPO_IDENTITY_EMULATOR", "1");
    let missing = refusal(Role::Serve, &[toolkit, project, account]);
    assert_eq!(missing, "GARIMPO_IDENTITY_API_KEY: found nothing; allowed: an API key of the project");
    let missing = refusal(Role::Serve, &[toolkit, key, account]);
    assert!(missing.starts_with("GARIMPO_IDENTITY_PROJECT: found nothing"), "{missing}");
    let allowed = "allowed: the path of a service account's key file (JSON)";
    let missing = refusal(Role::Serve, &[toolkit, key, project]);
    assert_eq!(missing, format!("GARIMPO_IDENTITY_CREDENTIALS: found nothing; {allowed}"));
    for path in [file.as_str(), "/nenhum/arquivo"] {
        let wrong = refusal(Role::Serve, &[toolkit, key, project, ("GARIMPO_IDENTITY_CREDENTIALS", path)]);
        assert_eq!(wrong, format!("GARIMPO_IDENTITY_CREDENTIALS: found {path:?}; {allowed}"));
    }
    for (name, value) in [
        ("GARIMPO_IDENTITY_PROJECT", "../outro"),
        ("GARIMPO_IDENTITY_URL", "identitytoolkit"),
        ("GARIMPO_IDENTITY_URL", "http://identitytoolkit.googleapis.com"),
        ("GARIMPO_IDENTITY_URL", "http://127.0.0.1:80@identitytoolkit.googleapis.com"),
        ("GARIMPO_IDENTITY_KEYS_URL", "http://localhost.example/jwk"),
        ("GARIMPO_IDENTITY_TOKEN_URL", "x"),
        ("GARIMPO_IDENTITY_KEYS_URL", "x"),
        ("GARIMPO_IDENTITY_EMULATOR", "yes"),
    ] {
        let error = refusal(Role::Serve, &[(name, value), toolkit, key, project]);
        assert!(error.contains(&format!("{name}: found ")), "{error}");
    }

    // Unsigned tokens are accepted only on loopback, whatever other settings allow.
    let emulator = [toolkit, key, project, ("GARIMPO_IDENTITY_EMULATOR", "1")];
    let config = read(Role::Serve, &emulator).unwrap();
    assert!(config.shown.iter().all(|setting| !setting.value.contains("AIza")));
    assert!(!format!("{config:?}").contains("AIza"));
    let public = [("GARIMPO_PUBLIC_URL", "https://garimpo.example"), ("GARIMPO_ALLOW_SANDBOX", "1")];
    let error = refusal(Role::Serve, &[&emulator[..], &public[..]].concat());
    assert!(error.contains("a loopback address while GARIMPO_IDENTITY_EMULATOR is 1"), "{error}");
    let at_home = [&emulator[..], &[("GARIMPO_PUBLIC_URL", "http://localhost:9000")]].concat();
    assert!(read(Role::Serve, &at_home).is_ok());
}

#[test]
fn mail_over_smtp_requires_a_url_with_tls_and_a_sender() {
    let smtp = ("GARIMPO_MAIL", "smtp");
    let from = ("GARIMPO_MAIL_FROM", "Garimpo <ola@garimpo.example>");
    for url in ["smtps://eu:segredo@correio.example", "smtp://eu:segredo@correio.example?tls=required"] {
        let config = read(Role::Serve, &[smtp, ("GARIMPO_SMTP_URL", url), from]).unwrap();
        assert!(!config.shown.iter().any(|shown| shown.value.contains("segredo")));
    }
    assert!(read(Role::Serve, &[smtp, ("GARIMPO_SMTP_URL", "smtp://127.0.0.1:2525"), from]).is_ok());

    for url in [
        "smtp://eu:segredo@correio.example",
        "smtp://correio.example?tls=opportunistic",
        "correio",
        "http://x",
    ] {
        let error = refusal(Role::Serve, &[smtp, ("GARIMPO_SMTP_URL", url), from]);
        assert!(error.starts_with("GARIMPO_SMTP_URL: found ") && !error.contains("segredo"), "{error}");
    }
    assert!(refusal(Role::Serve, &[smtp, from]).starts_with("GARIMPO_SMTP_URL: found nothing"));
    let url = ("GARIMPO_SMTP_URL", "smtps://correio.example");
    for wrong in ["Garimpo", "ola@", "a@b.c\r\nBcc: x@y.z"] {
        let error = refusal(Role::Serve, &[smtp, url, ("GARIMPO_MAIL_FROM", wrong)]);
        assert!(error.starts_with("GARIMPO_MAIL_FROM: found "), "{error}");
    }
}

#[test]
fn swapped_published_or_mixed_mode_keys_are_refused_and_not_shown() {
    let with =
        |changes: &[(&'static str, &'static str)]| refusal(Role::Serve, &[changes, &STRIPE[..]].concat());
    let swapped = with(&[
        ("GARIMPO_STRIPE_SECRET_KEY", "pk_live_abc"),
        ("GARIMPO_STRIPE_PUBLISHABLE_KEY", "sk_live_SEGREDO"),
    ]);
    assert_eq!(swapped.lines().count(), 2, "{swapped}");
    assert!(!swapped.contains("SEGREDO"), "{swapped}");
    for known in [
        ("GARIMPO_STRIPE_SECRET_KEY", "sk_test_garimpo"),
        ("GARIMPO_STRIPE_PUBLISHABLE_KEY", "pk_test_garimpo"),
        ("GARIMPO_STRIPE_WEBHOOK_SECRET", "whsec_garimpo"),
    ] {
        let error = with(&[known]);
        assert!(
            error.contains(&format!("{}: found \"***\"; allowed: a key of your own", known.0)),
            "{error}"
        );
    }
    assert!(with(&[("GARIMPO_STRIPE_PUBLISHABLE_KEY", "pk_test_abc")]).contains("of the same mode"));
    let beside_sandbox = with(&[("GARIMPO_STRIPE_URL", "http://127.0.0.1:12111")]);
    assert!(beside_sandbox.starts_with("GARIMPO_STRIPE_SECRET_KEY: found \"***\"; allowed: a test key"));
}

#[test]
fn a_test_key_serves_a_public_url_only_if_a_setting_allows_it() {
    let test =
        [("GARIMPO_STRIPE_SECRET_KEY", "sk_test_abc"), ("GARIMPO_STRIPE_PUBLISHABLE_KEY", "pk_test_abc")];
    let public = [("GARIMPO_PUBLIC_URL", "https://garimpo.example")];
    let settings = [&STRIPE[..1], &STRIPE[3..], &OUTSIDE[..], &test[..], &public[..]].concat();
    assert!(refusal(Role::Serve, &settings).contains("allowed: a live key"));
    let decided = [&settings[..], &[("GARIMPO_ALLOW_SANDBOX", "1")]].concat();
    assert!(read(Role::Serve, &decided).is_ok());
    let local = [&STRIPE[..1], &STRIPE[3..], &OUTSIDE[..], &test[..]].concat();
    assert!(read(Role::Serve, &local).is_ok());
    let elsewhere = [&settings[..], &[("GARIMPO_STRIPE_URL", "http://127.0.0.1:12111")]].concat();
    assert!(refusal(Role::Serve, &elsewhere).contains("GARIMPO_STRIPE_URL: found"));
}

#[test]
fn a_key_of_a_provider_that_is_not_selected_is_refused() {
    let error = refusal(Role::Serve, &STRIPE[1..]);
    assert!(
        error.contains("GARIMPO_STRIPE_SECRET_KEY: found a value, while GARIMPO_PAYMENTS is sandbox"),
        "{error}"
    );
    assert!(refusal(Role::Serve, &OUTSIDE[1..2]).contains("while GARIMPO_MAIL is sandbox"));
    let pixel = ("GARIMPO_META_PIXEL_ID", "1");
    assert!(refusal(Role::Serve, &[pixel]).contains("while GARIMPO_CONVERSIONS is sandbox"));
}

#[test]
fn stripe_accepts_several_webhook_secrets() {
    let Payments::Stripe(stripe) = read(Role::Serve, &STRIPE).unwrap().payments else { panic!("stripe") };
    assert_eq!(stripe.url, "https://api.stripe.com");
    assert_eq!(stripe.webhook_secrets.len(), 2);
}

#[test]
fn beside_live_keys_identities_conversions_and_challenges_reach_their_vendors_alone() {
    let meta = [
        ("GARIMPO_CONVERSIONS", "meta"),
        ("GARIMPO_META_PIXEL_ID", "1234567890"),
        ("GARIMPO_META_ACCESS_TOKEN", "EAA-segredo"),
    ];
    let toolkit = [&[("GARIMPO_IDENTITY", "identity-toolkit")], &IDENTITY_EMULATOR[1..3]].concat();
    let challenges = [
        ("GARIMPO_CAPTCHA", "turnstile"),
        ("GARIMPO_CAPTCHA_SITE_KEY", "0x4AAAAAAAsite"),
        ("GARIMPO_CAPTCHA_SECRET", "0x4AAAAAAAsegredo"),
    ];
    let live = [&STRIPE[..], &OUTSIDE[..3], &meta, &challenges, &toolkit].concat();
    let word = ("GARIMPO_ALLOW_SANDBOX", "1");
    for (name, url) in [
        ("GARIMPO_IDENTITY_URL", "https://identitytoolkit.googleapis.com.evil.example"),
        ("GARIMPO_IDENTITY_URL", "https://identitytoolkit.googleapis.com@evil.example"),
        ("GARIMPO_IDENTITY_URL", "http://127.0.0.1:9099/identitytoolkit.googleapis.com"),
        ("GARIMPO_IDENTITY_TOKEN_URL", "https://evil.example/oauth2.googleapis.com/token"),
        ("GARIMPO_IDENTITY_KEYS_URL", "https://storage.googleapis.com/evil/jwk"),
        ("GARIMPO_META_URL", "https://graph.facebook.com.evil.example"),
        ("GARIMPO_META_URL", "https://graph.facebook.com:8443"),
        ("GARIMPO_CAPTCHA_URL", "https://siteverify.example/challenges.cloudflare.com"),
        ("GARIMPO_CAPTCHA_URL", "http://127.0.0.1:9/siteverify"),
    ] {
        let refused = |settings: &[(&str, &str)]| {
            let error = refusal(Role::Serve, settings);
            error.contains(&format!("{name}: found {url:?}; allowed: https:// at ")).then_some(error)
        };
        for more in [&[][..], &[word]] {
            let error = refused(&[&live[..], more, &[(name, url)]].concat());
            assert!(error.is_some_and(|error| !error.contains("segredo")), "{name} {url}");
        }
        let test =
            [("GARIMPO_STRIPE_SECRET_KEY", "sk_test_a"), ("GARIMPO_STRIPE_PUBLISHABLE_KEY", "pk_test_a")];
        let tried = [&STRIPE[..1], &STRIPE[3..], &test[..], &live[4..], &[(name, url)]].concat();
        assert_eq!(refused(&tried), None, "{name} {url}");
    }
    let error = refusal(Role::Serve, &live);
    assert!(error.starts_with("GARIMPO_IDENTITY_CREDENTIALS: found nothing"), "the defaults are: {error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

#[test]
fn a_live_key_and_its_page_reach_the_payment_provider_alone() {
    let public = ("GARIMPO_PUBLIC_URL", "https://loja.example");
    let word = ("GARIMPO_ALLOW_SANDBOX", "1");
    let live = [&STRIPE[..], &OUTSIDE[..]].concat();
    for url in ["https://api.stripe.com.evil.example", "https://proxy.example", "http://127.0.0.1:9"] {
        for more in [&[][..], &[public], &[public, word]] {
            let error = refusal(Role::Serve, &[&live[..], more, &[("GARIMPO_STRIPE_URL", url)]].concat());
            assert!(
                error.contains("GARIMPO_STRIPE_SECRET_KEY: found \"***\"; allowed: a test key"),
                "{error}"
            );
        }
    }
    let scripts = ["https://js.stripe.com.evil.example/v3/", "https://js.stripe.example/v3/"];
    for script in scripts.map(|url| ("GARIMPO_STRIPE_SCRIPT_URL", url)) {
        for more in [&[][..], &[public], &[public, word]] {
            let error = refusal(Role::Serve, &[&live[..], more, &[script]].concat());
            assert!(error.starts_with("GARIMPO_STRIPE_SCRIPT_URL: found "), "{error}");
        }
    }

    let test = [("GARIMPO_STRIPE_SECRET_KEY", "rk_test_a"), ("GARIMPO_STRIPE_PUBLISHABLE_KEY", "pk_test_a")];
    let elsewhere = [
        ("GARIMPO_STRIPE_URL", "https://proxy.example"),
        ("GARIMPO_STRIPE_SCRIPT_URL", "https://proxy.example/v3/"),
        public,
    ];
    let settings = [&STRIPE[..1], &STRIPE[3..], &OUTSIDE[..], &test[..], &elsewhere[..]].concat();
    let error = refusal(Role::Serve, &settings);
    assert!(error.contains("GARIMPO_STRIPE_URL: found") && error.contains("SCRIPT_URL: found"), "{error}");
    assert!(read(Role::Serve, &[&settings[..], &[word]].concat()).is_ok());
}
