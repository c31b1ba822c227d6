//! Conversions: the exact bodies sent to the platform, a crash between sending and storing, and the
//! operator's commands.

use e2e::{App, Person, Rest, Visitor};
use serde_json::{Value, json};

const CARD: &str = "4242424242424242";
const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0";
/// Path of the platform's API.
const PLATFORM_PATH: &str = "/graph/v26.0";

/// Posts an event as a page of the site does, with the visitor's cookie.
async fn post_event(app: &App, who: &Visitor, event: Value) {
    let posted = app
        .visitor()
        .request("POST", "/meta-capi")
        .header("origin", app.url())
        .header("sec-fetch-site", "same-origin")
        .header("user-agent", BROWSER)
        .cookie_of(who)
        .json(&event);
    posted.answered().await.gives(202, json!({ "ok": true }));
}

async fn event(app: &App, name: &str, id: &str) -> Value {
    let now = app.provider().now().await;
    json!({
        "event_name": name, "event_time": now, "event_id": id, "consent": true,
        "event_source_url": format!("{}/pagina?segredo=1", app.url()),
        "user_data": {
            "em": "outra@exemplo.com.br", "fn": "Outra", "ph": "11912345678", "external_id": "usr_outra",
            "fbp": "fb.1.1790000000000.1234567890", "fbc": format!("fb.1.{now}000.IwAR0abc"),
        },
        "custom_data": { "value": "999999.99", "currency": "USD", "subscription_plan": "x", "interval": "x" },
    })
}

/// Waits until the platform has `many` conversions, and returns them sorted by name.
async fn wait_for_conversions(app: &App, many: usize) -> Vec<Value> {
    let mut all = e2e::eventually(&format!("{many} conversions"), || async {
        let all = app.provider().conversions().await;
        assert!(all.len() <= many, "{all:#?}");
        (all.len() == many).then_some(all)
    })
    .await;
    all.sort_by_key(|one| one["event"]["event_name"].to_string());
    all
}

/// The request bodies as JSON. Placeholders replace values that differ between runs.
async fn bodies(app: &App, who: &Visitor, session: &str, all: &[Value]) -> String {
    let now = app.provider().now().await;
    let mut events: Vec<Value> = all.iter().map(|one| one["event"].clone()).collect();
    for event in &mut events {
        let ago = now - event["event_time"].as_i64().expect("seconds");
        assert!((0..120).contains(&ago), "{event}");
        event["event_time"] = json!("{now}");
        let id = hex::encode(<sha2::Sha256 as sha2::Digest>::digest(&who.uid));
        assert_eq!(event["user_data"]["external_id"], id);
        event["user_data"]["external_id"] = json!("{sha256 of uid}");
        if let Some(fbc) = event["user_data"].get_mut("fbc") {
            assert!(fbc.as_str().is_some_and(|fbc| fbc.ends_with("000.IwAR0abc")), "{fbc}");
            *fbc = json!("fb.1.{click}.IwAR0abc");
        }
    }
    let text = serde_json::to_string_pretty(&events).expect("JSON");
    text.replace(&who.uid, "{uid}").replace(session, "{session}").replace(app.url(), "{site}") + "\n"
}

