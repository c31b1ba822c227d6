//! What people answered about advertising and where they came from: kept with account and checkout,
//! told to its holder, taken back and erased.

use std::sync::Arc;

use garimpo_domain::{Timestamp, Uid};
use garimpo_proto::auth::v1 as auth;
use garimpo_proto::billing::v1 as billing;
use garimpo_proto::tracking::v1 as track;
use serde_json::{Value, json};
use tonic::Request;

use super::*;
use crate::queue::JobKind;
use crate::retention;
use crate::store::Store;
use crate::store::engine::ro;
use crate::store::engine::row::Text as _;
use crate::store::identity::consents;
use crate::store::operator::job_queries;
use crate::store::tracking::attributions::{self, TouchKind};
use crate::store::tracking::funnel_counts;
use crate::tests::clock::TestClock;
use crate::tests::server::ana;
use crate::tests::world::{World, order};

const FBC: &str = "fb.1.1790000000000.IwAR2F4-dbP0l7Mn1IawQQ";
const FBP: &str = "fb.1.1790000000000.1098115397";

fn at(instant: Timestamp) -> prost_types::Timestamp {
    prost_types::Timestamp { seconds: instant.as_unix_seconds(), nanos: 0 }
}

fn answer(ads_allowed: bool, given: Timestamp) -> track::Consent {
    track::Consent { ads_allowed, text_version: "2026-11.3".to_owned(), at: Some(at(given)) }
}

fn came_by(utm_source: &str, promo: &str, arrived: Timestamp) -> track::Touch {
    let (utm_source, promo) = (utm_source.to_owned(), promo.to_owned());
    track::Touch {
        at: Some(at(arrived)),
        utm_source,
        promo,
        utm_campaign: "Perfil".to_owned(),
        ..Default::default()
    }
}

fn clicks() -> track::ClickIds {
    track::ClickIds { fbc: FBC.to_owned(), fbp: FBP.to_owned(), gclid: "Cj0KCQ-x_y".to_owned() }
}

async fn exported(world: &World, who: &SignedInUser) -> Value {
    let asked = bearer(pb::ExportMyDataRequest {}, &who.session);
    let text = world.users().export_my_data(asked).await.expect("it answers").into_inner().json;
    serde_json::from_str(&text).expect("JSON")
}

async fn saves(world: &World, who: &SignedInUser, consent: track::Consent) -> bool {
    let asked = bearer(pb::SaveConsentRequest { consent: Some(consent) }, &who.session);
    let stands = world.users().save_consent(asked).await.expect("it is kept").into_inner().consent;
    stands.expect("an answer stands").ads_allowed
}

async fn signs_up_with(world: &World, form: auth::SignUpRequest) -> SignedInUser {
    let response = world.auth().sign_up(form).await.expect("the sign-up succeeds");
    let (session, max_age) = crate::tests::server::session_of(&response).expect("a session");
    let answer = response.into_inner();
    let user = answer.user.expect("a user");
    SignedInUser { uid: Uid::new(user.uid), email: user.email, session, max_age, id_token: answer.id_token }
}

/// How many rows of these tables there are.
async fn rows(store: &Store) -> Vec<i64> {
    let mut counts = Vec::new();
    for counting in [
        "SELECT COUNT(*) FROM consents",
        "SELECT COUNT(*) FROM attributions",
        "SELECT COUNT(*) FROM click_ids",
    ] {
        let count = ro!(store, value built counting);
        counts.push(count.expect("the table can be read"));
    }
    counts
}

