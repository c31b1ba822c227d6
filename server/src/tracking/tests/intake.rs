//! What is taken from pages and services, and what of it is stored.

mod consent;

use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::tracking::v1 as track;
use garimpo_proto::tracking::v1::tracking_service_client::TrackingServiceClient;
use serde_json::json;
use tonic_types::StatusExt as _;

use super::{HAPPENED, by_service, event, from_page, from_page_of, held};
use crate::queue::JobKind;
use crate::store::identity::accounts;
use crate::store::operator::job_queries::{self, JobFilter};
use crate::tests::database::Database;
use crate::tests::server::{TestServer, fields, reason, refusal};
use crate::tests::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn a_page_event_is_stored_once_and_without_personal_data() {
    let world = World::new().await;

    let ana = world.signs_up("ana@example.com").await;
    world.answers(&ana, Some(true)).await;
    world.fails(json!({ "path": "/graph/v26.0", "drop": true })).await;

    for _ in 0..2 {
        let request = from_page_of(&ana, event("cadastro", "cadastro:usr_1"));
        world.tracking().track_event(request).await.expect("it is taken");
    }

    let told = held(world.app.store()).await;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["user_data"]["em"].as_str().map(str::len), Some(64));
    let text = told[0].to_string().to_lowercase();
    assert!(
        !text.contains("example.com") && !text.contains("98765") && !text.contains("\"usr_9\""),
        "{text}"
    );
    let account = accounts::by_uid(world.app.store(), &ana.uid).await.expect("readable").expect("hers");
    assert_eq!(told[0]["client_address"], "10.0.0.1");
    assert_eq!(told[0]["event_time"], account.created_at.as_unix_seconds(), "when she signed up");
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_and_hashed_personal_data_are_stored_the_same() {
    // SHA-256 of ana@example.com, ana, 5511987654321 and usr_9.
    let expected = json!({
        "em": "8e43ca37701228e74983efdbd0cff5c16b3b1e5d4e29a7c05626d4d25a018e11",
        "fn": "24d4b96f58da6d4a8512313bbd02a28ebf0ca95dec6e4c86ef78ce7f01e788ac",
        "ph": "029c7290f14c4516673508635f0519db95f7daf42057fd0e4ad1de84c5408a66",
        "external_id": "253542be3c13f19509654e792a3e693de90cb307a6a25cb7b9ed68aee8ac3510",
    });
    let world = World::new().await;

    world.fails(json!({ "path": "/graph/v26.0", "drop": true })).await;
    let plain = by_service(world.app.store(), event("cadastro", "plain")).await;
    world.tracking().track_event(plain).await.expect("it is taken");
    let person = held(world.app.store()).await[0]["user_data"].clone();
    let text = |name: &str| person[name].as_str().map(str::to_uppercase);
    let user_data = track::UserData {
        em: text("em"),
        r#fn: text("fn"),
        ph: text("ph"),
        external_id: text("external_id"),
        ..Default::default()
    };
    let again = track::TrackEventRequest { user_data: Some(user_data), ..event("cadastro", "hashed") };
    world.tracking().track_event(by_service(world.app.store(), again).await).await.expect("it is taken");

    assert_eq!(person, expected);
    for conversion in held(world.app.store()).await {
        assert_eq!(conversion["user_data"], person);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_per_address_are_limited_per_minute_and_another_address_continues() {
    let server =
        TestServer::start(Database::sqlite(), |settings| settings.limits.events_per_address = 3).await;
    let now = prost_types::Timestamp { seconds: server.app.clock().now().as_unix_seconds(), nanos: 0 };
    let posts = async |id: String, address| {
        let event = track::TrackEventRequest { event_time: Some(now), ..event("cadastro", &id) };
        server.tracking().track_event(from_page(event, address)).await
    };

    for n in 0..3 {
        posts(format!("e{n}"), "10.0.0.1").await.expect("it is taken");
    }
    let refused = posts("e3".to_owned(), "10.0.0.1").await.expect_err("the limit is reached");

    assert_eq!(reason(&refused), ErrorReason::TooManyRequests);
    assert!(refused.get_details_retry_info().and_then(|info| info.retry_delay).is_some());
    posts("e4".to_owned(), "10.0.0.2").await.expect("another address is not stopped");
    assert_eq!(held(server.app.store()).await, [json!(null); 0], "of nobody's account nothing is told");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_incomplete_or_foreign_event_is_rejected() {
    let world = World::new().await;
    let mut ours = world.tracking();
    let mut outside = TrackingServiceClient::new(world.app.internal_routes());

    let from_page = |message| from_page(message, "10.0.0.1");
    let unknown = ours.track_event(from_page(event("compra", "compra:1"))).await.expect_err("no such event");
    let empty = track::TrackEventRequest { event_name: "cadastro".to_owned(), ..Default::default() };
    let incomplete = ours.track_event(from_page(empty)).await.expect_err("nothing in it");
    let elsewhere = ours.track_event(event("cadastro", "cadastro:1")).await.expect_err("not our page");
    let foreign =
        outside.track_event(from_page(event("cadastro", "cadastro:1"))).await.expect_err("no gateway");

    assert_eq!(reason(&unknown), ErrorReason::UnknownEvent);
    assert_eq!(reason(&incomplete), ErrorReason::InvalidArgument);
    assert_eq!(fields(&incomplete), ["event_id", "event_time", "user_data"]);
    assert_eq!(reason(&elsewhere), ErrorReason::PermissionDenied);
    assert_eq!(reason(&foreign), ErrorReason::PermissionDenied);
    assert!(held(world.app.store()).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_too_old_or_from_the_future_is_rejected_and_not_stored() {
    let world = World::new().await;
    for seconds in [HAPPENED - 7 * 86_400, HAPPENED + 86_400, 0, -1, i64::MAX, i64::MIN] {
        let event_time = Some(prost_types::Timestamp { seconds, nanos: 0 });
        let event = track::TrackEventRequest { event_time, ..event("cadastro", "cadastro:usr_1") };

        let refused =
            world.tracking().track_event(from_page(event, "10.0.0.1")).await.expect_err("it is refused");

        assert_eq!(reason(&refused), ErrorReason::InvalidArgument, "{seconds}");
        assert_eq!(fields(&refused), ["event_time"], "{seconds}");
    }
    assert!(held(world.app.store()).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_job_key_does_not_contain_the_received_event_id() {
    let world = World::new().await;
    let typed = "ana@example.com\u{1b}[2J".repeat(10);
    world.fails(json!({ "path": "/graph/v26.0", "drop": true })).await;

    for _ in 0..2 {
        let request = by_service(world.app.store(), event("cadastro", &typed)).await;
        world.tracking().track_event(request).await.expect("it is taken");
    }

    let of_kind = JobFilter { kind: Some(JobKind::Conversion), ..JobFilter::default() };
    let jobs = job_queries::list(world.app.store(), &of_kind, 10).await.expect("readable");
    assert_eq!(jobs.len(), 1);
    assert!(jobs[0].key.starts_with("cadastro:") && jobs[0].key.len() < 64, "{}", jobs[0].key);
    assert!(!jobs[0].key.contains("ana"), "{}", jobs[0].key);
}

#[tokio::test(flavor = "multi_thread")]
async fn all_invalid_event_fields_are_returned_at_once() {
    let world = World::new().await;
    let nothing = track::TrackEventRequest {
        event_name: "foo".into(),
        custom_data: Some(track::CustomData { currency: Some("USD".into()), ..Default::default() }),
        ..Default::default()
    };

    let refused = world.tracking().track_event(by_service(world.app.store(), nothing).await).await;

    let refused = refused.expect_err("nothing of it is right");
    assert_eq!(
        fields(&refused),
        ["event_name", "event_id", "event_time", "user_data", "custom_data.currency"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn for_a_signed_in_visitor_the_facts_of_the_server_replace_those_of_the_page() {
    let world = World::new().await;
    let (ana, rui) = (world.signs_up("ana@example.com").await, world.signs_up("rui@example.com").await);
    world.answers(&ana, Some(true)).await;
    let hers = world.opens(&ana, "top_afiliado", "month", "novo").await.expect("a checkout opens");
    let his = world.opens(&rui, "elite_nivel_1", "month", "").await.expect("a checkout opens");
    let invented = |name: &str, id: String| track::TrackEventRequest {
        custom_data: Some(track::CustomData {
            value_centavos: Some(99_999_900),
            currency: Some("USD".into()),
            subscription_plan: Some("de graça".into()),
            interval: Some("sempre".into()),
        }),
        ..event(name, &id)
    };
    for posted in [
        invented("cadastro", "cadastro:outra".into()),
        invented("cadastro", format!("cadastro:{}", rui.uid)),
        invented("checkout_iniciado", format!("checkout_iniciado:{hers}")),
        invented("checkout_finalizado", format!("checkout_finalizado:{his}")),
        invented("checkout_finalizado", format!("checkout_finalizado:{hers}")),
    ] {
        world.tracking().track_event(from_page_of(&ana, posted)).await.expect("it is taken");
    }
    world.rest().await;

    // The checkout of another account and an unfinished checkout are not counted as finished.
    let ids = [format!("cadastro:{}", ana.uid), format!("checkout_iniciado:{hers}")];
    assert_eq!(world.counted_ids().await, ids);
    for (told, _) in world.counted().await {
        let expected = match told["event_name"].as_str() {
            Some("checkout_iniciado") => json!({
                "value": 88.11, "currency": "BRL", "subscription_plan": "top_afiliado", "interval": "monthly",
            }),
            _ => json!(null),
        };
        assert_eq!(told["custom_data"], expected, "{told}");
        let of_ana = "8e43ca37701228e74983efdbd0cff5c16b3b1e5d4e29a7c05626d4d25a018e11";
        assert_eq!(told["user_data"]["em"], of_ana);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_up_and_a_purchase_older_than_seven_days_are_not_counted_again() {
    let world = World::new().await;
    let ana = world.signs_up("ana@example.com").await;
    world.answers(&ana, Some(true)).await;
    let session = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    world.advances_days(8).await;
    let now = world.app.clock().now().as_unix_seconds();

    for name in ["cadastro", "checkout_iniciado", "checkout_finalizado"] {
        let event_time = Some(prost_types::Timestamp { seconds: now, nanos: 0 });
        let posted = track::TrackEventRequest { event_time, ..event(name, &format!("{name}:{session}")) };
        world.tracking().track_event(from_page_of(&ana, posted)).await.expect("it is taken");
    }

    assert_eq!(held(world.app.store()).await, [json!(null); 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_without_an_account_are_not_counted_and_the_page_gets_the_facts_of_the_server() {
    let world = World::new().await;
    let ana = world.signs_up("ana@example.com").await;
    world.answers(&ana, Some(true)).await;
    let session = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    let finished = event("checkout_finalizado", &format!("checkout_finalizado:{session}"));

    // A page call can be forged; without a sign-in it proves nothing.
    for forged in [
        event("cadastro", "cadastro:x"),
        event("cadastro", &format!("cadastro:{}", ana.uid)),
        finished.clone(),
    ] {
        let answer = world.tracking().track_event(from_page(forged, "10.0.0.1")).await.expect("it is taken");
        assert_eq!(answer.into_inner(), track::TrackEventResponse::default());
    }
    let early =
        world.tracking().track_event(from_page_of(&ana, finished.clone())).await.expect("it is taken");
    let early = early.into_inner();
    assert!(!early.may_leave && early.consent.is_some_and(|answer| answer.ads_allowed));
    assert_eq!(held(world.app.store()).await, [json!(null); 0]);

    world.subscribes_in(&session).await;
    let invented = track::TrackEventRequest {
        custom_data: Some(track::CustomData { value_centavos: Some(99_999_900), ..Default::default() }),
        event_source_url: Some("https://mau.example/x?code=1".into()),
        ..finished
    };
    let answer =
        world.tracking().track_event(from_page_of(&ana, invented)).await.expect("it is taken").into_inner();
    world.rest().await;

    assert!(answer.may_leave);
    assert_eq!(answer.event_id, format!("checkout_finalizado:{session}"));
    let facts = answer.custom_data.expect("facts");
    assert_eq!(
        (facts.value_centavos, facts.subscription_plan.as_deref()),
        (Some(9790), Some("top_afiliado"))
    );
    let counted = world.counted().await;
    let (told, _) = counted.iter().find(|(told, _)| told["event_id"] == answer.event_id).expect("it is told");
    assert_eq!(told["event_source_url"], "http://127.0.0.1:8080/checkout");
    assert_eq!(told["custom_data"]["value"], 97.9);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_email_or_phone_is_not_hashed_and_an_event_without_a_person_is_rejected() {
    let world = World::new().await;
    let person = |em: &str, name: &str| track::UserData {
        em: Some(em.to_owned()),
        r#fn: Some(name.to_owned()),
        ph: Some("1".to_owned()),
        ..Default::default()
    };
    let posted =
        |user_data| track::TrackEventRequest { user_data: Some(user_data), ..event("cadastro", "x") };

    // The platform refuses an event that has only a first name.
    for name in ["", "Ana"] {
        let nobody = by_service(world.app.store(), posted(person("not an email", name))).await;
        let refused = world.tracking().track_event(nobody).await.expect_err("it says nobody");
        assert_eq!(refusal(&refused), (ErrorReason::InvalidArgument, "user_data".to_owned()));
    }
    let named = track::UserData { external_id: Some("c_1".into()), ..person("not an email", "Ana") };
    let named = by_service(world.app.store(), posted(named)).await;
    world.fails(json!({ "path": "/graph/v26.0", "drop": true })).await;
    world.tracking().track_event(named).await.expect("it is taken");

    let told = held(world.app.store()).await;
    let names: Vec<_> = told[0]["user_data"].as_object().expect("fields").keys().collect();
    assert_eq!(names, ["external_id", "fn"]);
}
