//! Everything held about an account, as JSON.

use serde_json::Value;

use super::*;
use crate::tests::world::World;

async fn export(world: &World, who: &SignedInUser) -> (String, Value) {
    let asked = bearer(pb::ExportMyDataRequest {}, &who.session);
    let text = world.users().export_my_data(asked).await.expect("it answers").into_inner().json;
    let value = serde_json::from_str(&text).expect("JSON");
    (text, value)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_contains_all_account_data_and_no_secret() {
    let (world, ana) = World::new().await.with_ana().await;
    world.signs_up("rui@example.com").await;
    let session = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("a checkout opens");
    world.pays_by_card(&session, "4242424242424242").await;
    world.rest().await;

    let (text, data) = export(&world, &ana).await;

    assert_eq!(data["account"]["email"], "ana@exemplo.com.br");
    assert_eq!(data["account"]["phone_number"], "11987654321");
    assert_eq!(
        data["account"]["consent"],
        serde_json::json!({ "given": null, "at": null, "text_version": null })
    );
    let created = data["account"]["created_at"].as_str().expect("an instant");
    assert!(created.starts_with("2026-10-05T") && created.ends_with('Z'), "{created}");
    assert_eq!(data["sessions"].as_array().expect("a list").len(), 1);
    assert_eq!(data["sessions"][0]["device"], "Aparelho desconhecido");
    assert_eq!(data["subscriptions"][0]["plan_id"], "elite_nivel_1");
    assert!(
        data["subscriptions"][0]["paid_until_at"].is_null()
            && data["subscriptions"][0]["paid_until"].is_string()
    );
    assert_eq!(data["invoices"][0]["total_centavos"], 19_790);
    assert_eq!(data["paid_periods"][0]["price_centavos"], 19_790);
    assert!(data["paid_periods"][0]["until"].is_string());
    assert_eq!(
        data["entitlement_changes"].as_array().expect("a list").last().expect("one")["status"],
        "active"
    );
    assert_eq!(data["checkouts"][0]["payment_status"], "paid");
    assert_eq!(data["refunds"], serde_json::json!([]));
    assert_eq!(data["conversions"].as_array().expect("a list").len(), 2, "held for a sender");
    let provider = &data["payment_provider"];
    assert!(provider["customer_id"].as_str().expect("an id").starts_with("cus_"), "{provider}");
    let events = provider["events"].as_array().expect("a list");
    assert!(events.iter().any(|event| event["content"]["type"] == "invoice.paid"), "{provider}");
    assert_eq!(data["mails"][0]["state"], "done");
    let kinds: Vec<_> = data["audit"].as_array().expect("a list").iter().map(|row| &row["kind"]).collect();
    assert_eq!(kinds, ["sign_up", "data_exported"]);
    for secret in ["password", "$argon2", "gs_", "gi_", "client_secret", "_secret_", "rui@", "hash"] {
        let found = text.replace("\"email_hash\":null", "").contains(secret);
        assert!(!found, "{secret}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn eleven_exports_in_an_hour_are_too_many() {
    let (server, ana) = TestServer::with_ana().await;
    let asks = || {
        let (mut users, asked) = (server.users(), bearer(pb::ExportMyDataRequest {}, &ana.session));
        async move { users.export_my_data(asked).await.map(drop) }
    };
    for _ in 0..10 {
        asks().await.expect("ten are fine");
    }

    let refused = asks().await.expect_err("the eleventh is too many");

    assert_eq!(reason(&refused), ErrorReason::TooManyRequests);
    server.clock.advance_seconds(3600);
    asks().await.expect("an hour later it is fine");
    let nobody = server.users().export_my_data(pb::ExportMyDataRequest {}).await.expect_err("nobody");
    assert_eq!(reason(&nobody), ErrorReason::Unauthenticated);
}
