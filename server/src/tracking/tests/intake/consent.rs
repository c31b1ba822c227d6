//! Consent of the person that an event is about.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn without_consent_no_personal_data_is_stored_and_later_consent_does_not_count_the_past() {
    let world = World::new().await;
    let store = world.app.store();
    let (ana, bia) = (world.signs_up("ana@example.com").await, world.signs_up("bia@example.com").await);
    world.answers(&ana, Some(false)).await;
    for (who, consent) in [(&ana, Some(false)), (&bia, None)] {
        let silent = track::TrackEventRequest { consent, ..event("cadastro", "cadastro:x") };
        let told = world.tracking().track_event(from_page_of(who, silent)).await.expect("it is taken");
        assert!(!told.into_inner().may_leave);
        world.answers(who, Some(true)).await;

        let again = event("cadastro", "cadastro:x");
        let told = world.tracking().track_event(from_page_of(who, again)).await.expect("it is taken");

        assert!(!told.into_inner().may_leave, "the page tells as little as the server");
    }
    world.rest().await;

    let told = held(store).await;
    assert_eq!(told.len(), 2);
    for conversion in told {
        assert_eq!(conversion["user_data"], json!({}));
        for field in ["client_address", "user_agent", "fbp", "fbc"] {
            assert_eq!(conversion[field], json!(null), "{field}");
        }
    }
    assert!(world.counted().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_event_without_consent_does_not_replace_the_page_event() {
    let world = World::new().await;
    let store = world.app.store();
    let ana = world.signs_up("ana@example.com").await;
    world.answers(&ana, Some(true)).await;
    let id = format!("cadastro:{}", ana.uid);
    for consent in [None, Some(false)] {
        let silent = track::TrackEventRequest { consent, ..event("cadastro", &id) };
        let told = world.tracking().track_event(by_service(store, silent).await).await.expect("it is taken");
        assert!(!told.into_inner().may_leave);
    }
    assert_eq!(held(store).await, [json!(null); 0]);

    for _ in 0..2 {
        let told = world.tracking().track_event(from_page_of(&ana, event("cadastro", &id))).await;
        assert!(told.expect("it is taken").into_inner().may_leave, "also told again, once it has left");
        world.rest().await;
    }

    assert_eq!(world.counted_ids().await, [id]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_event_that_names_an_account_follows_its_current_and_later_consent() {
    let world = World::new().await;
    let store = world.app.store();
    let (ana, bia) = (world.signs_up("ana@exemplo.com.br").await, world.signs_up("bia@exemplo.com.br").await);
    world.answers(&ana, Some(true)).await;
    world.answers(&bia, Some(false)).await;
    let session = world.opens(&bia, "top_afiliado", "month", "").await.expect("a checkout opens");
    let told = |id: &str, uid: &str, em: &str| track::TrackEventRequest {
        user_data: Some(track::UserData {
            em: Some(em.into()),
            external_id: Some(uid.into()),
            ..Default::default()
        }),
        ..event(id.split(':').next().expect("a name"), id)
    };
    // By uid, by email, by the subject of the id, and two accounts of which one refused.
    for refused in [
        told("cadastro:a", &bia.uid, "x@exemplo.com.br"),
        told("cadastro:b", "x", " Bia@Exemplo.com.br"),
        told(&format!("cadastro:{}", bia.uid), "x", "x@exemplo.com.br"),
        told(&format!("checkout_iniciado:{session}"), "a\0b", "x@exemplo.com.br"),
        told("cadastro:c", &bia.uid, &ana.email),
    ] {
        let answer = world.tracking().track_event(by_service(store, refused.clone()).await).await;
        assert!(!answer.expect("it is taken").into_inner().may_leave, "{refused:?}");
    }
    for conversion in held(store).await {
        assert_eq!((&conversion["uid"], &conversion["user_data"]), (&json!(bia.uid), &json!({})));
    }
    world.rest().await;
    assert_eq!(world.counted_ids().await, Vec::<String>::new());

    let hers = told("cadastro:d", &ana.uid, &ana.email);
    world.tracking().track_event(by_service(store, hers).await).await.expect("it is taken");
    world.rest().await;
    assert_eq!(world.counted_ids().await, ["cadastro:d"]);

    world.fails(json!({ "path": "/graph/v26.0", "drop": true, "times": 1 })).await;
    let late = told("cadastro:e", &ana.uid, &ana.email);
    world.tracking().track_event(by_service(store, late).await).await.expect("it waits");
    world.answers(&ana, Some(false)).await;
    world.advances_hours(2).await;
    assert_eq!(world.counted_ids().await, ["cadastro:d"], "taken back while it waited");
}
