//! `garimpo admin audit`.

use e2e::{App, Person};
use garimpo_proto::auth::v1::SignInRequest;
use garimpo_proto::users::v1::DeleteMyAccountRequest;
use serde_json::Value;

async fn trail(app: &App, arguments: &[&str]) -> Vec<Value> {
    let ran = app.admin(&[&["audit", "--json"], arguments].concat()).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    serde_json::from_str(&ran.stdout).expect("a list")
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["kind"].as_str().expect("a kind")).collect()
}

#[tokio::test]
async fn the_operator_reads_the_security_events_of_an_account() {
    let app = App::start().await;
    let person = Person::new();
    let stranger = Person::new();
    let wrong = |email: &str| SignInRequest { email: email.into(), password: "errada!".into() };
    app.auth().await.sign_in(wrong(&person.email)).await.unwrap_err();
    let ana = app.visitor().signs_up(&person).await;
    app.auth().await.sign_in(wrong(&person.email)).await.unwrap_err();
    app.auth().await.sign_in(wrong(&stranger.email)).await.unwrap_err();
    app.visitor().signs_in(&person).await;

    let of_uid = trail(&app, &["--uid", &ana.uid]).await;
    assert_eq!(kinds(&of_uid), ["sign_in", "sign_in_failed", "sign_up"]);
    let newest = &of_uid[0];
    assert_eq!((&newest["device"], &newest["client_address"]), (&"tonic".into(), &"127.0.0.1".into()));
    assert!(newest["request_id"].as_str().is_some_and(|id| !id.is_empty()), "{newest}");
    let of_email = trail(&app, &["--email", &person.email.to_uppercase()]).await;
    assert_eq!(kinds(&of_email), ["sign_in", "sign_in_failed", "sign_up", "sign_in_failed"]);
    assert_eq!(trail(&app, &["--kind", "sign_in_failed", "--since", "7d"]).await.len(), 3);
    assert_eq!(trail(&app, &["--email", &stranger.email]).await.len(), 1);

    let gone = DeleteMyAccountRequest { password: person.password.clone() };
    app.users().await.delete_my_account(ana.authorized(gone)).await.expect("it ends");
    assert_eq!(trail(&app, &["--uid", &ana.uid, "--limit", "1"]).await[0]["kind"], "account_deleted");
    let shown = app.admin(&["audit"]).await;
    assert!(shown.stdout.starts_with("AT ") && shown.stdout.contains(&ana.uid), "{}", shown.stdout);
    assert!(!shown.stdout.contains('@'), "{}", shown.stdout);
    for (arguments, allowed) in [(["--kind", "x"], "account_deleted"), (["--since", "7w"], "30m, 12h, 7d")] {
        let ran = app.admin(&[&["audit"][..], &arguments].concat()).await;
        assert!(ran.code == 2 && ran.stderr.contains(allowed), "{ran:?}");
    }
}
