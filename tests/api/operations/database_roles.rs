//! Rights of the database roles: read only, write without schema changes, migrate.

use std::collections::BTreeMap;
use std::time::Duration;

use e2e::app::base_settings;
use e2e::pgbouncer::PgBouncer;
use e2e::process::{self, Process};
use e2e::{App, Person, Visitor, postgres};

const READING: [&[&str]; 14] = [
    &["doctor"],
    &["subscriber", "ninguem@example.com"],
    &["events", "list"],
    &["events", "show", "evt_nenhum"],
    &["jobs", "list"],
    &["jobs", "show", "mail", "nenhum"],
    &["refunds", "list"],
    &["revenue"],
    &["attribution"],
    &["funnel"],
    &["audit"],
    &["audit", "--email", "ninguem@example.com", "--since", "1h"],
    &["token", "list"],
    &["reconcile", "--dry-run"],
];

const CHANGING: [&[&str]; 15] = [
    &["token", "create", "x", "--scope", "users.read"],
    &["token", "rotate", "tok_nenhum"],
    &["token", "revoke", "tok_nenhum"],
    &["sessions", "end", "usr_nenhum"],
    &["events", "replay", "evt_nenhum"],
    &["jobs", "replay", "mail", "--all"],
    &["jobs", "discard", "mail", "nenhum"],
    &["refunds", "paid", "ref_nenhum", "--note", "Pix"],
    &["refunds", "unpaid", "ref_nenhum"],
    &["adopt", "sub_nenhum"],
    &["delete-account", "usr_nenhum", "ninguem@example.com"],
    &["catalog", "push"],
    &["provider", "adopt"],
    &["provider", "accept-empty"],
    &["reconcile"],
];

/// Creates a PostgreSQL role, and returns the database's address with it.
async fn role(app_url: &str, app: &impl AsyncFn(String), grant: &str) -> String {
    let name = format!("papel_{:016x}", rand::random::<u64>());
    app(format!("CREATE ROLE {name} LOGIN")).await;
    app(format!("GRANT {grant} ON ALL TABLES IN SCHEMA public TO {name}")).await;
    let (scheme, rest) = app_url.split_once("://").expect("an address");
    let host = rest.split_once('@').map_or(rest, |(_, host)| host);
    format!("{scheme}://{name}@{host}")
}

