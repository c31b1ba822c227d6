//! Settings are read from a map, so no test touches the environment.

mod addresses;
mod brand;
mod captcha;
mod database;
mod providers;

use super::*;
use garimpo_domain::campaign::CampaignSwitch;
use garimpo_domain::checkout::TrialPurchase;
use garimpo_server::auth::{ABSOLUTE_DAYS, SLIDING_DAYS};
use garimpo_server::crash::CrashPoint;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt as _;

fn read(role: Role, settings: &[(&str, &str)]) -> Result<Config, String> {
    read_beside(&brand::own_brand(), role, settings)
}

fn read_beside(brand: &Brand, role: Role, settings: &[(&str, &str)]) -> Result<Config, String> {
    let environment = settings.iter().rev().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Config::read_beside(brand, role, &environment.collect(), Vec::new()).map_err(|errors| errors.to_string())
}

fn refusal(role: Role, settings: &[(&str, &str)]) -> String {
    read(role, settings).expect_err("it must be refused")
}

#[test]
fn without_variables_the_defaults_apply() {
    let config = read(Role::Serve, &[]).unwrap();
    assert_eq!(config.listen.public.to_string(), "127.0.0.1:8080");
    assert_eq!(config.listen.grpc.to_string(), "127.0.0.1:50051");
    assert_eq!(config.listen.sandbox, "127.0.0.1:12111".parse().ok());
    assert_eq!(config.listen.metrics.to_string(), "127.0.0.1:9464");
    assert_eq!(config.database_url.expose_secret(), "sqlite://./data/garimpo.db");
    assert!(config.uses_sandbox);
    assert_eq!(config.campaign, CampaignSwitch::Auto);
    assert_eq!(config.policy.boleto_grace_days, 3);
}

#[test]
fn the_legal_texts_cite_the_defaults_of_the_settings_and_the_session_lifetime() {
    let cited: BTreeMap<String, i64> =
        serde_json::from_str(include_str!("../../../web/src/texts/settings.json")).unwrap();
    let config = read(Role::Serve, &[]).unwrap();
    let expected = cited.keys().map(|name| {
        let value = match name.as_str() {
            "session_days" => SLIDING_DAYS,
            "session_days_at_most" => ABSOLUTE_DAYS,
            setting => {
                let shown = config.shown.iter().find(|shown| shown.name == setting);
                shown.unwrap_or_else(|| panic!("{setting} is no setting")).value.parse().unwrap()
            }
        };
        (name.clone(), value)
    });
    assert_eq!(cited, expected.collect());
    // The terms name the immediate charge first.
    assert_eq!(config.trial_purchase, TrialPurchase::AtOnce);
}

