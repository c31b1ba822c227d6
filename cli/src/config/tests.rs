//! Settings are read from a map, so no test touches the environment.

use super::*;
use garimpo_domain::campaign::CampaignSwitch;
use garimpo_domain::checkout::TrialPurchase;
use garimpo_server::auth::{ABSOLUTE_DAYS, SLIDING_DAYS};
use garimpo_server::crash::CrashPoint;
use std::collections::{BTreeMap, BTreeSet};

fn read(role: Role, settings: &[(&str, &str)]) -> Result<Config, String> {
    let environment = settings.iter().rev().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Config::read(role, &environment.collect(), Vec::new()).map_err(|errors| errors.to_string())
}

fn refusal(role: Role, settings: &[(&str, &str)]) -> String {
    read(role, settings).expect_err("it must be refused")
}

#[test]
fn sem_nenhuma_variavel_valem_os_padroes() {
    let config = read(Role::Serve, &[]).unwrap();
    assert_eq!(config.listen.public.to_string(), "127.0.0.1:8080");
    assert_eq!(config.listen.grpc.to_string(), "127.0.0.1:50051");
    assert_eq!(config.listen.sandbox.to_string(), "127.0.0.1:12111");
    assert_eq!(config.listen.metrics.to_string(), "127.0.0.1:9464");
    assert_eq!(config.database_url.expose_secret(), "sqlite://./data/garimpo.db");
    assert!(config.uses_sandbox());
    assert_eq!(config.campaign, CampaignSwitch::Auto);
    assert_eq!(config.policy.boleto_grace_days, 3);
}

#[test]
fn os_textos_legais_citam_os_padroes_das_configuracoes_e_a_vida_de_uma_sessao() {
    let cited: BTreeMap<String, i64> =
        serde_json::from_str(include_str!("../../../web/src/texts/settings.json")).unwrap();
    let config = read(Role::Serve, &[]).unwrap();
    let expected = cited.keys().map(|name| {
        let value = match name.as_str() {
            "session_days" => SLIDING_DAYS,
            "session_days_at_most" => ABSOLUTE_DAYS,
            setting => {
                let shown = config.shown().iter().find(|shown| shown.name == setting);
                shown.unwrap_or_else(|| panic!("{setting} is no setting")).value.parse().unwrap()
            }
        };
        (name.clone(), value)
    });
    assert_eq!(cited, expected.collect());
    // The terms name the charge at once first.
    assert_eq!(config.trial_purchase, TrialPurchase::AtOnce);
}

