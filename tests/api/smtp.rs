//! Mails over SMTP, received by a real mail server.

use e2e::{App, MailServer, Person};
use serde_json::json;

const LINK: &str = "Link para redefinir sua senha";

async fn start_with_mail_server(mail_server: &MailServer, query: &str) -> App {
    App::start_with(&[
        ("GARIMPO_MAIL", "smtp"),
        ("GARIMPO_SMTP_URL", &mail_server.url(query)),
        ("GARIMPO_MAIL_FROM", "Garimpo <ola@garimpo.example>"),
    ])
    .await
}

async fn asks_for_link(app: &App, email: &str) {
    let body = Some(json!({ "email": email }));
    let answer = app.visitor().calls("POST", "/api/password-reset", body).await;
    assert_eq!((answer.status, answer.body), (200, json!({ "ok": true })));
}

/// Signs up with an address that begins with `begins`, asks for a recovery link, and returns the
/// address.
async fn sign_up_and_ask_for_link(app: &App, begins: &str) -> String {
    let mut person = Person::new();
    person.email = format!("{begins}.{}", person.email);
    app.visitor().signs_up(&person).await;
    asks_for_link(app, &person.email).await;
    person.email
}

/// Waits until /metrics shows `count` jobs of a kind in a state.
async fn wait_for_job_count(app: &App, kind: &str, state: &str, count: &str) {
    let series = format!("garimpo_jobs{{kind=\"{kind}\",state=\"{state}\"}}");
    app.wait_for_metric(&series, count).await;
}

#[tokio::test]
async fn the_mail_server_receives_text_and_html_with_sender_and_message_id() {
    let mail_server = MailServer::start();
    let app = start_with_mail_server(&mail_server, "").await;

    let email = sign_up_and_ask_for_link(&app, "ana").await;

    let mail = mail_server.mail_to(&email, LINK).await;
    assert_eq!(mail["from"], json!({ "address": "ola@garimpo.example", "name": "Garimpo" }));
    assert_eq!(mail["auto"], "auto-generated");
    let id = mail["messageId"].as_str().expect("a Message-ID");
    assert!(id.starts_with("<pwr_") && id.ends_with("@garimpo.example>"), "{id}");
    let link = format!("{}/redefinir-senha?code=", app.url());
    for part in ["text", "html"] {
        let text = mail[part].as_str().expect("both parts");
        assert!(text.contains(&link) && text.contains("Olá"), "{text}");
    }
}

#[tokio::test]
async fn a_mail_waits_while_the_mail_server_is_down_and_then_arrives_once() {
    let closed = MailServer::start();
    let (app, port) = (start_with_mail_server(&closed, "").await, closed.port().to_owned());
    drop(closed);

    let email = sign_up_and_ask_for_link(&app, "ana").await;
    wait_for_job_count(&app, "password_reset", "waiting", "1").await;
    let mail_server = MailServer::start_on(&port);
    app.provider().advances(120).await;

    mail_server.mail_to(&email, LINK).await;
    wait_for_job_count(&app, "password_reset", "waiting", "0").await;
    let links = mail_server.mails().into_iter().filter(|mail| mail["subject"] == LINK);
    assert_eq!(links.count(), 1);
}

#[tokio::test]
async fn a_refused_password_of_the_mail_server_is_counted_as_ours_and_the_mail_waits() {
    let mail_server = MailServer::start();
    let right = mail_server.url("");
    let wrong = right.replace("segredo-do-correio", "errada");
    let mut app = App::start_with(&[
        ("GARIMPO_MAIL", "smtp"),
        ("GARIMPO_SMTP_URL", &wrong),
        ("GARIMPO_MAIL_FROM", "Garimpo <ola@garimpo.example>"),
    ])
    .await;

    let email = sign_up_and_ask_for_link(&app, "ana").await;

    let refused = r#"garimpo_provider_requests_total{call="mail_send",outcome="unwelcome"}"#;
    e2e::eventually("the refusal", || async { app.metric(refused).await }).await;
    wait_for_job_count(&app, "password_reset", "waiting", "1").await;
    app.restarts_with(&[("GARIMPO_SMTP_URL", &right)]).await;
    app.provider().advances(120).await;
    mail_server.mail_to(&email, LINK).await;
}