#[test]
fn a_wrong_value_is_reported_in_one_line_with_name_value_and_what_is_allowed() {
    let error = refusal(Role::Serve, &[("GARIMPO_LISTEN", "8080")]);
    assert_eq!(
        error,
        "GARIMPO_LISTEN: found \"8080\"; allowed: an address such as 127.0.0.1:8080, port 0 for any free one"
    );
    for (name, value) in [
        ("GARIMPO_PUBLIC_URL", "garimpo.example"),
        ("GARIMPO_DATABASE_URL", "mysql://x"),
        ("GARIMPO_PAYMENTS", "paypal"),
        ("GARIMPO_IDENTITY", "x"),
        ("GARIMPO_MAIL", "x"),
        ("GARIMPO_CONVERSIONS", "x"),
        ("GARIMPO_META_SCRIPT_URL", "http://elsewhere.example/x.js"),
        ("GARIMPO_ADS_ID", "GT-1"),
        ("GARIMPO_BLACK_NOVEMBER", "yes"),
        ("GARIMPO_TRUSTED_PROXIES", "10.0.0.0/99"),
        ("GARIMPO_CRASH_AT", "nowhere"),
        ("GARIMPO_PAUSE_AT", "account.decide:1"),
        ("GARIMPO_SANDBOX_CLOCK", "ontem"),
        ("GARIMPO_SANDBOX_URL", "x"),
        ("GARIMPO_SANDBOX_WEBHOOK", "x"),
        ("GARIMPO_RENEWAL_HOURS", "-1"),
        ("GARIMPO_TRIAL_PURCHASE", "later"),
        ("GARIMPO_SANDBOX_LISTEN", "on"),
        ("GARIMPO_ALLOW_HTTP", "yes"),
        ("GARIMPO_REPLICATED", "yes"),
        ("GARIMPO_LOG", "garimpo=loudly"),
        ("GARIMPO_LIMIT_SIGN_IN", "0"),
        ("GARIMPO_PASSWORD_MINIMUM", "5"),
        ("GARIMPO_PASSWORD_REFUSED", "/nenhum/arquivo"),
        ("GARIMPO_DATABASE_POOL_SIZE", "1"),
        ("GARIMPO_DATABASE_STATEMENT_SECONDS", "0"),
        ("GARIMPO_DATABASE_LOCK_SECONDS", "nunca"),
        ("GARIMPO_DATABASE_POOLER", "pgbouncer"),
        ("GARIMPO_DATABASE_MIGRATION_URL", "mysql://x"),
    ] {
        let error = refusal(Role::Serve, &[(name, value)]);
        assert!(error.starts_with(&format!("{name}: found ")), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }
}

const STRIPE: [(&str, &str); 4] = [
    ("GARIMPO_PAYMENTS", "stripe"),
    ("GARIMPO_STRIPE_SECRET_KEY", "sk_live_abc"),
    ("GARIMPO_STRIPE_PUBLISHABLE_KEY", "pk_live_abc"),
    ("GARIMPO_STRIPE_WEBHOOK_SECRET", "whsec_novo, whsec_velho"),
];

/// Mail and conversions of outside providers.
const OUTSIDE: [(&str, &str); 4] = [
    ("GARIMPO_MAIL", "smtp"),
    ("GARIMPO_SMTP_URL", "smtps://correio.example"),
    ("GARIMPO_MAIL_FROM", "Garimpo <ola@garimpo.example>"),
    ("GARIMPO_CONVERSIONS", "off"),
];

const IDENTITY_EMULATOR: [(&str, &str); 4] = [
    ("GARIMPO_IDENTITY", "identity-toolkit"),
    ("GARIMPO_IDENTITY_API_KEY", "AIza-chave-secreta"),
    ("GARIMPO_IDENTITY_PROJECT", "garimpo-prod"),
    ("GARIMPO_IDENTITY_EMULATOR", "1"),
];

#[test]
fn all_errors_are_reported_at_once_one_per_line() {
    let wrong = [("GARIMPO_LISTEN", "8080"), ("GARIMPO_GRACE_DAYS", "-1"), ("GARIMPO_LISTN", "x")];
    let error = refusal(Role::Serve, &wrong);
    let names: Vec<_> = error.lines().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(names, ["GARIMPO_LISTN", "GARIMPO_LISTEN", "GARIMPO_GRACE_DAYS"]);

    let open =
        [("GARIMPO_LISTEN", "0.0.0.0:8080"), ("GARIMPO_GRACE_DAYS", "-1"), ("GARIMPO_SMTP_URL_FILE", "/x")];
    let error = refusal(Role::Serve, &open);
    let mut names: Vec<_> = error.lines().filter_map(|line| line.split(':').next()).collect();
    names.dedup();
    assert_eq!(names, ["GARIMPO_SMTP_URL", "GARIMPO_GRACE_DAYS", "GARIMPO_LISTEN"], "each once: {error}");
    let error = refusal(Role::Serve, &open[..2]);
    assert!(error.starts_with("GARIMPO_GRACE_DAYS") && error.contains("\nGARIMPO_LISTEN"), "{error}");
    let choice = refusal(Role::Serve, &[&STRIPE[1..], &[("GARIMPO_PAYMENTS", "stripee")]].concat());
    assert_eq!(choice.lines().count(), 1, "{choice}");

    let error = refusal(Role::Serve, &STRIPE[..1]);
    let names: Vec<_> = error.lines().filter_map(|line| line.split(':').next()).collect();
    let keys =
        ["GARIMPO_STRIPE_SECRET_KEY", "GARIMPO_STRIPE_PUBLISHABLE_KEY", "GARIMPO_STRIPE_WEBHOOK_SECRET"];
    assert_eq!(names, keys);
    assert!(
        error.contains("found nothing; allowed: sk_live_…, sk_test_…, rk_live_… or rk_test_…"),
        "{error}"
    );
}

#[test]
fn an_unknown_name_is_refused_unless_an_orchestrator_injects_it() {
    let error = refusal(Role::Serve, &[("GARIMPO_LISTN", "127.0.0.1:1")]);
    assert_eq!(
        error,
        "GARIMPO_LISTN: found an unknown name; allowed: GARIMPO_LISTEN, or GARIMPO_UNKNOWN=warn"
    );
    let warned = read(Role::Serve, &[("GARIMPO_LISTN", "x"), ("GARIMPO_UNKNOWN", "warn")]).unwrap();
    assert_eq!(warned.warnings.len(), 1);
    for foreign in
        ["GARIMPO_TEST_POSTGRES_URL", "GARIMPO_SERVICE_HOST", "GARIMPO_WEB_PORT_80_TCP", "GARIMPO_PORT"]
    {
        assert!(read(Role::Serve, &[(foreign, "tcp://10.0.0.1:80")]).is_ok(), "{foreign}");
    }
    for ours in ["GARIMPO_SMTP_PORT", "GARIMPO_SUPORT", "GARIMPO_PORTS_80"] {
        assert!(refusal(Role::Serve, &[(ours, "25")]).contains("an unknown name"), "{ours}");
    }
}

#[test]
fn an_unknown_name_is_answered_with_a_setting_only_if_one_is_near() {
    for (unknown, nearest) in [
        ("GARIMPO_LISTN", Some("GARIMPO_LISTEN")),
        ("GARIMPO_PUBLICURL", Some("GARIMPO_PUBLIC_URL")),
        ("GARIMPO_STRIPE_SECRETKEY_FILE", Some("GARIMPO_STRIPE_SECRET_KEY_FILE")),
        ("GARIMPO_STRPIE_SECRET_KEY", Some("GARIMPO_STRIPE_SECRET_KEY")),
        ("GARIMPO_MIAL", Some("GARIMPO_MAIL")),
        ("GARIMPO_COLOR", None),
        ("GARIMPO_VERSION", None),
        ("GARIMPO_WEBHOOK_SECRET", None),
        ("GARIMPO_X", None),
        ("GARIMPO_", None),
        ("GARIMPO_ÇÃO", None),
    ] {
        let nearest = nearest.unwrap_or("a name that `garimpo config` lists");
        assert_eq!(
            refusal(Role::Serve, &[(unknown, "x")]),
            format!("{unknown}: found an unknown name; allowed: {nearest}, or GARIMPO_UNKNOWN=warn")
        );
    }
}

#[test]
fn names_that_orchestrators_inject_are_ignored_whatever_the_service_is_called() {
    for service in ["GARIMPO", "GARIMPO_WEB", "GARIMPO_PORTAL", "GARIMPO_IMPORT", "GARIMPO_PORT"] {
        for (suffix, value) in [
            ("_SERVICE_HOST", "10.0.0.1"),
            ("_SERVICE_PORT", "8080"),
            ("_SERVICE_PORT_HTTP", "8080"),
            ("_PORT", "tcp://10.0.0.1:8080"),
            ("_PORT_8080_TCP", "tcp://10.0.0.1:8080"),
            ("_PORT_8080_TCP_PROTO", "tcp"),
            ("_PORT_8080_TCP_PORT", "8080"),
            ("_PORT_8080_TCP_ADDR", "10.0.0.1"),
        ] {
            let name = format!("{service}{suffix}");
            assert!(read(Role::Serve, &[(&name, value)]).is_ok(), "{name}");
        }
    }
}

#[test]
fn a_secret_can_come_from_a_file_or_a_systemd_credential() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("GARIMPO_DATABASE_URL");
    std::fs::write(&file, "postgres://ana:segredo@banco/garimpo\n").unwrap();
    let path = file.display().to_string();
    let secret = |settings: &[(&str, &str)]| {
        read(Role::Serve, settings).unwrap().database_url.expose_secret().to_owned()
    };

    assert_eq!(secret(&[("GARIMPO_DATABASE_URL_FILE", &path)]), "postgres://ana:segredo@banco/garimpo");
    let credentials = ("CREDENTIALS_DIRECTORY", folder.path().to_str().unwrap());
    assert_eq!(secret(&[credentials]), "postgres://ana:segredo@banco/garimpo");
    let given = ("GARIMPO_DATABASE_URL", "postgres://ana:outro@banco/garimpo");
    let named = ("GARIMPO_DATABASE_URL_FILE", path.as_str());
    for (both, place) in [
        ([given, named], "with _FILE"),
        ([given, credentials], "as a systemd credential"),
        ([named, credentials], "as a systemd credential"),
    ] {
        let both = refusal(Role::Serve, &both);
        assert!(both.starts_with(&format!("GARIMPO_DATABASE_URL: found a value, also {place}")), "{both}");
    }
    let long = folder.path().join("long");
    std::fs::write(&long, "a".repeat(70_000)).unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for wrong in ["/nenhum/arquivo", "/dev/zero", long.to_str().unwrap(), pipe.to_str().unwrap()] {
        let error = refusal(Role::Serve, &[("GARIMPO_DATABASE_URL_FILE", wrong)]);
        assert!(error.starts_with(&format!("GARIMPO_DATABASE_URL: found {wrong:?}")), "{error}");
    }
    assert!(refusal(Role::Serve, &[("GARIMPO_LISTEN_FILE", &path)]).contains("an unknown name"));
}

