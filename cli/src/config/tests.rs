//! Settings are read through a closure, so no test touches the environment.

use super::*;
use std::collections::BTreeSet;

fn read(role: Role, settings: &[(&str, &str)]) -> Result<Config, String> {
    let get = |name: &str| settings.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
    Config::read(role, &get).map_err(|error| error.to_string())
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
    assert_eq!(config.black_november, BlackNovember::Auto);
    assert_eq!(config.access.boleto_grace_days, 3);
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
        ("GARIMPO_SANDBOX_CLOCK", "ontem"),
        ("GARIMPO_SANDBOX_URL", "x"),
        ("GARIMPO_SANDBOX_WEBHOOK", "x"),
        ("GARIMPO_RENEWAL_HOURS", "-1"),
        ("GARIMPO_TRIAL_PURCHASE", "later"),
        ("GARIMPO_FLEET_SECRET", "curto"),
        ("GARIMPO_ALLOW_HTTP", "yes"),
        ("GARIMPO_LOG", "garimpo=loudly"),
        ("GARIMPO_LIMIT_SIGN_IN", "0"),
        ("GARIMPO_PASSWORD_MINIMUM", "5"),
        ("GARIMPO_PASSWORD_REFUSED", "/nenhum/arquivo"),
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
    assert_eq!(missing, "GARIMPO_META_ACCESS_TOKEN: found nothing; allowed: a secret");
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

    let missing = refusal(Role::Serve, &[toolkit, project]);
    assert_eq!(missing, "GARIMPO_IDENTITY_API_KEY: found nothing; allowed: a secret");
    let missing = refusal(Role::Serve, &[toolkit, key]);
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
        assert!(error.starts_with(&format!("{name}: found ")), "{error}");
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

    let listen = ("GARIMPO_LISTEN", "10.0.0.5:8080");
    assert!(refusal(Role::Serve, &[listen]).contains("GARIMPO_ALLOW_SANDBOX"));
    assert!(refusal(Role::Serve, &[listen, sandbox]).contains("GARIMPO_ALLOW_HTTP"));
    assert!(read(Role::Serve, &[("GARIMPO_LISTEN", "0.0.0.0:8080")]).is_ok());
}

const STRIPE: [(&str, &str); 4] = [
    ("GARIMPO_PAYMENTS", "stripe"),
    ("GARIMPO_STRIPE_SECRET_KEY", "sk_live_abc"),
    ("GARIMPO_STRIPE_PUBLISHABLE_KEY", "pk_live_abc"),
    ("GARIMPO_STRIPE_WEBHOOK_SECRET", "whsec_novo, whsec_velho"),
];

#[test]
fn stripe_exige_chaves_e_aceita_varios_segredos() {
    assert!(refusal(Role::Serve, &STRIPE[..1]).starts_with("GARIMPO_STRIPE_WEBHOOK_SECRET: found nothing"));
    let Payments::Stripe(stripe) = read(Role::Serve, &STRIPE).unwrap().payments else { panic!("stripe") };
    assert_eq!(stripe.url, "https://api.stripe.com");
    assert_eq!(stripe.webhook_secrets.len(), 2);
}

#[test]
fn queda_de_teste_e_recusada_sem_o_sandbox_de_pagamentos() {
    let mut settings = STRIPE.to_vec();
    settings.push(("GARIMPO_CRASH_AT", "event.stored:2"));
    let error = refusal(Role::Serve, &settings);
    assert!(error.starts_with("GARIMPO_CRASH_AT: found \"event.stored:2\"; allowed: nothing"), "{error}");
    assert!(read(Role::Serve, &settings[4..]).unwrap().crash_at.is_some());
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
    let code = [
        include_str!("../config.rs"),
        include_str!("advertising.rs"),
        include_str!("limits.rs"),
        include_str!("providers.rs"),
    ];
    let docs = ["operation", "fleet", "tracking", "consent-and-attribution"].map(|page| {
        let path = format!("{}/../docs/{page}.md", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).expect("the page")
    });
    let names: BTreeSet<_> = code
        .iter()
        .flat_map(|text| text.split('"').filter(|word| word.starts_with("GARIMPO_") && !word.contains(' ')))
        .collect();
    assert!(names.len() > 50, "the names are found: {names:?}");
    let missing: Vec<_> =
        names.iter().filter(|name| !docs.iter().any(|page| page.contains(&format!("`{name}")))).collect();
    assert!(missing.is_empty(), "{missing:?}");
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