#[test]
fn valor_errado_diz_em_uma_linha_qual_o_que_achou_e_o_que_vale() {
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
        ("GARIMPO_FLEET_SECRET", "curto"),
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

#[test]
fn conversoes_na_meta_pedem_pixel_e_token_por_caminho_seguro() {
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
    assert!(config.shown().iter().all(|setting| !setting.value.contains("segredo")));
    assert!(!format!("{config:?}").contains("segredo"));
}

#[test]
fn identidade_fora_pede_projeto_chave_e_conta_de_servico() {
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

    // What nobody signs is believed at home alone, whatever else is allowed.
    let emulator = [toolkit, key, project, ("GARIMPO_IDENTITY_EMULATOR", "1")];
    let config = read(Role::Serve, &emulator).unwrap();
    assert!(config.shown().iter().all(|setting| !setting.value.contains("AIza")));
    assert!(!format!("{config:?}").contains("AIza"));
    let public = [("GARIMPO_PUBLIC_URL", "https://garimpo.example"), ("GARIMPO_ALLOW_SANDBOX", "1")];
    let error = refusal(Role::Serve, &[&emulator[..], &public[..]].concat());
    assert!(error.contains("a loopback address while GARIMPO_IDENTITY_EMULATOR is 1"), "{error}");
    let at_home = [&emulator[..], &[("GARIMPO_PUBLIC_URL", "http://localhost:9000")]].concat();
    assert!(read(Role::Serve, &at_home).is_ok());
}

#[test]
fn correio_por_smtp_pede_endereco_com_tls_e_remetente() {
    let smtp = ("GARIMPO_MAIL", "smtp");
    let from = ("GARIMPO_MAIL_FROM", "Garimpo <ola@garimpo.example>");
    for url in ["smtps://eu:segredo@correio.example", "smtp://eu:segredo@correio.example?tls=required"] {
        let config = read(Role::Serve, &[smtp, ("GARIMPO_SMTP_URL", url), from]).unwrap();
        assert!(!config.shown().iter().any(|shown| shown.value.contains("segredo")));
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
fn endereco_publico_fora_do_loopback_recusa_sandbox_e_http() {
    let public = ("GARIMPO_PUBLIC_URL", "https://garimpo.example");
    assert!(refusal(Role::Serve, &[public]).contains("GARIMPO_ALLOW_SANDBOX"));
    assert!(read(Role::Serve, &[public, ("GARIMPO_ALLOW_SANDBOX", "1")]).is_ok());

    let plain = ("GARIMPO_PUBLIC_URL", "http://garimpo.example");
    let sandbox = ("GARIMPO_ALLOW_SANDBOX", "1");
    assert!(refusal(Role::Serve, &[plain, sandbox]).contains("GARIMPO_ALLOW_HTTP"));
    assert!(read(Role::Serve, &[plain, sandbox, ("GARIMPO_ALLOW_HTTP", "1")]).is_ok());
    assert!(read(Role::Serve, &[("GARIMPO_PUBLIC_URL", "http://localhost:9000")]).is_ok());
}

#[test]
fn porta_aberta_fora_do_loopback_pede_endereco_https_e_palavra_para_o_sandbox() {
    let https = ("GARIMPO_PUBLIC_URL", "https://garimpo.example");
    let (http, sandbox) = (("GARIMPO_ALLOW_HTTP", "1"), ("GARIMPO_ALLOW_SANDBOX", "1"));
    for address in ["10.0.0.5:8080", "0.0.0.0:8080", "[::]:8080", "[::ffff:10.0.0.5]:0"] {
        for name in
            ["GARIMPO_LISTEN", "GARIMPO_GRPC_LISTEN", "GARIMPO_METRICS_LISTEN", "GARIMPO_SANDBOX_LISTEN"]
        {
            let listen = (name, address);
            let error = refusal(Role::Serve, &[listen]);
            assert!(
                error.contains("GARIMPO_ALLOW_HTTP") && error.contains("GARIMPO_ALLOW_SANDBOX"),
                "{error}"
            );
            assert!(error.lines().any(|line| line.starts_with(name)), "{error}");
            assert!(refusal(Role::Serve, &[listen, sandbox]).contains("GARIMPO_ALLOW_HTTP"));
            assert!(refusal(Role::Serve, &[listen, https]).contains("GARIMPO_ALLOW_SANDBOX"));
            assert!(read(Role::Serve, &[listen, sandbox, https]).is_ok());
            assert!(read(Role::Serve, &[listen, sandbox, http]).is_ok());
        }
    }
    let open = [&STRIPE[..], &OUTSIDE[..], &[("GARIMPO_LISTEN", "0.0.0.0:8080")]].concat();
    assert!(refusal(Role::Serve, &open).contains("GARIMPO_ALLOW_HTTP"));
    assert!(read(Role::Serve, &[&open[..], &[https]].concat()).is_ok());
    let emulator = [&IDENTITY_EMULATOR[..], &[("GARIMPO_LISTEN", "0.0.0.0:80"), http, sandbox]].concat();
    assert!(refusal(Role::Serve, &emulator).contains("while GARIMPO_IDENTITY_EMULATOR is 1"));
}

#[test]
fn sandbox_sozinho_fora_do_loopback_pede_a_palavra() {
    let listen = ("GARIMPO_SANDBOX_LISTEN", "0.0.0.0:12111");
    assert!(refusal(Role::Sandbox, &[listen]).contains("GARIMPO_ALLOW_SANDBOX"));
    assert!(read(Role::Sandbox, &[listen, ("GARIMPO_ALLOW_SANDBOX", "1")]).is_ok());
}

const STRIPE: [(&str, &str); 4] = [
    ("GARIMPO_PAYMENTS", "stripe"),
    ("GARIMPO_STRIPE_SECRET_KEY", "sk_live_abc"),
    ("GARIMPO_STRIPE_PUBLISHABLE_KEY", "pk_live_abc"),
    ("GARIMPO_STRIPE_WEBHOOK_SECRET", "whsec_novo, whsec_velho"),
];

/// Mail and conversions that are not the sandbox's.
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
fn todos_os_erros_saem_de_uma_vez_um_por_linha() {
    let wrong = [("GARIMPO_LISTEN", "8080"), ("GARIMPO_GRACE_DAYS", "-1"), ("GARIMPO_LISTN", "x")];
    let error = refusal(Role::Serve, &wrong);
    let names: Vec<_> = error.lines().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(names, ["GARIMPO_LISTN", "GARIMPO_LISTEN", "GARIMPO_GRACE_DAYS"]);

    let open = [
        ("GARIMPO_LISTEN", "0.0.0.0:8080"),
        ("GARIMPO_GRACE_DAYS", "-1"),
        ("GARIMPO_FLEET_SECRET_FILE", "/x"),
    ];
    let error = refusal(Role::Server, &open);
    let mut names: Vec<_> = error.lines().filter_map(|line| line.split(':').next()).collect();
    names.dedup();
    assert_eq!(names, ["GARIMPO_FLEET_SECRET", "GARIMPO_GRACE_DAYS"], "each once: {error}");
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
fn nome_desconhecido_e_recusado_com_o_nome_mais_perto() {
    let error = refusal(Role::Serve, &[("GARIMPO_LISTN", "127.0.0.1:1")]);
    assert_eq!(
        error,
        "GARIMPO_LISTN: found an unknown name; allowed: GARIMPO_LISTEN, or GARIMPO_UNKNOWN=warn"
    );
    let warned = read(Role::Serve, &[("GARIMPO_LISTN", "x"), ("GARIMPO_UNKNOWN", "warn")]).unwrap();
    assert_eq!(warned.warnings().len(), 1);
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
fn segredo_pode_vir_de_um_arquivo_ou_do_systemd() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("GARIMPO_FLEET_SECRET");
    std::fs::write(&file, "um-segredo-de-frota\n").unwrap();
    let path = file.display().to_string();
    let secret = |settings: &[(&str, &str)]| {
        read(Role::Server, settings).unwrap().fleet_secret.unwrap().expose_secret().to_owned()
    };

    assert_eq!(secret(&[("GARIMPO_FLEET_SECRET_FILE", &path)]), "um-segredo-de-frota");
    let credentials = ("CREDENTIALS_DIRECTORY", folder.path().to_str().unwrap());
    assert_eq!(secret(&[credentials]), "um-segredo-de-frota");
    let given = ("GARIMPO_FLEET_SECRET", "um-outro-segredo-de-frota");
    let named = ("GARIMPO_FLEET_SECRET_FILE", path.as_str());
    for (both, place) in [
        ([given, named], "with _FILE"),
        ([given, credentials], "as a systemd credential"),
        ([named, credentials], "as a systemd credential"),
    ] {
        let both = refusal(Role::Server, &both);
        assert!(both.starts_with(&format!("GARIMPO_FLEET_SECRET: found a value, also {place}")), "{both}");
    }
    let long = folder.path().join("long");
    std::fs::write(&long, "a".repeat(70_000)).unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for wrong in ["/nenhum/arquivo", "/dev/zero", long.to_str().unwrap(), pipe.to_str().unwrap()] {
        let error = refusal(Role::Server, &[("GARIMPO_FLEET_SECRET_FILE", wrong)]);
        assert!(error.starts_with(&format!("GARIMPO_FLEET_SECRET: found {wrong:?}")), "{error}");
    }
    assert!(refusal(Role::Serve, &[("GARIMPO_LISTEN_FILE", &path)]).contains("an unknown name"));
}

#[test]
fn chaves_trocadas_conhecidas_ou_de_modos_diferentes_sao_recusadas_sem_serem_mostradas() {
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
fn chave_de_teste_so_serve_um_endereco_publico_por_decisao_de_alguem() {
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
fn chave_de_um_provedor_que_nao_foi_escolhido_e_recusada() {
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
fn relatorio_pede_so_o_banco() {
    let settings = [&STRIPE[..1], &OUTSIDE[..1], &[("GARIMPO_CONVERSIONS", "meta")]].concat();
    assert!(read(Role::Serve, &settings).is_err());
    assert!(read(Role::Admin, &settings).is_err());

    let report = read(Role::Report, &settings).unwrap();

    assert!(!report.uses_sandbox());
    let here = read(Role::Report, &[("GARIMPO_DATA_DIR", "/nenhuma/pasta")]).unwrap();
    assert!(!here.follows_sandbox_clock());
}

#[test]
fn proxy_de_confianca_nao_e_o_mundo_inteiro() {
    for wrong in [
        "0.0.0.0/0",
        "::/0",
        "10.0.0.0/8, 0.0.0.0/0",
        "0.0.0.0/1,128.0.0.0/1",
        "2000::/7",
        "8.0.0.0/8",
        "::ffff:0:0/96",
    ] {
        let refused = refusal(Role::Serve, &[("GARIMPO_TRUSTED_PROXIES", wrong)]);
        assert!(refused.contains("none larger"), "{wrong}");
    }
    let mapped = read(Role::Serve, &[("GARIMPO_TRUSTED_PROXIES", "::ffff:10.0.0.0/104")]).unwrap();
    assert_eq!(mapped.trusted_proxies, ["10.0.0.0/8".parse().unwrap()], "clients are compared as IPv4");
    for right in ["10.0.0.0/8", "127.0.0.0/8", "fc00::/7, 192.0.2.7", "104.16.0.0/12, 2400:cb00::/32"] {
        assert!(read(Role::Serve, &[("GARIMPO_TRUSTED_PROXIES", right)]).is_ok(), "{right}");
    }
}

#[test]
fn stripe_exige_chaves_e_aceita_varios_segredos() {
    let Payments::Stripe(stripe) = read(Role::Serve, &STRIPE).unwrap().payments else { panic!("stripe") };
    assert_eq!(stripe.url, "https://api.stripe.com");
    assert_eq!(stripe.webhook_secrets.len(), 2);
}

#[test]
fn queda_de_teste_e_recusada_sem_o_sandbox_de_pagamentos() {
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
fn cada_ponto_de_queda_esta_na_recusa_e_no_documento() {
    let error = refusal(Role::Serve, &[("GARIMPO_CRASH_AT", "nowhere")]);
    let document = include_str!("../../../docs/soak.md");
    for point in CrashPoint::ALL.map(CrashPoint::name) {
        assert!(error.contains(point), "{point} is not in: {error}");
        assert!(document.contains(&format!("| `{point}` |")), "{point} is not in docs/soak.md");
    }
}

#[test]
fn pausa_de_teste_e_recusada_sem_o_sandbox_de_pagamentos() {
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
fn frota_exige_segredo_e_o_gateway_exige_servidores() {
    let secret = ("GARIMPO_FLEET_SECRET", "um-segredo-de-frota");
    assert!(refusal(Role::Server, &[]).starts_with("GARIMPO_FLEET_SECRET: found nothing"));
    assert!(refusal(Role::Gateway, &[secret]).starts_with("GARIMPO_SERVER_URL: found nothing"));
    let servers = ("GARIMPO_SERVER_URL", "http://10.0.0.1:50051, http://10.0.0.2:50051/");
    let config = read(Role::Gateway, &[secret, servers]).unwrap();
    assert_eq!(config.servers, ["http://10.0.0.1:50051", "http://10.0.0.2:50051"]);
    assert!(read(Role::Server, &[secret]).is_ok());
}

#[test]
fn config_mostra_o_que_vale_sem_mostrar_segredos() {
    let mut settings = STRIPE.to_vec();
    settings.push(("GARIMPO_DATABASE_URL", "postgres://ana:segredo@db:5432/garimpo"));
    settings.push(("GARIMPO_FLEET_SECRET", "um-segredo-de-frota"));
    let config = read(Role::Serve, &settings).unwrap();
    let lines: Vec<_> = config.shown().iter().map(|s| format!("{}={}\n", s.name, s.value)).collect();
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
fn toda_configuracao_esta_na_documentacao() {
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

#[test]
fn todo_endereco_de_postgres_na_documentacao_verifica_o_certificado() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let pages = std::fs::read_dir(format!("{root}/docs")).expect("the pages");
    let pages = pages.map(|page| page.expect("readable").path()).filter(|path| path.is_file());
    let mut found = 0;
    for page in pages.chain([format!("{root}/README.md").into()]) {
        let text = std::fs::read_to_string(&page).expect("UTF-8");
        for rest in text.split("postgres://").skip(1) {
            let address = rest.split([' ', '`', '"', '\n']).next().unwrap_or_default();
            // The bare scheme stands for any address.
            if address != "…" {
                assert!(address.contains("?sslmode=verify-full"), "{}: {address}", page.display());
                found += 1;
            }
        }
    }
    assert!(found >= 4, "the addresses are found");
}

#[test]
fn senha_do_banco_nao_aparece_onde_quer_que_esteja_no_endereco() {
    for (url, shown) in [
        ("sqlite://./data/garimpo.db", "sqlite://./data/garimpo.db"),
        ("postgres://ana@db/garimpo", "postgres://ana@db/garimpo"),
        ("postgres://ana:segredo@db/garimpo", "postgres://ana:***@db/garimpo"),
        ("postgres://db/garimpo?user=ana&password=segredo", "postgres://db/garimpo?***"),
        ("postgres://db:5432/garimpo?password=com@segredo", "postgres://***"),
        ("postgres://ana:com@segredo@db/garimpo?password=x", "postgres://ana:***@db/garimpo?***"),
        ("postgres://ana:com?segredo@db/garimpo", "postgres://***"),
    ] {
        assert_eq!(without_password(url), shown);
        let config = read(Role::Serve, &[("GARIMPO_DATABASE_URL", url)]).unwrap();
        assert!(config.shown().iter().all(|setting| !setting.value.contains("segredo")), "{url}");
    }
}

#[test]
fn replica_por_fora_so_vale_para_o_banco_embutido() {
    let replicated = ("GARIMPO_REPLICATED", "1");
    assert!(!read(Role::Serve, &[]).unwrap().store_settings().replicated);
    assert!(read(Role::Serve, &[replicated]).unwrap().store_settings().replicated);

    let postgres = ("GARIMPO_DATABASE_URL", "postgres://ana@db/garimpo");
    let error = refusal(Role::Serve, &[replicated, postgres]);
    assert!(error.contains("while GARIMPO_DATABASE_URL is not SQLite"), "{error}");
}

#[test]
fn pooler_de_transacao_exige_o_caminho_direto_para_quem_migra() {
    let pooled = [
        ("GARIMPO_DATABASE_URL", "postgres://ana@bouncer/garimpo"),
        ("GARIMPO_DATABASE_POOLER", "transaction"),
    ];
    let direct = ("GARIMPO_DATABASE_MIGRATION_URL", "postgres://dona:segredo@db/garimpo");

    let error = refusal(Role::Serve, &pooled);
    assert!(error.starts_with("GARIMPO_DATABASE_MIGRATION_URL: found nothing; allowed: "), "{error}");
    assert!(read(Role::Serve, &[pooled[0], pooled[1], ("GARIMPO_MIGRATE", "never")]).is_ok());
    assert!(read(Role::Report, &pooled).is_ok(), "a command never migrates");
    let config = read(Role::Serve, &[pooled[0], pooled[1], direct]).unwrap();
    assert_eq!(config.store_settings().migration_url.as_deref(), Some(direct.1));
    assert!(config.shown().iter().all(|setting| !setting.value.contains("segredo")));

    for setting in [pooled[1], direct] {
        let error = refusal(Role::Serve, &[setting]);
        assert!(error.contains("while GARIMPO_DATABASE_URL is SQLite"), "{error}");
    }
    let error = refusal(Role::Serve, &[pooled[0], ("GARIMPO_DATABASE_MIGRATION_URL", "sqlite://x.db")]);
    assert!(error.starts_with("GARIMPO_DATABASE_MIGRATION_URL: found \"***\""), "{error}");
}

#[test]
fn chamadas_servidas_tem_prazo_no_banco_e_relatorios_so_para_travas() {
    let postgres = ("GARIMPO_DATABASE_URL", "postgres://ana@db/garimpo");
    let seconds = |limit: Option<Duration>| limit.map(|limit| limit.as_secs());
    let limits = |role, settings: &[(&str, &str)]| {
        let store = read(role, &[&[postgres], settings].concat()).unwrap().store_settings();
        (store.connections, seconds(store.statement_timeout), seconds(store.lock_timeout))
    };

    assert_eq!(limits(Role::Serve, &[]), (12, Some(15), Some(4)));
    assert_eq!(limits(Role::Report, &[]), (12, None, Some(4)));
    let given = [
        ("GARIMPO_DATABASE_POOL_SIZE", "40"),
        ("GARIMPO_DATABASE_STATEMENT_SECONDS", "60"),
        ("GARIMPO_DATABASE_LOCK_SECONDS", "1"),
    ];
    assert_eq!(limits(Role::Serve, &given), (40, Some(60), Some(1)));
}

fn passed(sockets: &[(&str, &str)]) -> Vec<PassedSocket> {
    let socket = |(name, address): &(&str, &str)| PassedSocket {
        name: (*name).to_owned(),
        address: address.parse().ok(),
    };
    sockets.iter().map(socket).collect()
}

fn read_with(role: Role, settings: &[(&str, &str)], sockets: &[(&str, &str)]) -> Result<Config, String> {
    let environment = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Config::read(role, &environment.collect(), passed(sockets)).map_err(|errors| errors.to_string())
}

#[test]
fn socket_do_systemd_toma_o_lugar_da_porta_e_vale_para_ele_o_que_vale_para_ela() {
    let config = read_with(Role::Serve, &[], &[("public", "127.0.0.1:9000")]).unwrap();
    assert_eq!(config.listen.public.to_string(), "127.0.0.1:9000");
    assert_eq!(config.listen.grpc.to_string(), "127.0.0.1:50051");

    let same = [("GARIMPO_LISTEN", "127.0.0.1:9000")];
    assert!(read_with(Role::Serve, &same, &[("public", "127.0.0.1:9000")]).is_ok());
    let other = read_with(Role::Serve, &same, &[("public", "127.0.0.1:9001")]).err().unwrap();
    assert!(other.starts_with("GARIMPO_LISTEN: found \"127.0.0.1:9000\"; allowed: no value, or"), "{other}");

    let open = read_with(Role::Serve, &[], &[("metrics", "0.0.0.0:9464")]).err().unwrap();
    assert!(
        open.starts_with("socket metrics: found \"0.0.0.0:9464\"; allowed: a loopback address"),
        "{open}"
    );
}

#[test]
fn sockets_do_systemd_errados_sao_ditos_todos_de_uma_vez() {
    let fleet = [
        ("GARIMPO_SERVER_URL", "http://127.0.0.1:50051"),
        ("GARIMPO_FLEET_SECRET", "um-segredo-de-teste-com-tamanho-bastante"),
    ];
    let wrong = [
        ("public", "127.0.0.1:9000"),
        ("public", "127.0.0.1:9001"),
        ("grpc", "127.0.0.1:9002"),
        ("metrics", "no TCP"),
    ];
    assert_eq!(
        read_with(Role::Gateway, &fleet, &wrong).err().unwrap(),
        "socket public: found a second socket of the name; allowed: one ListenStream=\n\
         socket grpc: found a name of no port of this command; allowed: FileDescriptorName= public, metrics\n\
         socket metrics: found another kind of socket; allowed: one that listens on TCP (ListenStream= with a port)"
    );
    let drain = |sockets| read_with(Role::Gateway, &fleet, sockets).unwrap().drain.as_secs();
    assert_eq!((drain(&[]), drain(&[("public", "127.0.0.1:9000")])), (2, 0));
}

#[test]
fn a_parte_de_um_cliente_nao_passa_do_limite_de_todos() {
    let shown = |settings: &[(&str, &str)], name: &str| {
        let config = read(Role::Serve, settings).unwrap();
        config.shown().iter().find(|setting| setting.name == name).unwrap().value.clone()
    };

    for (name, usual) in [("CONNECTIONS", "1024"), ("EVENT_MIB", "4"), ("HASHES_WAITING", "64")] {
        let (total, share) = (format!("GARIMPO_LIMIT_{name}"), format!("GARIMPO_LIMIT_{name}_ADDRESS"));
        let error = refusal(Role::Serve, &[(&total, "3"), (&share, "4")]);
        assert_eq!(error, format!("{share}: found \"4\"; allowed: at most {total} (3)"));
        assert_eq!(shown(&[(&total, "3")], &share), "3");
        assert_eq!(shown(&[], &share), usual);
    }
}