#[tokio::test]
async fn reading_commands_work_with_a_read_only_role() {
    let app = App::start().await;
    let Some(url) = app.database_url() else { return e2e::skips("PostgreSQL") };
    let ana = app.visitor().signs_up(&Person::new()).await;
    let reader = role(url, &async |sql| app.executes(&sql).await, "SELECT").await;
    for command in READING {
        reads(&app, command, &[("GARIMPO_DATABASE_URL", &reader)]).await;
    }
    cannot_write(&app, &ana, &[("GARIMPO_DATABASE_URL", &reader)]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_commands_work_with_a_read_only_role_behind_pgbouncer() {
    let app = App::start().await;
    let Some(direct) = app.database_url() else { return e2e::skips("PostgreSQL") };
    let ana = app.visitor().signs_up(&Person::new()).await;
    let reader = role(direct, &async |sql| app.executes(&sql).await, "SELECT").await;
    // PgBouncer connects as the role of this address.
    let bouncer = PgBouncer::start(&reader).await;
    let pooled = bouncer.url_of(&reader);
    // A reader has no direct address, and needs none, because it migrates nothing.
    let settings = [
        ("GARIMPO_DATABASE_URL", pooled.as_str()),
        ("GARIMPO_DATABASE_POOLER", "transaction"),
        ("GARIMPO_MIGRATE", "never"),
    ];
    // All at once, so that several commands share the two connections of PgBouncer.
    futures::future::join_all(READING.map(|command| reads(&app, command, &settings))).await;
    cannot_write(&app, &ana, &settings).await;
}

/// Runs a reading command, which may have findings but must not fail.
async fn reads(app: &App, command: &[&str], settings: &[(&str, &str)]) {
    let ran = app.runs_with(&[&["admin"], command].concat(), settings).await;
    let is_absent =
        ran.code == 2 && (ran.stderr.contains("there is no") || ran.stderr.contains("nobody is known"));
    assert!(is_absent || (ran.code < 2 && ran.stderr.is_empty()), "{command:?}: {ran:?}");
    assert!(!ran.stdout.contains("could not be asked"), "{command:?}: {ran:?}");
}

/// Asserts that the role can read, and that the database refuses a command that writes.
async fn cannot_write(app: &App, ana: &Visitor, settings: &[(&str, &str)]) {
    let seen = app.runs_with(&["admin", "subscriber", &ana.email], settings).await;
    assert!(seen.code == 0 && seen.stdout.contains(&ana.uid), "{seen:?}");
    let create = ["admin", "token", "create", "x", "--scope", "users.read"];
    let refused = app.runs_with(&create, settings).await;
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("permission denied"), "{refused:?}");
}

#[tokio::test]
async fn an_admin_command_never_migrates_and_asks_for_garimpo_migrate() {
    let app = App::start().await;
    // The schema's own number is missing, as before `garimpo migrate`.
    app.executes("UPDATE _sqlx_migrations SET version = 9999").await;

    for command in READING.into_iter().chain(CHANGING) {
        let ran = app.runs_with(&[&["admin"], command].concat(), &[]).await;
        let said = format!("{}{}", ran.stdout, ran.stderr);
        let (code, migrates) = (ran.code, said.contains("(without migration 100): run garimpo migrate"));
        let expected = if command == ["doctor"] { 1 } else { 2 };
        assert_eq!((code, migrates), (expected, true), "{command:?}: {said}");
    }
    app.executes("UPDATE _sqlx_migrations SET version = 100").await;
    let migrated = app.runs_with(&["migrate"], &[]).await;
    assert_eq!((migrated.code, migrated.stderr.as_str()), (0, ""), "{migrated:?}");
    assert!(migrated.stdout.starts_with("the database is at migration "), "{migrated:?}");
    assert_eq!(app.admin(&["token", "list"]).await.code, 0);
}

#[tokio::test]
async fn every_command_refuses_a_database_of_an_unreleased_version_in_one_sentence() {
    let mut app = App::start().await;
    app.executes("UPDATE _sqlx_migrations SET version = 55").await;
    app.kill();
    let refuses = async |command: &[&str]| {
        let ran = app.runs_with(command, &[]).await;
        let sentence = "has the schema of an unreleased version before 0.3.0 (migration 55)";
        let said: Vec<_> = ran.stderr.lines().filter(|line| line.contains(sentence)).collect();
        assert_eq!((ran.code, said.len()), (2, 1), "{command:?}: {ran:?}");
        assert!(said[0].contains("start with an empty database"), "{said:?}");
    };
    for command in READING.into_iter().chain(CHANGING) {
        refuses(&[&["admin"], command].concat()).await;
    }
    refuses(&["migrate"]).await;
    if app.database_url().is_none() {
        let (data, backup) = (app.folder(""), app.folder("backup"));
        refuses(&["admin", "backup", &backup.to_string_lossy()]).await;
        refuses(&["admin", "restore", &data.to_string_lossy()]).await;
        assert!(!backup.exists());
    }
    let mut serves = Process::spawn("serve", &app.folder(""), app.settings());
    assert_eq!(serves.ends(Duration::from_secs(10)).await, Some(2));
    assert!(
        serves.log_text().contains("an unreleased version before 0.3.0 (migration 55)"),
        "{}",
        serves.log_text()
    );
}

#[tokio::test]
async fn with_migrate_never_a_role_without_schema_rights_serves() {
    let data = tempfile::TempDir::new().unwrap();
    let mut owner = base_settings();
    let url = postgres::fresh().await;
    owner.extend(url.clone().map(|url| ("GARIMPO_DATABASE_URL".to_string(), url)));
    let with = |settings: &[(&str, &str)]| -> BTreeMap<String, String> {
        let own = settings.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string()));
        owner.clone().into_iter().chain(own).collect()
    };
    let never = [("GARIMPO_MIGRATE", "never")];

    let mut early = Process::spawn("serve", data.path(), &with(&never));
    assert_eq!(early.ends(Duration::from_secs(10)).await, Some(2));
    assert!(early.log_text().contains("run garimpo migrate"), "{}", early.log_text());
    drop(early);
    let migrated = process::run(&["migrate"], data.path(), &owner).await;
    assert_eq!(migrated.code, 0, "{migrated:?}");

    let writer = match &url {
        Some(url) => {
            role(url, &async |sql| postgres::executes(url, &sql).await, "SELECT, INSERT, UPDATE, DELETE")
                .await
        }
        None => format!("sqlite://{}", data.path().join("garimpo.db").display()),
    };
    let settings = with(&[never[0], ("GARIMPO_DATABASE_URL", &writer)]);
    let (_serving, addresses) = Process::start("serve", data.path(), &settings).await;
    e2e::Visitor::new(&addresses["public"]).signs_up(&Person::new()).await;
}

#[tokio::test]
async fn a_long_command_shows_progress_on_a_terminal_and_none_in_a_pipe() {
    let app = App::start().await;
    let in_terminal = |command: &str| {
        let mut shell = process::in_terminal(command, &app.folder(""), app.settings());
        async move { String::from_utf8(shell.output().await.expect("script runs").stdout).expect("UTF-8") }
    };

    assert!(in_terminal("migrate").await.contains("migrating"));
    let report = in_terminal("admin reconcile --dry-run").await;
    assert!(report.contains("comparing") && report.contains("accounts compared"), "{report}");
    for command in [&["migrate"][..], &["admin", "reconcile", "--dry-run"]] {
        let piped = app.runs_with(command, &[]).await;
        assert_eq!((piped.code, piped.stderr.as_str()), (0, ""), "{piped:?}");
    }
}