#[tokio::test]
async fn a_temporary_mail_refusal_is_retried_and_a_permanent_one_of_a_confirmation_is_parked() {
    let mail_server = MailServer::start();
    let app = start_with_mail_server(&mail_server, "").await;

    let later = sign_up_and_ask_for_link(&app, "adiada").await;
    let never = sign_up_and_ask_for_link(&app, "recusada").await;
    let not_carried = sign_up_and_ask_for_link(&app, "alheia").await;
    let nobody = sign_up_and_ask_for_link(&app, "inexistente").await;
    let no_address = sign_up_and_ask_for_link(&app, "torta").await;
    app.provider().advances(120).await;

    mail_server.mail_to(&later, LINK).await;
    wait_for_job_count(&app, "email_confirmation", "parked", "2").await;
    // These addresses may be strangers', who must not cause the alarm of a parked job.
    wait_for_job_count(&app, "password_reset", "waiting", "2").await;
    wait_for_job_count(&app, "password_reset", "parked", "0").await;
    let parked = app.admin(&["jobs", "list"]).await;
    assert!(parked.stdout.contains("554") && parked.stdout.contains("550"), "{}", parked.stdout);
    for address in [&never, &not_carried, &nobody, &no_address] {
        assert!(!parked.stdout.contains(address), "no address in what failed: {}", parked.stdout);
    }
    // The mailbox of this address does not exist, so its mails end without an alarm.
    e2e::eventually("the end of the mails that no server accepts", || async {
        let count = app.metric("garimpo_mails_undeliverable_total").await?;
        count.parse::<u32>().is_ok_and(|count| count >= 4).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_mailbox_that_always_defers_ends_its_mails_without_an_alarm() {
    let mail_server = MailServer::start();
    let app = start_with_mail_server(&mail_server, "").await;

    sign_up_and_ask_for_link(&app, "longe").await;

    // One try an hour at most, so the clock moves hour by hour: a jump of days would be one try.
    e2e::eventually("the last try of both mails ends them", || async {
        app.provider().advances_kept(3_600).await;
        let count = app.metric("garimpo_mails_undeliverable_total").await?;
        count.parse::<u32>().is_ok_and(|count| count >= 2).then_some(())
    })
    .await;
    for kind in ["password_reset", "email_confirmation"] {
        wait_for_job_count(&app, kind, "waiting", "0").await;
        wait_for_job_count(&app, kind, "parked", "0").await;
    }
}

#[tokio::test]
async fn with_tls_required_nothing_is_sent_without_a_valid_certificate() {
    let mail_server = MailServer::start();
    let app = start_with_mail_server(&mail_server, "?tls=required").await;

    sign_up_and_ask_for_link(&app, "ana").await;

    wait_for_job_count(&app, "password_reset", "waiting", "1").await;
    assert_eq!(mail_server.mails(), Vec::<serde_json::Value>::new());
}

#[tokio::test]
async fn config_prints_json_without_secrets() {
    let data = tempfile::TempDir::with_prefix("garimpo-e2e-").expect("a folder");
    let settings = [
        ("GARIMPO_MAIL", "smtp"),
        ("GARIMPO_SMTP_URL", "smtps://garimpo:segredo@correio.example"),
        ("GARIMPO_MAIL_FROM", "ola@garimpo.example"),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into();

    let ran = e2e::process::run(&["config", "--json"], data.path(), &settings).await;

    let shown: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one object");
    assert_eq!((&shown["GARIMPO_MAIL"], ran.code), (&serde_json::json!("smtp"), 0));
    assert!(!ran.stdout.contains("segredo"), "{}", ran.stdout);
}

#[tokio::test]
async fn a_mail_server_outside_loopback_without_tls_is_refused() {
    let data = tempfile::TempDir::with_prefix("garimpo-e2e-").expect("a folder");
    let settings = [
        ("GARIMPO_MAIL", "smtp"),
        ("GARIMPO_SMTP_URL", "smtp://garimpo:segredo@correio.example"),
        ("GARIMPO_MAIL_FROM", "ola@garimpo.example"),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into();

    let ran = e2e::process::run(&["config"], data.path(), &settings).await;

    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains("GARIMPO_SMTP_URL") && !ran.stderr.contains("segredo"), "{}", ran.stderr);
}
