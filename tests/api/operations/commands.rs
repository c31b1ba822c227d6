//! The operator's commands beside a running product.

use e2e::process::Ran;
use e2e::{App, Person};
use garimpo_proto::users::v1::GetUserRequest;
use garimpo_proto::users::v1::user_service_client::UserServiceClient;
use serde_json::{Value, json};

const CARD: &str = "4242424242424242";

#[tokio::test]
async fn a_mail_that_the_queue_gave_up_is_reported_and_sent_by_a_replay() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "semestral").await;
    app.provider().add_fault(json!({ "path": "/mail", "method": "POST", "status": 503 })).await;
    app.provider().pays_by_card(&session, CARD).await;
    ana.becomes_active().await;

    // The mail is retried with growing pauses. After the last try, metric and command show it.
    let waiting = e2e::eventually("a failed run", || async {
        let jobs = listed(&app.admin(&["jobs", "list", "--kind", "mail", "--json"]).await);
        jobs.into_iter().find(|job| job["last_error"].is_string())
    })
    .await;
    assert_eq!((&waiting["state"], &waiting["kind"]), (&json!("waiting"), &json!("mail")));
    let key = waiting["key"].as_str().unwrap();
    e2e::eventually("the queue to give up", || async {
        app.provider().advances_days(1).await;
        (app.admin(&["jobs", "show", "mail", key]).await.code == 1).then_some(())
    })
    .await;
    let parked = r#"garimpo_jobs{kind="mail",state="parked"}"#;
    app.wait_for_metric(parked, "1").await;

    let list = app.admin(&["jobs", "list"]).await;
    assert_eq!(list.code, 1, "{list:?}");
    for (age, is_listed) in [("1h", true), ("30d", false)] {
        let aged = app.admin(&["jobs", "list", "--kind", "mail", "--older-than", age]).await;
        assert_eq!(aged.stdout.contains(key), is_listed, "{age}: {aged:?}");
    }
    let doctor = app.admin(&["doctor"]).await;
    let mend = format!("garimpo admin jobs show mail {key}");
    assert_eq!((doctor.code, doctor.stdout.contains(&mend)), (1, true), "{doctor:?}");
    let subscriber = app.admin(&["subscriber", &ana.email]).await;
    let next = format!("  garimpo admin jobs show mail '{key}'\n");
    assert_eq!((subscriber.code, subscriber.stdout.contains(&next)), (1, true), "{subscriber:?}");
    let row = list.stdout.lines().find(|line| line.contains(key)).expect("the mail is listed");
    assert!(row.contains("parked") && row.contains("it answered 503"), "{row}");
    let shown = app.admin(&["jobs", "show", "mail", key]).await;
    assert_eq!(shown.code, 1, "{shown:?}");
    assert!(shown.stdout.contains("runs          20") && shown.stdout.contains(&ana.uid), "{}", shown.stdout);
    assert!(app.provider().mails_to(&ana.email).await.is_empty());

    app.provider().recovers().await;
    let replayed = app.admin(&["jobs", "replay", "mail", "--all"]).await;

    assert_eq!((replayed.code, replayed.stdout.as_str()), (0, "1 mail run again\n"), "{replayed:?}");
    e2e::eventually("the mail", || async {
        let mails = app.provider().mails_to(&ana.email).await;
        (mails.len() == 1).then_some(())
    })
    .await;
    app.wait_for_metric(parked, "0").await;
    let list = app.admin(&["jobs", "list", "--kind", "mail"]).await;
    assert_eq!((list.code, list.stdout.lines().count()), (0, 1), "{list:?}");
    let done = listed(&app.admin(&["jobs", "list", "--kind", "mail", "--state", "done", "--json"]).await);
    assert_eq!(done.len(), 1, "{done:?}");
    assert_eq!(app.provider().mails_to(&ana.email).await.len(), 1);
}

#[tokio::test]
async fn a_command_about_an_unknown_object_exits_with_2_and_one_line() {
    let app = App::start().await;
    for arguments in [
        &["jobs", "replay", "mail", "nenhum"][..],
        &["jobs", "show", "mail", "nenhum"],
        &["refunds", "paid", "ref_nenhum", "--note", "TED"],
        &["refunds", "unpaid", "ref_nenhum"],
        &["subscriber", "nenhum"],
        &["subscriber", "nenhum@example.com"],
        &["events", "show", "evt_nenhum"],
        &["events", "replay", "evt_nenhum"],
        &["token", "revoke", "svc_nenhum"],
        &["token", "rotate", "svc_nenhum"],
        &["reconcile", "--dry-run", "--uid", "usr_nenhum"],
    ] {
        let ran = app.admin(arguments).await;
        assert_eq!((ran.code, ran.stderr.lines().count()), (2, 1), "{arguments:?} {ran:?}");
        assert!(ran.stderr.contains("nenhum"), "{ran:?}");
    }
}