#[tokio::test]
async fn each_event_reaches_the_platform_once_with_the_reviewed_body() {
    let app = App::start().await;
    let person = Person { email: "ana@exemplo.com.br".into(), ..Person::new() };
    let ana = app.visitor().signs_up(&person).await;
    let answer = "consent_given = TRUE, consent_at_us = created_at_us, consent_text_version = '2026-11.3'";
    app.executes(&format!("UPDATE accounts SET {answer}")).await;
    // The page's data about person and purchase is replaced by the server's own.
    for id in [format!("cadastro:{}", ana.uid), "cadastro:inventado".into()] {
        post_event(&app, &ana, event(&app, "cadastro", &id).await).await;
    }
    let session = ana.opens_checkout("Elite Nível 2", "semestral").await;
    let everything = [
        "checkout_iniciado",
        "checkout_finalizado",
        "pagamento_confirmado",
        "PVNewSubs",
        "checkout_iniciado",
    ];
    for name in everything {
        post_event(&app, &ana, event(&app, name, &format!("{name}:{session}")).await).await;
    }
    assert_eq!(
        wait_for_conversions(&app, 2).await.len(),
        2,
        "payments are not posted by pages, and no conversion has ended"
    );
    app.provider().pays_by_card(&session, CARD).await;
    ana.becomes_active().await;
    for _ in 0..2 {
        let finished = event(&app, "checkout_finalizado", &format!("checkout_finalizado:{session}")).await;
        post_event(&app, &ana, finished).await;
    }

    let all = wait_for_conversions(&app, 5).await;

    for one in &all {
        let came_by = (&one["version"], &one["pixel"], &one["repeats"]);
        assert_eq!(came_by, (&json!("v26.0"), &json!("1234567890123456"), &json!(0)), "{one}");
    }
    let expected = include_str!("conversions/events.json");
    assert_eq!(bodies(&app, &ana, &session, &all).await, expected, "a reviewed body has changed");
    let log = app.log_text();
    for secret in
        ["ana@exemplo", "987654321", "meta_test_garimpo", &all[0]["event"]["user_data"]["em"].to_string()]
    {
        assert!(!log.contains(secret), "{secret}");
    }
    let sent = r#"garimpo_conversions_total{event="PVNewSubs",outcome="sent"}"#;
    app.wait_for_metric(sent, "1").await;
}

#[tokio::test]
async fn a_crash_between_sending_and_marking_neither_loses_nor_double_counts_conversions() {
    const MANY: usize = 12;
    let mut app = App::start().await;
    let service = app.service("tracking.write").await;
    app.provider().add_fault(json!({ "path": PLATFORM_PATH, "drop": true })).await;
    for n in 0..MANY {
        let body_of_event = event(&app, "cadastro", &format!("cadastro:{n:02}")).await;
        service.calls("POST", "/meta-capi", Some(body_of_event)).await.gives(202, json!({ "ok": true }));
    }
    // A start runs a few jobs of its own. The tenth job is a conversion: the server dies after
    // sending it and before marking it as sent.
    app.restart_with_crash_point("job.delivered:10").await;
    app.provider().recovers().await;
    app.wait_for_end().await;

    app.restart().await;

    let waiting = r#"garimpo_jobs{kind="conversion",state="waiting"}"#;
    e2e::eventually("all is marked", || async {
        let rest = app.metric(waiting).await.as_deref() == Some("0");
        (rest && app.provider().conversions().await.len() == MANY).then_some(())
    })
    .await;
    let all = app.provider().conversions().await;
    let mut ids: Vec<_> = all.iter().map(|one| one["event"]["event_id"].to_string()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), MANY);
    let again: u64 = all.iter().filter_map(|one| one["repeats"].as_u64()).sum();
    assert!(again >= 1, "what was sent and not marked came again, and is counted once");
}

