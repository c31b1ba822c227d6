//! Mails over SMTP, taken by a real mail server.

use e2e::{App, Person, PostOffice};
use serde_json::json;

const LINK: &str = "Link para redefinir sua senha";

async fn writing_to(office: &PostOffice, query: &str) -> App {
    App::start_with(&[
        ("GARIMPO_MAIL", "smtp"),
        ("GARIMPO_SMTP_URL", &office.url(query)),
        ("GARIMPO_MAIL_FROM", "Garimpo <ola@garimpo.example>"),
    ])
    .await
}

async fn asks_for_link(app: &App, email: &str) {
    let body = Some(json!({ "email": email }));
    let answer = app.visitor().calls("POST", "/api/password-reset", body).await;
    assert_eq!((answer.status, answer.body), (200, json!({ "ok": true })));
}

/// Signs up with an address that begins so, and asks for a recovery link; the address.
async fn asks_as(app: &App, begins: &str) -> String {
    let mut person = Person::new();
    person.email = format!("{begins}.{}", person.email);
    app.visitor().signs_up(&person).await;
    asks_for_link(app, &person.email).await;
    person.email
}

/// How many mails of a kind are in a state, as /metrics tells.
async fn jobs(app: &App, kind: &str, state: &str, count: &str) {
    let series = format!("garimpo_jobs{{kind=\"{kind}\",state=\"{state}\"}}");
    e2e::eventually(&format!("{count} of {series}"), || async {
        app.metric(&series).await.filter(|found| found == count)
    })
    .await;
}

#[tokio::test]
async fn o_servidor_de_correio_recebe_texto_e_html_com_remetente_e_identidade() {
    let office = PostOffice::opens();
    let app = writing_to(&office, "").await;

    let email = asks_as(&app, "ana").await;

    let mail = office.mail_to(&email, LINK).await;
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
async fn com_o_correio_fora_do_ar_o_email_espera_e_depois_chega_uma_vez() {
    let closed = PostOffice::opens();
    let (app, port) = (writing_to(&closed, "").await, closed.port().to_owned());
    drop(closed);

    let email = asks_as(&app, "ana").await;
    jobs(&app, "password_reset", "waiting", "1").await;
    let office = PostOffice::opens_at(&port);
    app.provider().advances(120).await;

    office.mail_to(&email, LINK).await;
    jobs(&app, "password_reset", "waiting", "0").await;
    let links = office.mails().into_iter().filter(|mail| mail["subject"] == LINK);
    assert_eq!(links.count(), 1);
}

#[tokio::test]
async fn recusa_passageira_e_tentada_de_novo_e_recusa_final_fica_a_vista_do_operador() {
    let office = PostOffice::opens();
    let app = writing_to(&office, "").await;

    let later = asks_as(&app, "adiada").await;
    let never = asks_as(&app, "recusada").await;
    let not_carried = asks_as(&app, "alheia").await;
    let nobody = asks_as(&app, "inexistente").await;
    let no_address = asks_as(&app, "torta").await;
    app.provider().advances(120).await;

    office.mail_to(&later, LINK).await;
    jobs(&app, "password_reset", "parked", "2").await;
    let parked = app.admin(&["jobs", "list"]).await;
    assert!(parked.stdout.contains("554") && parked.stdout.contains("550"), "{}", parked.stdout);
    for address in [&never, &not_carried, &nobody, &no_address] {
        assert!(!parked.stdout.contains(address), "no address in what failed: {}", parked.stdout);
    }
    // No mailbox has this address, so its mails end without an alarm.
    e2e::eventually("the mails that nobody takes end", || async {
        let count = app.metric("garimpo_mails_undeliverable_total").await?;
        count.parse::<u32>().is_ok_and(|count| count >= 4).then_some(())
    })
    .await;
}

#[tokio::test]
async fn quem_nunca_aceita_correio_por_agora_nao_deixa_alarme() {
    let office = PostOffice::opens();
    let app = writing_to(&office, "").await;

    asks_as(&app, "longe").await;

    // Each try is an hour after the one before at the latest; a jump of days would be one try.
    e2e::eventually("the last try of both mails ends them", || async {
        app.provider().advances_kept(3_600).await;
        let count = app.metric("garimpo_mails_undeliverable_total").await?;
        count.parse::<u32>().is_ok_and(|count| count >= 2).then_some(())
    })
    .await;
    for kind in ["password_reset", "email_confirmation"] {
        jobs(&app, kind, "waiting", "0").await;
        jobs(&app, kind, "parked", "0").await;
    }
}

#[tokio::test]
async fn sem_certificado_valido_nada_sai_quando_tls_e_exigido() {
    let office = PostOffice::opens();
    let app = writing_to(&office, "?tls=required").await;

    asks_as(&app, "ana").await;

    jobs(&app, "password_reset", "waiting", "1").await;
    assert_eq!(office.mails(), Vec::<serde_json::Value>::new());
}

#[tokio::test]
async fn config_mostra_em_json_sem_segredos() {
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
async fn correio_fora_do_loopback_sem_tls_nao_comeca() {
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