#[test]
fn a_key_file_that_other_users_may_read_is_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let warned = |name: &str, mode: u32, by: &str| {
        let file = folder.path().join("GARIMPO_DATABASE_URL");
        std::fs::write(&file, "postgres://ana:segredo@banco/garimpo").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let path = file.display().to_string();
        let value = if name == "CREDENTIALS_DIRECTORY" { folder.path().to_str().unwrap() } else { &path };
        let settings = BTreeMap::from([(name.to_owned(), value.to_owned())]);
        let warnings = Source::read(&settings, &Variables::settings()).warnings;
        warnings.len() == 1 && warnings[0].starts_with(&format!("WARN {by}: {path} has mode "))
    };
    for (name, setting) in [
        ("GARIMPO_TLS_KEY", "GARIMPO_TLS_KEY"),
        ("GARIMPO_IDENTITY_CREDENTIALS", "GARIMPO_IDENTITY_CREDENTIALS"),
        ("GARIMPO_DATABASE_URL_FILE", "GARIMPO_DATABASE_URL"),
    ] {
        assert!(warned(name, 0o644, setting) && warned(name, 0o640, setting), "{name}");
        assert!(!warned(name, 0o600, setting) && !warned(name, 0o400, setting), "{name}");
    }
    let credential = |mode| warned("CREDENTIALS_DIRECTORY", mode, "GARIMPO_DATABASE_URL");
    assert!(credential(0o444) && !credential(0o440), "systemd shows its access list as rights of the group");
}

