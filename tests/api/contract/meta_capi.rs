//! POST /meta-capi, and TrackEvent with the same refusals.

use super::{FOREIGN_ORIGIN_HEADERS, PERMISSION_DENIED, TOO_MANY_REQUESTS};
use e2e::{App, Person, Rest};
use garimpo_proto::tracking::v1::{TrackEventRequest, UserData};
use serde_json::{Value, json};
use tonic::Code;
use tonic_types::StatusExt;

const PATH: &str = "/meta-capi";
/// Events that one address may post in a minute, by the test's setting.
const PER_MINUTE: usize = 20;

fn event(name: &str, id: &str) -> Value {
    json!({
        "event_name": name, "event_time": machine_now(), "event_id": id,
        "user_data": { "em": "ana@exemplo.com.br", "fn": "Ana", "ph": "(11) 98765-4321", "external_id": "usr_1" },
    })
}

/// The sandbox's clock starts at the machine's time.
#[expect(clippy::disallowed_methods, reason = "the sandbox's clock begins at this one")]
fn machine_now() -> i64 {
    time::OffsetDateTime::now_utc().unix_timestamp()
}

/// Number of conversions that ended without consent. Panics if any ended otherwise.
async fn ended(app: &App) -> Option<u64> {
    let metrics = reqwest::get(format!("{}/metrics", app.metrics_url())).await.ok()?.text().await.ok()?;
    let all = metrics.lines().filter(|line| line.starts_with("garimpo_conversions_total{"));
    let (silent, others): (Vec<_>, Vec<_>) = all.partition(|line| line.contains("outcome=\"no_consent\""));
    assert_eq!(others, [""; 0], "no visitor consented");
    silent.iter().map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

/// Waits until `many` conversions have ended, and asserts that none was sent to the platform.
async fn all_dropped(app: &App, many: u64) {
    e2e::eventually("conversions without consent", || async {
        ended(app).await.filter(|ended| *ended == many)
    })
    .await;
    assert_eq!(app.provider().conversions().await, [json!(null); 0]);
}

#[tokio::test]
async fn a_page_event_is_stored_once_per_id_and_not_sent_without_consent() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Top Afiliado", "semestral").await;
    let from_page = |event: Value| {
        app.visitor()
            .request("POST", PATH)
            .header("origin", app.url())
            .header("sec-fetch-site", "same-origin")
            .cookie_of(&ana)
            .json(&event)
    };
    let mut checkout = event("checkout_iniciado", &format!("checkout_iniciado:{session}"));
    checkout["custom_data"] = json!({
        "value": 391.6, "currency": "BRL", "subscription_plan": "top_afiliado", "interval": "semestral",
    });

    for body in [event("cadastro", "cadastro:usr_1"), event("cadastro", "cadastro:usr_1"), checkout] {
        from_page(body).answered().await.gives(202, json!({ "ok": true }));
    }

    all_dropped(&app, 2).await;
    let log = app.log_text();
    assert!(!log.contains("ana@exemplo.com.br") && !log.contains("98765"), "{log}");
}

#[tokio::test]
async fn a_payment_event_posted_from_outside_is_accepted_and_not_stored() {
    let app = App::start().await;
    let service = app.service("tracking.write").await;
    for name in ["pagamento_confirmado", "PVNewSubs"] {
        let mut forged = event(name, &format!("{name}:cs_1"));
        forged["custom_data"] = json!({ "value": "999999.99", "currency": "BRL" });
        service.calls("POST", PATH, Some(forged)).await.gives(202, json!({ "ok": true }));
    }
    service
        .calls("POST", PATH, Some(event("cadastro", "cadastro:usr_1")))
        .await
        .gives(202, json!({ "ok": true }));

    all_dropped(&app, 1).await;
}