#[tokio::test]
async fn the_operator_sees_unsent_conversions_and_replays_those_still_accepted() {
    let mut app = App::start().await;
    let sandbox = app.sandbox_url().to_string();
    let platform = |token: &'static str| {
        [
            ("GARIMPO_CONVERSIONS", "meta".to_string()),
            ("GARIMPO_META_URL", format!("{sandbox}/graph")),
            ("GARIMPO_META_PIXEL_ID", "777".to_string()),
            ("GARIMPO_META_ACCESS_TOKEN", token.to_string()),
        ]
    };
    let wrong = platform("token-errado");
    app.restarts_with(&wrong.each_ref().map(|(name, value)| (*name, value.as_str()))).await;
    let service = app.service("tracking.write").await;
    let now = app.provider().now().await;
    let old = json!({
        "event_name": "cadastro", "event_time": now - 7 * 86_400 + 60, "event_id": "velho", "consent": true,
        "user_data": { "em": "ana@exemplo.com.br" },
    });
    let mut young = old.clone();
    (young["event_time"], young["event_id"]) = (json!(now), json!("novo"));
    let mut bad = young.clone();
    bad["event_id"] = json!("ruim");
    for posted in [old, young, bad] {
        service.calls("POST", "/meta-capi", Some(posted)).await.gives(202, json!({ "ok": true }));
    }
    // The platform accepts every event that we accept, so this event gets an unknown field.
    let unknown = r#"payload = REPLACE(payload, '"em":', '"apelido":')"#;
    app.executes(&format!("UPDATE jobs SET {unknown} WHERE payload LIKE '%\"ruim\"%'")).await;

    // A refused token parks no recent conversion, because the doctor reports waiting ones.
    app.provider().advances(3 * 3600).await;
    e2e::eventually("the doctor's finding", || async {
        app.provider().advances(600).await;
        let doctor = app.admin(&["doctor"]).await;
        (doctor.stdout.contains("conversions_leave") && doctor.stdout.contains("GARIMPO_META_ACCESS_TOKEN"))
            .then_some(())
    })
    .await;
    let parked = listed(&app).await;
    assert_eq!(parked.len(), 1, "the old one alone: {parked:#?}");
    assert!(!app.log_text().contains("token-errado"));

    let right = platform("meta_test_garimpo");
    app.restarts_with(&right.each_ref().map(|(name, value)| (*name, value.as_str()))).await;
    app.provider().advances(3600).await;
    let all = wait_for_conversions(&app, 1).await;
    assert_eq!((&all[0]["pixel"], &all[0]["event"]["event_id"]), (&json!("777"), &json!("novo")));
    let parked = e2e::eventually("the bad one", || async {
        Some(listed(&app).await).filter(|parked| parked.len() == 2)
    })
    .await;
    let key = |part: &str| {
        let of = |job: &&Value| job["last_error"].to_string().contains(part);
        parked.iter().find(of).expect(part)["key"].as_str().expect("a key").to_string()
    };
    let (old, bad) = (key("more than 7 days ago"), key("is not a known parameter"));

    let refused = app.admin(&["jobs", "replay", "conversion", &old]).await;
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(
        refused.stderr.contains("more than 7 days ago: the platform no longer accepts it"),
        "{refused:?}"
    );
    let all = app.admin(&["jobs", "replay", "conversion", "--all"]).await;
    assert_eq!(all.code, 1, "{all:?}");
    assert!(all.stdout.starts_with("1 conversion run again\n1 are too old to be sent"), "{all:?}");
    e2e::eventually("the bad one is refused again", || async {
        Some(listed(&app).await).filter(|parked| parked.len() == 2)
    })
    .await;
    assert_eq!(app.admin(&["doctor"]).await.code, 1);
    assert_eq!(app.admin(&["jobs", "discard", "mail", "--all"]).await.code, 2, "mails have to leave");
    let unknown = app.admin(&["jobs", "discard", "mail", "mai_outra"]).await;
    assert!(unknown.stderr.contains("there is no parked mail job mai_outra"), "{unknown:?}");
    assert_eq!(
        app.admin(&["jobs", "discard", "payment_event", "evt_1"]).await.code,
        2,
        "payments have to be done"
    );
    assert_eq!(
        app.admin(&["jobs", "discard", "conversion", &bad]).await.stdout,
        "1 conversion closed, not sent\n"
    );
    assert_eq!(
        app.admin(&["jobs", "discard", "conversion", "--all"]).await.stdout,
        "1 conversion closed, not sent\n"
    );
    let clean = app.admin(&["doctor"]).await;
    assert_eq!(clean.code, 0, "{clean:?}");
}

/// The parked conversions.
async fn listed(app: &App) -> Vec<Value> {
    let list = app.admin(&["jobs", "list", "--kind", "conversion", "--state", "parked", "--json"]).await;
    serde_json::from_str(&list.stdout).unwrap_or_else(|error| panic!("{error}: {list:?}"))
}
