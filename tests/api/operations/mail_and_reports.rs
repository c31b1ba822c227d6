//! Mails that the operator sends immediately, and the operator's lists and reports.

use e2e::{App, MailServer, Person};
use serde_json::{Value, json};

#[tokio::test]
async fn a_mail_that_waits_for_its_next_try_is_sent_when_the_operator_replays_it() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    app.provider().add_fault(json!({ "path": "/mail", "method": "POST", "status": 503 })).await;
    let body = Some(json!({ "email": ana.email }));
    app.visitor().calls("POST", "/api/password-reset", body).await;
    // The pause before the next try is then longer than this test waits.
    e2e::eventually("a long pause", || async {
        app.provider().advances(600).await;
        let listed = app.admin(&["jobs", "list", "--kind", "password_reset", "--json"]).await;
        let listed: Value = serde_json::from_str(&listed.stdout).ok()?;
        (listed[0]["state"] == "waiting" && listed[0]["attempts"].as_i64()? >= 10).then_some(())
    })
    .await;
    app.provider().recovers().await;
    let mails = app.provider().mails_to(&ana.email).await.len();

    let replayed = app.admin(&["jobs", "replay", "password_reset", "--all"]).await;

    assert_eq!(
        (replayed.code, replayed.stdout.as_str()),
        (0, "1 password_reset run again\n"),
        "{replayed:?}"
    );
    e2e::eventually("the mail", || async {
        (app.provider().mails_to(&ana.email).await.len() == mails + 1).then_some(())
    })
    .await;
    let again = app.admin(&["jobs", "replay", "password_reset", "--all"]).await;
    assert_eq!(again.stdout, "0 password_reset run again\n", "a mail that was sent stays sent");
}

#[tokio::test]
async fn a_test_mail_prints_the_reply_of_the_mail_server() {
    let mail_server = MailServer::start();
    let port = mail_server.port().to_owned();
    let smtp = [
        ("GARIMPO_MAIL", "smtp"),
        ("GARIMPO_SMTP_URL", &mail_server.url("")),
        ("GARIMPO_MAIL_FROM", "Garimpo <ola@garimpo.example>"),
    ];
    let app = App::start_with(&smtp).await;

    let sent = app.admin(&["mail", "test", "dona@garimpo.example"]).await;
    assert_eq!(sent.code, 0, "{sent:?}");
    assert!(sent.stdout.starts_with("accepted: 250"), "{sent:?}");
    mail_server.mail_to("dona@garimpo.example", "Garimpo: test of the mail server").await;

    let refused = app.admin(&["mail", "test", "alheia@garimpo.example"]).await;
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stdout.contains("550") && refused.stdout.contains("Relaying denied"), "{refused:?}");

    let wrong = app.admin(&["mail", "test", "dona"]).await;
    assert_eq!(wrong.code, 2, "{wrong:?}");
    drop(mail_server);
    let unreached = app.admin(&["mail", "test", "dona@garimpo.example"]).await;
    assert_eq!(unreached.code, 2, "{port}: {unreached:?}");
    assert!(unreached.stderr.contains("the mail server was not reached"), "{unreached:?}");
}

#[tokio::test]
async fn people_read_the_time_of_sao_paulo_and_programs_that_of_utc() {
    let app = App::start_with(&[("GARIMPO_SANDBOX_CLOCK", "2026-12-29T01:00:00Z")]).await;
    let ana = app.visitor().signs_up(&Person::new()).await;

    let text = app.admin(&["subscriber", &ana.email]).await.stdout;
    let since = text.lines().find(|line| line.starts_with("since")).expect("when she signed up");
    assert!(since.contains("2026-12-28T22:") && since.ends_with("-03:00"), "{since}");
    let json: Value =
        serde_json::from_str(&app.admin(&["subscriber", &ana.email, "--json"]).await.stdout).unwrap();
    let micros = json["account"]["created_at_us"].as_i64().expect("microseconds in UTC");
    assert_eq!(micros / 3_600_000_000, 1_798_506_000 / 3600, "{micros}");
}

#[tokio::test]
async fn the_trail_of_an_address_lists_that_address_alone() {
    let app = App::start().await;
    app.visitor().signs_up(&Person::new()).await;
    let listed = |address: String| {
        let app = &app;
        async move {
            let ran = app.admin(&["audit", "--json", "--address", &address]).await;
            serde_json::from_str::<Value>(&ran.stdout).unwrap().as_array().unwrap().len()
        }
    };
    let all: Value = serde_json::from_str(&app.admin(&["audit", "--json"]).await.stdout).unwrap();
    let address = all[0]["client_address"].as_str().expect("an address").to_owned();

    assert_eq!(listed(address).await, all.as_array().unwrap().len());
    assert_eq!(listed("203.0.113.7".to_owned()).await, 0);
}

#[tokio::test]
async fn the_funnel_leaves_out_days_without_a_step() {
    let app = App::start().await;
    app.visitor().signs_up(&Person::new()).await;

    let table = app.admin(&["funnel", "--days", "30"]).await.stdout;
    let rows: Vec<&str> = table.lines().take_while(|line| !line.is_empty()).collect();
    assert_eq!(rows.len(), 3, "the heading, today and the sum: {table}");
    let csv = app.admin(&["funnel", "--days", "30", "--csv"]).await.stdout;
    assert_eq!(csv.lines().count(), 31, "a program gets every day");
}