#[tokio::test]
async fn meta_capi_returns_403_without_our_origin_or_the_tracking_write_scope() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let reader = app.service("users.read").await;
    let post = || app.visitor().request("POST", PATH).json(&event("cadastro", "cadastro:usr_1"));

    post().answered().await.refuses(PERMISSION_DENIED);
    post().cookie_of(&ana).answered().await.refuses(PERMISSION_DENIED);
    post()
        .cookie_of(&ana)
        .header("sec-fetch-site", "same-origin")
        .answered()
        .await
        .refuses(PERMISSION_DENIED);
    // Neither a person's token nor an invented one is accepted as a service token.
    post().token_of(&ana).answered().await.refuses(PERMISSION_DENIED);
    post().token_of(&reader).answered().await.refuses(PERMISSION_DENIED);
    post().bearer_auth("gv_inventado").answered().await.refuses(PERMISSION_DENIED);
    post().header("x-garimpo-own-origin", "1").bearer_auth("x").answered().await.refuses(PERMISSION_DENIED);
    for (name, value) in FOREIGN_ORIGIN_HEADERS {
        post().header(name, value).answered().await.refuses(PERMISSION_DENIED);
        post().token_of(&ana).header(name, value).answered().await.refuses(PERMISSION_DENIED);
    }
    assert_eq!(ended(&app).await, Some(0), "nothing was stored");
    let count = async |why: &str| {
        app.metric(&format!(r#"garimpo_denials_total{{reason="{why}",port="public"}}"#)).await
    };
    let (unknown, scope) = (count("unknown_token").await, count("wrong_scope").await);
    assert_eq!(
        (unknown.as_deref(), scope.as_deref()),
        (Some("2"), Some("6")),
        "a caller with a valid token was denied"
    );
}

#[tokio::test]
async fn meta_capi_refuses_unknown_events_and_invalid_fields_by_name() {
    let app = App::start().await;
    let now = app.provider().now().await;
    let service = app.service("tracking.write").await;
    let with = |name: &str, value: Value| {
        let mut body = event("cadastro", "cadastro:usr_1");
        body[name] = value;
        body
    };

    for name in ["compra", "Cadastro", "", "pvnewsubs"] {
        let refused = service.calls("POST", PATH, Some(with("event_name", json!(name)))).await;
        refused.refuses((400, "UNKNOWN_EVENT", "Este evento não existe."));
    }
    for (body, blame) in [
        (
            json!({}),
            "event_name é obrigatório; event_time é obrigatório; event_id é obrigatório; user_data é obrigatório",
        ),
        (with("event_time", json!("ontem")), "event_time deve ser um número inteiro"),
        (with("event_time", json!(1.5)), "event_time deve ser um número inteiro"),
        (with("event_time", json!(1e300)), "event_time deve ser um número inteiro"),
        (with("event_time", json!(0)), "event_time não é válido"),
        (with("event_time", json!(-1)), "event_time não é válido"),
        (with("event_time", json!(253_402_300_800_i64)), "event_time não é válido"),
        (with("event_time", json!(now - 7 * 86_400 - 60)), "event_time não é válido"),
        (with("event_time", json!(now + 3600)), "event_time não é válido"),
        (with("event_id", json!("")), "event_id não é válido"),
        (with("event_id", json!("a\u{0}")), "event_id não é válido"),
        (with("event_id", json!("ã".repeat(301))), "event_id não é válido"),
        (with("user_data", json!([])), "user_data deve ser um objeto"),
        (
            with("user_data", json!({ "em": 7, "fn": [] })),
            "user_data.em deve ser um texto; user_data.fn deve ser um texto",
        ),
        (with("user_data", json!({})), "user_data não é válido"),
        (with("user_data", json!({ "fn": "Ana" })), "user_data não é válido"),
        (with("user_data", json!({ "em": "not an email", "ph": "1" })), "user_data não é válido"),
        (with("custom_data", json!("x")), "custom_data deve ser um objeto"),
        (with("consent", json!("sim")), "consent deve ser true ou false"),
        (with("event_source_url", json!(1)), "event_source_url deve ser um texto"),
        (with("custom_data", json!({ "value": -1 })), "custom_data.value deve ser um valor em reais"),
        (with("custom_data", json!({ "value": "NaN" })), "custom_data.value deve ser um valor em reais"),
        (with("custom_data", json!({ "value": 1e10 })), "custom_data.value deve ser um valor em reais"),
    ] {
        service.calls("POST", PATH, Some(body)).await.blames(blame);
    }
}

#[tokio::test]
async fn meta_capi_accepts_every_value_that_the_contract_allows() {
    let app = App::start().await;
    let now = app.provider().now().await;
    let service = app.service("tracking.write").await;
    let with = |name: &str, value: Value| {
        let mut body =
            event("checkout_finalizado", &format!("checkout_finalizado:{:x}", rand::random::<u64>()));
        body[name] = value;
        body
    };
    for body in [
        with("user_data", json!({ "em": "A".repeat(64), "fn": null, "ph": "1", "fbp": "x", "outro": 1 })),
        with("consent", json!(null)),
        with("event_source_url", json!("https://outro.example/?segredo=1")),
        with("event_time", json!(format!("{now}.0").parse::<f64>().expect("a number"))),
        with("event_time", json!(now - 7 * 86_400 + 60)),
        with("event_time", json!(now + 60)),
        with("event_id", json!("ã".repeat(300))),
        with("custom_data", json!(null)),
        with("custom_data", json!({ "value": "391.60", "currency": "BRL", "interval": "\u{0}" })),
        with("custom_data", json!({ "value": 0, "subscription_plan": "x".repeat(5_000) })),
    ] {
        service.calls("POST", PATH, Some(body)).await.gives(202, json!({ "ok": true }));
    }
}

#[tokio::test]
async fn an_address_over_the_event_limit_gets_429_and_a_service_token_does_not() {
    let app = App::start_with(&[("GARIMPO_LIMIT_EVENTS_ADDRESS", "20")]).await;
    let service = app.service("tracking.write").await;
    let post = |n: usize| {
        let event = event("cadastro", &format!("cadastro:{n}"));
        app.visitor().request("POST", PATH).header("origin", app.url()).json(&event)
    };
    for n in 0..PER_MINUTE {
        assert_eq!(post(n).answered().await.status, 202, "{n}");
    }

    let refused = post(PER_MINUTE).answered().await;

    refused.refuses(TOO_MANY_REQUESTS);
    assert_eq!(refused.header("retry-after"), "60");
    service
        .calls("POST", PATH, Some(event("cadastro", "cadastro:s")))
        .await
        .gives(202, json!({ "ok": true }));
}

#[tokio::test]
async fn track_event_over_grpc_has_the_same_replies() {
    let app = App::start().await;
    let service = app.service("tracking.write").await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let mut tracking = app.tracking().await;
    let now = app.provider().now().await;
    let event = |name: &str| TrackEventRequest {
        event_name: name.into(),
        event_time: Some(prost_types::Timestamp { seconds: now, nanos: 0 }),
        event_id: format!("{name}:usr_1"),
        user_data: Some(UserData { em: Some("ana@exemplo.com.br".into()), ..Default::default() }),
        ..Default::default()
    };
    let reason = |status: tonic::Status| {
        (status.code(), status.get_details_error_info().map(|info| info.reason).unwrap_or_default())
    };

    tracking.track_event(service.authorized(event("cadastro"))).await.expect("it is taken");
    let mut from_page = tonic::Request::new(event("checkout_iniciado"));
    from_page.metadata_mut().insert("origin", app.url().parse().expect("ASCII"));
    tracking.track_event(from_page).await.expect("it is taken");
    let unknown = tracking.track_event(service.authorized(event("compra"))).await.unwrap_err();
    let empty = TrackEventRequest { event_name: "cadastro".into(), ..Default::default() };
    let incomplete = tracking.track_event(service.authorized(empty)).await.unwrap_err();
    let person = tracking.track_event(ana.authorized(event("cadastro"))).await.unwrap_err();
    let nobody = tracking.track_event(event("cadastro")).await.unwrap_err();

    assert_eq!(reason(unknown), (Code::InvalidArgument, "UNKNOWN_EVENT".into()));
    assert_eq!(reason(incomplete), (Code::InvalidArgument, "INVALID_ARGUMENT".into()));
    assert_eq!(reason(person), (Code::PermissionDenied, "PERMISSION_DENIED".into()));
    assert_eq!(reason(nobody), (Code::PermissionDenied, "PERMISSION_DENIED".into()));
    all_dropped(&app, 1).await;
}
