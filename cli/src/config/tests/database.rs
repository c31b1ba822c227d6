//! Settings of the database and its commands.

use super::*;

#[test]
fn a_report_requires_only_the_database() {
    let settings = [&STRIPE[..1], &OUTSIDE[..1], &[("GARIMPO_CONVERSIONS", "meta")]].concat();
    assert!(read(Role::Serve, &settings).is_err());
    assert!(read(Role::Admin, &settings).is_err());

    let report = read(Role::Report, &settings).unwrap();

    assert!(!report.uses_sandbox);
    let here = read(Role::Report, &[("GARIMPO_DATA_DIR", "/nenhuma/pasta")]).unwrap();
    assert!(!here.follows_sandbox_clock());
}

#[test]
fn each_postgres_url_in_the_docs_verifies_the_certificate() {
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
fn the_database_password_is_hidden_wherever_the_url_has_it() {
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
        assert!(config.shown.iter().all(|setting| !setting.value.contains("segredo")), "{url}");
    }
}

#[test]
fn a_misspelt_parameter_of_tls_is_refused_because_the_driver_would_ignore_it() {
    let migration = "GARIMPO_DATABASE_MIGRATION_URL";
    let good =
        ("GARIMPO_DATABASE_URL", "postgres://eu:segredo@db.example/x?sslmode=verify-full&sslrootcert=/ca");
    assert!(read(Role::Serve, &[good]).is_ok());
    for wrong in
        ["sslMode=disable", "sslMode=verify-full", "SSLMODE=require", "ssl=true", "ssl%4Dode=require"]
    {
        let url = format!("postgres://eu:segredo@db.example/x?application_name=loja&{wrong}");
        for (name, more) in [("GARIMPO_DATABASE_URL", &[][..]), (migration, &[good])] {
            let error = refusal(Role::Serve, &[&[(name, url.as_str())], more].concat());
            let allowed = "allowed: sslmode, sslrootcert, sslcert and sslkey";
            assert!(error.starts_with(&format!("{name}: found \"***\"; {allowed}")), "{wrong}: {error}");
        }
    }
}

#[test]
fn external_replication_is_allowed_only_for_sqlite() {
    let replicated = ("GARIMPO_REPLICATED", "1");
    assert!(!read(Role::Serve, &[]).unwrap().store_settings().replicated);
    assert!(read(Role::Serve, &[replicated]).unwrap().store_settings().replicated);

    let postgres = ("GARIMPO_DATABASE_URL", "postgres://ana@db/garimpo");
    let error = refusal(Role::Serve, &[replicated, postgres]);
    assert!(error.contains("while GARIMPO_DATABASE_URL is not SQLite"), "{error}");
}

#[test]
fn a_transaction_pooler_requires_a_direct_url_for_migrations() {
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
    assert!(config.shown.iter().all(|setting| !setting.value.contains("segredo")));

    for setting in [pooled[1], direct] {
        let error = refusal(Role::Serve, &[setting]);
        assert!(error.contains("while GARIMPO_DATABASE_URL is SQLite"), "{error}");
    }
    let error = refusal(Role::Serve, &[pooled[0], ("GARIMPO_DATABASE_MIGRATION_URL", "sqlite://x.db")]);
    assert!(error.starts_with("GARIMPO_DATABASE_MIGRATION_URL: found \"***\""), "{error}");
}

#[test]
fn served_calls_have_a_statement_timeout_and_reports_only_a_lock_timeout() {
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