#[tokio::test]
async fn reconcile_shows_differences_in_a_dry_run_and_then_repairs_them() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "semestral").await;
    let clean = app.admin(&["reconcile", "--dry-run"]).await;
    assert_eq!(clean.code, 0, "{clean:?}");

    // Every event is lost, and the return page is not opened.
    app.provider().add_fault(json!({ "webhooks": "drop" })).await;
    app.provider().pays_by_card(&session, CARD).await;
    let look = app.admin(&["reconcile", "--dry-run", "--json"]).await;
    assert_eq!(look.code, 1, "{look:?}");
    let report: Value = serde_json::from_str(&look.stdout).unwrap();
    let differences = report["differences"].as_array().unwrap();
    assert!(differences.iter().all(|found| found["uid"] == ana.uid), "{report}");
    assert!(
        differences.iter().any(|found| found["ours"] == "open" && found["provider"] == "complete"),
        "{report}"
    );
    assert_eq!(ana.record().await["subscription_active"], Value::Null, "a dry run changes nothing");

    let mended = app.admin(&["reconcile"]).await;

    assert_eq!(mended.code, 0, "{mended:?}");
    assert!(mended.stdout.ends_with("; all repaired\n"), "{}", mended.stdout);
    assert_eq!(ana.record().await["subscription_active"], true);
    assert_eq!(app.admin(&["reconcile", "--dry-run"]).await.code, 0);
    e2e::eventually("the mail of the payment", || async {
        (app.provider().mails_to(&ana.email).await.len() == 1).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_service_token_is_created_listed_rotated_and_revoked_while_serving() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let twice = ["token", "create", "painel", "--scope", "users.read", "--scope", "users.read"];
    let created = app.admin(&twice).await;
    let (old_id, old) = made(&created);
    // All times of a token are on the product's clock.
    app.provider().advances_kept(3_600).await;

    let rotated = app.admin(&["token", "rotate", &old_id]).await;
    let (new_id, new) = made(&rotated);
    for token in [&old, &new] {
        reads(&app, &ana.uid, token).await.expect("both are valid at once");
    }
    let tokens = listed(&app.admin(&["token", "list", "--json"]).await);
    assert_eq!(tokens.len(), 2, "{tokens:?}");
    assert!(
        tokens.iter().all(|token| token["name"] == "painel" && token["scopes"] == "users.read"),
        "{tokens:?}"
    );
    let newer = tokens.iter().find(|token| token["id"] == *new_id).expect("listed");
    let time = |name: &str| newer[name].as_i64().unwrap_or_else(|| panic!("{newer}"));
    assert!((0..60_000_000).contains(&(time("used_at_us") - time("created_at_us"))), "{newer}");
    assert!(tokens.iter().all(|token| token["used_at_us"].is_i64()), "{tokens:?}");
    assert!(!tokens.iter().any(|token| token.to_string().contains("gv_")), "{tokens:?}");

    assert_eq!(app.admin(&["token", "revoke", &old_id]).await.code, 0);

    e2e::eventually("the revocation", || async { reads(&app, &ana.uid, &old).await.err() }).await;
    reads(&app, &ana.uid, &new).await.expect("the new one stays");
    let list = app.admin(&["token", "list"]).await;
    assert!(list.stdout.starts_with("ID ") && list.stdout.contains(&new_id), "{}", list.stdout);
}

/// Id and text of a new token; the text is the last line of the output.
fn made(ran: &Ran) -> (String, String) {
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines: Vec<_> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{ran:?}");
    assert!(lines[1].starts_with("gv_") && !lines[1].contains(' '), "{ran:?}");
    (lines[0].split(' ').next().expect("an id").to_string(), lines[1].to_string())
}

async fn reads(app: &App, uid: &str, token: &str) -> Result<(), tonic::Status> {
    let mut users = UserServiceClient::new(e2e::app::channel(app.internal_url()).await);
    let mut request = tonic::Request::new(GetUserRequest { uid: uid.into() });
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().expect("ASCII"));
    users.get_user(request).await.map(drop)
}

fn listed(ran: &Ran) -> Vec<Value> {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[tokio::test]
async fn the_operator_ends_the_sessions_of_an_account_while_serving() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let rui = app.visitor().signs_up(&Person::new()).await;

    let ended = app.admin(&["sessions", "end", &ana.uid]).await;
    assert_eq!((ended.code, ended.stdout.trim()), (0, format!("1 sessions of {} ended", ana.uid).as_str()));

    e2e::eventually("the end of the session", || async {
        let seen = ana.calls_with_cookie("GET", "/api/auth/check-cookie", None).await;
        (seen.body["authenticated"] == false).then_some(())
    })
    .await;
    let kept = rui.calls_with_cookie("GET", "/api/auth/check-cookie", None).await;
    assert_eq!(kept.body["authenticated"], true);
    let trail =
        listed(&app.admin(&["audit", "--uid", &ana.uid, "--kind", "session_revoked", "--json"]).await);
    assert_eq!(trail[0]["device"], "operador", "{trail:?}");
    assert_eq!(app.admin(&["sessions", "end", "usr_de_ninguem"]).await.code, 2);
}

#[tokio::test]
async fn an_unreadable_job_is_reported_by_metric_and_doctor_and_other_jobs_run() {
    let app = App::start().await;
    let broken = "INSERT INTO jobs (kind, key, payload, state, due_at_us, attempts, generation)
      VALUES ('mail', 'estragado', '{', 'waiting', 0, 0, 1)";
    app.executes(broken).await;

    app.visitor().signs_up(&Person::new()).await;

    let series = r#"garimpo_jobs_unreadable_total{column="payload"}"#;
    app.wait_for_metric(series, "1").await;
    let doctor = app.admin(&["doctor"]).await;
    assert_eq!(doctor.code, 1, "{doctor:?}");
    assert!(doctor.stdout.contains("mail estragado"), "{doctor:?}");
    assert!(doctor.stdout.contains("the payload is not readable"), "{doctor:?}");
    let sent = r#"garimpo_provider_requests_total{call="mail_send",outcome="ok"}"#;
    e2e::eventually("the mail of the sign-up", || async { app.metric(sent).await }).await;
}