#[tokio::test(flavor = "multi_thread")]
async fn consent_and_attribution_are_stored_exported_and_deleted_with_the_account() {
    let world = World::new().await;
    let (store, now) = (world.app.store(), world.app.clock().now());
    let attribution = |source: &str| track::Attribution {
        first: Some(came_by(source, "", now.plus_days(-3))),
        last: Some(came_by("Google", "NOVO", now.plus_seconds(-60))),
        clicks: Some(clicks()),
        ..Default::default()
    };
    let form = auth::SignUpRequest {
        consent: Some(answer(true, now.plus_seconds(-30))),
        attribution: Some(attribution("Instagram")),
        ..ana("ana@example.com")
    };
    let ana = signs_up_with(&world, form).await;
    let bought = billing::CreateCheckoutSessionRequest {
        consent: Some(answer(true, now.plus_seconds(-30))),
        attribution: Some(attribution("tiktok")),
        ..order(&ana, "top_afiliado", "month", "")
    };
    world.asks(&ana, bought).await.expect("a checkout opens");

    let data = exported(&world, &ana).await;
    assert_eq!(data["account"]["consent"]["given"], true);
    assert_eq!(data["account"]["consent"]["text_version"], "2026-11.3");
    assert_eq!(data["consents"].as_array().map(Vec::len), Some(2), "with the account and the checkout");
    let sources: Vec<_> =
        data["attributions"].as_array().unwrap().iter().map(|row| &row["utm_source"]).collect();
    assert_eq!(sources, ["Instagram", "Google", "tiktok", "Google"]);
    assert_eq!(data["attributions"][1]["promo"], "novo");
    assert_eq!(data["click_ids"].as_array().map(Vec::len), Some(2));
    assert_eq!(data["click_ids"][0]["fbc"], FBC);

    // An older answer changes nothing; a newer refusal replaces it and deletes the click ids.
    assert!(saves(&world, &ana, answer(false, now.plus_days(-1))).await);
    assert!(!saves(&world, &ana, answer(false, now)).await);
    assert_eq!(rows(store).await, [3, 4, 0]);
    let late = billing::CreateCheckoutSessionRequest {
        consent: Some(answer(true, now.plus_days(-1))),
        attribution: Some(attribution("tiktok")),
        ..order(&ana, "elite_nivel_1", "month", "")
    };
    world.asks(&ana, late).await.expect("another tab, with the answer of before");
    assert_eq!(rows(store).await[2], 0, "no id is kept against the answer that stands");
    let proofs = consents::by_uid(store, &ana.uid).await.expect("readable");
    let mut at_checkouts: Vec<_> = proofs.iter().filter(|row| row.checkout_id.is_some()).collect();
    at_checkouts.sort_by_key(|row| row.chosen_at);
    let noted: Vec<_> = at_checkouts.iter().map(|row| row.ads_allowed).collect();
    assert_eq!(noted, [true, false], "a checkout proves the answer that stood, not the one of an old tab");

    let gone = bearer(pb::DeleteMyAccountRequest { password: "segredo".to_owned() }, &ana.session);
    world.users().delete_my_account(gone).await.expect("it is deleted");
    assert_eq!(rows(store).await, [0, 0, 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_consent_no_click_id_is_stored_and_a_malformed_attribution_does_not_block_sign_up() {
    let server = TestServer::new().await;
    let now = server.app.clock().now();
    let attribution = || track::Attribution {
        first: Some(came_by("a\0b", "", now)),
        last: Some(track::Touch { at: Some(at(now.plus_days(-91))), ..came_by("velho", "", now) }),
        clicks: Some(clicks()),
        ..Default::default()
    };
    let unsigned = track::Consent { text_version: String::new(), ..answer(true, now) };
    for (n, consent) in [None, Some(answer(false, now)), Some(unsigned)].into_iter().enumerate() {
        let form = auth::SignUpRequest {
            consent,
            attribution: Some(attribution()),
            ..ana(&format!("ana{n}@exemplo.com.br"))
        };
        server.auth().sign_up(form).await.expect("the sign-up succeeds");
    }

    // The first arrival keeps its campaign; the last one is too old.
    assert_eq!(rows(server.app.store()).await, [1, 3, 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_consent_answer_is_stored_only_for_a_signed_in_user_and_with_proof() {
    let server = TestServer::new().await;
    let now = server.app.clock().now();
    let held = server.signs_up("ana@exemplo.com.br").await;
    let asks = |consent: Option<track::Consent>, token: &str| {
        let (mut users, asked) = (server.users(), bearer(pb::SaveConsentRequest { consent }, token));
        async move { users.save_consent(asked).await.map(drop) }
    };

    let asked = pb::SaveConsentRequest { consent: Some(answer(true, now)) };
    let nobody = server.users().save_consent(asked).await.expect_err("nobody");
    assert_eq!(reason(&nobody), ErrorReason::Unauthenticated);
    let unproven = asks(Some(track::Consent { at: None, ..answer(true, now) }), &held.session).await;
    let unproven = unproven.expect_err("it proves nothing");
    assert_eq!(refusal(&unproven), (ErrorReason::InvalidArgument, "consent".to_owned()));
    for n in 0..60 {
        asks(Some(answer(n % 2 == 0, now.plus_seconds(n - 90))), &held.session).await.expect("60 are fine");
    }
    let many =
        asks(Some(answer(true, now)), &held.session).await.expect_err("nobody changes their mind so often");
    assert_eq!(reason(&many), ErrorReason::TooManyRequests);
}

#[tokio::test(flavor = "multi_thread")]
async fn page_steps_and_server_facts_are_counted_by_day_and_source_without_identifying_users() {
    let world = World::new().await;
    let (store, now) = (world.app.store(), world.app.clock().now());
    let today = now.day_in_sao_paulo();
    let step = |step: &str, source: &str, own: bool| {
        let told = track::CountStepRequest {
            step: step.to_owned(),
            source: source.to_owned(),
            campaign: "perfil".to_owned(),
            promo: String::new(),
        };
        let mut request = Request::new(told);
        if own {
            request.metadata_mut().insert("x-test-own-origin", "1".parse().expect("ASCII"));
        }
        request
    };
    for (name, source) in [("landing", "Instagram"), ("landing", "google"), ("plans", ""), ("signup", "")] {
        world.tracking().count_step(step(name, source, true)).await.expect("it is counted");
    }
    let foreign = world.tracking().count_step(step("landing", "x", false)).await.expect_err("not our page");
    assert_eq!(reason(&foreign), ErrorReason::PermissionDenied);
    let unseen = world.tracking().count_step(step("paid", "x", true)).await.expect_err("no page sees it");
    assert_eq!(refusal(&unseen), (ErrorReason::InvalidArgument, "step".to_owned()));

    let form = auth::SignUpRequest {
        attribution: Some(track::Attribution {
            last: Some(came_by("Instagram", "", now)),
            ..Default::default()
        }),
        ..ana("ana@example.com")
    };
    let ana = signs_up_with(&world, form).await;
    world.signs_up("rui@example.com").await;
    // The purchase has another campaign than the sign-up.
    let bought = billing::CreateCheckoutSessionRequest {
        attribution: Some(track::Attribution {
            last: Some(came_by("tiktok", "", now)),
            ..Default::default()
        }),
        ..order(&ana, "top_afiliado", "month", "")
    };
    let session = world.asks(&ana, bought).await.expect("a checkout opens");
    world.subscribes_in(&session).await;
    assert!(world.checkout(&session).await.is_ok(), "a second reading counts nothing again");
    let all = ["landing", "plans", "signup", "signed_up", "checkout_started", "finished", "paid"];
    world
        .eventually("the steps in the table", async || {
            funnel_counts::steps_between(store, today, today).await.expect("read").len() == all.len()
        })
        .await;

    let counted = funnel_counts::steps_between(store, today, today).await.expect("read");
    let of = |name: &str| counted.iter().find(|row| row.step.name() == name).map(|row| row.count);
    assert_eq!(all.map(of), [2, 1, 1, 2, 1, 1, 1].map(Some));
    let visits = funnel_counts::visits_between(store, today, today).await.expect("read");
    let mut visits: Vec<_> =
        visits.iter().map(|row| (&*row.labels.source, &*row.labels.campaign, row.count)).collect();
    visits.sort_unstable();
    assert_eq!(visits, [("google", "perfil", 1), ("instagram", "perfil", 1)]);
    let (from, until) = (now.plus_days(-1), now.plus_days(1));
    let came = attributions::sign_ups_by_origin(store, TouchKind::Last, from, until).await.expect("read");
    let mut came: Vec<_> =
        came.iter().map(|row| json!([row.labels.source, row.sign_ups, row.paid])).collect();
    came.sort_by_key(Value::to_string);
    assert_eq!(came, [json!(["", 1, 0]), json!(["instagram", 1, 1])]);
    let bought = async |kind| {
        let rows = attributions::purchases_by_origin(store, kind, from, until).await.expect("read");
        rows.into_iter().map(|row| (row.labels.source, row.purchases)).collect::<Vec<_>>()
    };
    assert_eq!(bought(TouchKind::Last).await, [("tiktok".to_owned(), 1)]);
    assert_eq!(bought(TouchKind::First).await, [(String::new(), 1)], "its checkout knew no first arrival");
    let later = attributions::purchases_by_origin(store, TouchKind::Last, until, until.plus_days(31)).await;
    assert_eq!(later.expect("read"), [], "a renewal is no purchase");
}

#[tokio::test(flavor = "multi_thread")]
async fn attributions_counts_and_reported_conversions_are_not_kept_beyond_their_retention() {
    let world = World::new().await;
    let (store, now) = (world.app.store(), world.app.clock().now());
    let form = auth::SignUpRequest {
        consent: Some(answer(true, now)),
        attribution: Some(track::Attribution {
            first: Some(came_by("Instagram", "", now.plus_days(-3))),
            last: Some(came_by("Google", "NOVO", now)),
            clicks: Some(clicks()),
            ..Default::default()
        }),
        ..ana("ana@example.com")
    };
    let ana = signs_up_with(&world, form).await;
    world.subscribes(&ana, "top_afiliado", "month").await;
    let after = async |days: i64| {
        let clock = TestClock::at(&now.plus_days(days).to_rfc3339());
        retention::run(store.clone(), Arc::new(clock)).await.expect("it runs");
        let told = job_queries::of_uid(store, JobKind::Conversion, &ana.uid).await.expect("readable");
        let with_person = told.iter().filter(|job| job.payload.contains("\"em\":")).count();
        let today = now.day_in_sao_paulo();
        let steps = funnel_counts::steps_between(store, today, today).await.expect("readable").len();
        (rows(store).await, steps > 0, told.len(), with_person)
    };

    // Rows of consents, arrivals and click ids; step counts; conversions, and those with
    // personal data.
    assert_eq!(after(29).await, (vec![1, 2, 1], true, 2, 0));
    assert_eq!(after(31).await, (vec![1, 2, 1], true, 0, 0));
    assert_eq!(after(91).await, (vec![1, 2, 0], true, 0, 0));
    assert_eq!(after(401).await, (vec![1, 2, 0], false, 0, 0));
    assert_eq!(after(489).await, (vec![1, 1, 0], false, 0, 0));
    assert_eq!(after(491).await, (vec![1, 0, 0], false, 0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn consent_and_attribution_also_apply_to_a_checkout_that_is_already_open() {
    let world = World::new().await;
    let (store, now) = (world.app.store(), world.app.clock().now());
    let ana = world.signs_up("ana@example.com").await;
    let buys = |came: &str, minutes: i64, consent: track::Consent| billing::CreateCheckoutSessionRequest {
        request_id: Some("a mesma".into()),
        consent: Some(consent),
        attribution: Some(track::Attribution {
            first: Some(came_by("primeira", "", now.plus_days(-2))),
            last: Some(came_by(came, "", now.plus_minutes(minutes))),
            ..Default::default()
        }),
        ..order(&ana, "top_afiliado", "month", "")
    };
    let first = world.asks(&ana, buys("instagram", -30, answer(true, now.plus_seconds(-60)))).await;

    let again = world.asks(&ana, buys("google", -1, answer(false, now.plus_seconds(-30)))).await;

    let session = first.expect("a checkout opens");
    assert_eq!(again.expect("the same one"), session);
    let came = attributions::by_uid(store, &ana.uid).await.expect("read");
    let mut came: Vec<_> = came.iter().map(|row| (row.touch.text(), row.utm_source.as_deref())).collect();
    came.sort_unstable();
    assert_eq!(came, [("first", Some("primeira")), ("last", Some("google"))]);
    world.subscribes_in(&session).await;
    assert!(world.counted().await.is_empty(), "the last word before the payment was no");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_id_is_stored_only_with_a_currently_valid_consent() {
    let world = World::new().await;
    let now = world.app.clock().now();
    let stands = answer(true, now);
    let of_another_text = track::Consent { text_version: "2025-01.1".into(), ..stands.clone() };
    let long_ago = answer(true, now.plus_days(-400));
    for (at, (consent, kept)) in [(of_another_text, 0), (long_ago, 0), (stands, 1)].into_iter().enumerate() {
        let attribution = track::Attribution { clicks: Some(clicks()), ..Default::default() };
        let form = auth::SignUpRequest {
            consent: Some(consent),
            attribution: Some(attribution),
            ..ana(&format!("ana{at}@example.com"))
        };
        signs_up_with(&world, form).await;
        assert_eq!(rows(world.app.store()).await[2], kept);
    }
}