#[test]
fn a_crash_point_is_refused_without_the_payments_sandbox() {
    let mut settings = STRIPE.to_vec();
    settings.push(("GARIMPO_CRASH_AT", "event.stored:2"));
    let error = refusal(Role::Serve, &settings);
    assert!(
        error.starts_with("GARIMPO_CRASH_AT: found a value, while GARIMPO_PAYMENTS is not sandbox"),
        "{error}"
    );
    assert!(read(Role::Serve, &settings[4..]).unwrap().crash_at.is_some());
}

#[test]
fn each_crash_point_is_listed_in_the_error_and_in_the_document() {
    let error = refusal(Role::Serve, &[("GARIMPO_CRASH_AT", "nowhere")]);
    let document = include_str!("../../../docs/soak.md");
    for point in CrashPoint::ALL.map(CrashPoint::name) {
        assert!(error.contains(point), "{point} is not in: {error}");
        assert!(document.contains(&format!("| `{point}` |")), "{point} is not in docs/soak.md");
    }
}

#[test]
fn a_pause_point_is_refused_without_the_payments_sandbox() {
    let mut settings = STRIPE.to_vec();
    settings.push(("GARIMPO_PAUSE_AT", "account.decide:2"));
    let error = refusal(Role::Serve, &settings);
    assert!(
        error.starts_with("GARIMPO_PAUSE_AT: found a value, while GARIMPO_PAYMENTS is not sandbox"),
        "{error}"
    );
    assert!(read(Role::Serve, &settings[4..]).unwrap().pause_at.is_some());
}

#[test]
fn config_shows_the_effective_values_without_secrets() {
    let mut settings = STRIPE.to_vec();
    settings.push(("GARIMPO_DATABASE_URL", "postgres://ana:segredo@db:5432/garimpo"));
    let config = read(Role::Serve, &settings).unwrap();
    let lines: Vec<_> = config.shown.iter().map(|s| format!("{}={}\n", s.name, s.value)).collect();
    let text = lines.concat();
    for secret in ["segredo", "sk_live_abc", "whsec_novo"] {
        assert!(!text.contains(secret), "{text}");
    }
    assert!(text.contains("GARIMPO_DATABASE_URL=postgres://ana:***@db:5432/garimpo\n"), "{text}");
    assert!(text.contains("GARIMPO_LISTEN=127.0.0.1:8080\n"), "{text}");
    assert!(text.contains("GARIMPO_STRIPE_SECRET_KEY=***\n"), "{text}");
    assert!(!format!("{config:?}").contains("sk_live_abc"));
}

#[test]
fn the_error_for_an_unreadable_password_file_gives_the_reason() {
    for (path, why) in [
        ("/nenhum/arquivo", "the file cannot be read: No such file or directory"),
        ("/dev/zero", "no regular file, or a larger one"),
    ] {
        let error = refusal(Role::Serve, &[("GARIMPO_PASSWORD_REFUSED", path)]);
        let found = format!("GARIMPO_PASSWORD_REFUSED: found \"{path}\" ({why}");
        assert!(error.starts_with(&found), "{error}");
    }
}

#[test]
fn each_setting_is_documented() {
    let docs = ["operation", "fleet", "tracking", "consent-and-attribution"].map(|page| {
        let path = format!("{}/../docs/{page}.md", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).expect("the page")
    });
    let names: BTreeSet<_> = Variables::settings().into_iter().map(|setting| setting.name).collect();
    assert!(names.len() > 50, "the names are found: {names:?}");
    let missing: Vec<_> =
        names.iter().filter(|name| !docs.iter().any(|page| page.contains(&format!("`{name}")))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
