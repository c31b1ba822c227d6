//! Conversions: the exact bodies sent to the platform, a crash between sending and storing, and the
//! operator's commands.

use e2e::{App, Person, Rest, Visitor};
use serde_json::{Value, json};

const CARD: &str = "4242424242424242";
const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0";
/// The wire to the platform.
const WIRE: &str = "/graph/v26.0";

/// Posts an event as a page of ours does, with its visitor's cookie.
async fn tells(app: &App, who: &Visitor, event: Value) {
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

/// Waits for so many counted conversions and answers them by name.
async fn counted(app: &App, many: usize) -> Vec<Value> {
    let mut all = e2e::eventually(&format!("{many} conversions"), || async {
        let all = app.provider().conversions().await;
        assert!(all.len() <= many, "{all:#?}");
        (all.len() == many).then_some(all)
    })
    .await;
    all.sort_by_key(|one| one["event"]["event_name"].to_string());
    all
}

/// The bodies with what differs from run to run named.
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
async fn cada_evento_chega_a_plataforma_com_este_corpo_e_uma_vez() {
    let app = App::start().await;
    let person = Person { email: "ana@exemplo.com.br".into(), ..Person::new() };
    let ana = app.visitor().signs_up(&person).await;
    let answer = "consent_given = TRUE, consent_at_us = created_at_us, consent_text_version = '2026-11.3'";
    app.executes(&format!("UPDATE accounts SET {answer}")).await;
    // What the page says of person and purchase is not believed: the server knows both.
    for id in [format!("cadastro:{}", ana.uid), "cadastro:inventado".into()] {
        tells(&app, &ana, event(&app, "cadastro", &id).await).await;
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
        tells(&app, &ana, event(&app, name, &format!("{name}:{session}")).await).await;
    }
    assert_eq!(counted(&app, 2).await.len(), 2, "payments tell themselves, and nothing has come to its end");
    app.provider().pays_by_card(&session, CARD).await;
    ana.becomes_active().await;
    for _ in 0..2 {
        let finished = event(&app, "checkout_finalizado", &format!("checkout_finalizado:{session}")).await;
        tells(&app, &ana, finished).await;
    }

    let all = counted(&app, 5).await;

    for one in &all {
        let came_by = (&one["version"], &one["pixel"], &one["repeats"]);
        assert_eq!(came_by, (&json!("v26.0"), &json!("1234567890123456"), &json!(0)), "{one}");
    }
    let expected = include_str!("conversoes/eventos.json");
    assert_eq!(bodies(&app, &ana, &session, &all).await, expected, "a reviewed body has changed");
    let log = app.log_text();
    for secret in
        ["ana@exemplo", "987654321", "meta_test_garimpo", &all[0]["event"]["user_data"]["em"].to_string()]
    {
        assert!(!log.contains(secret), "{secret}");
    }
    let sent = r#"garimpo_conversions_total{event="PVNewSubs",outcome="sent"}"#;
    assert_eq!(app.metric(sent).await.as_deref(), Some("1"));
}

#[tokio::test]
async fn morte_entre_o_envio_e_a_marca_nao_perde_nem_conta_em_dobro() {
    const MANY: usize = 12;
    let mut app = App::start().await;
    let service = app.service("tracking.write").await;
    app.provider().has_fault(json!({ "path": WIRE, "drop": true })).await;
    for n in 0..MANY {
        let told = event(&app, "cadastro", &format!("cadastro:{n:02}")).await;
        service.calls("POST", "/meta-capi", Some(told)).await.gives(202, json!({ "ok": true }));
    }
    // A start has a few jobs of its own. The tenth job is a conversion: sent, but not marked as
    // sent.
    app.is_doomed("job.delivered:10").await;
    app.provider().recovers().await;
    app.has_died().await;

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
async fn operador_ve_o_que_nao_sai_e_manda_de_novo_o_que_ainda_vale() {
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
    // What we take the platform takes; this one holds a field that it does not know.
    let unknown = r#"payload = REPLACE(payload, '"em":', '"apelido":')"#;
    app.executes(&format!("UPDATE jobs SET {unknown} WHERE payload LIKE '%\"ruim\"%'")).await;

    // A token that is refused parks nothing young: the doctor tells of what waits.
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
    let all = counted(&app, 1).await;
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
