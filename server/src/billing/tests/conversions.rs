//! What the platforms are told: real values of real payments, hashed, once.

use garimpo_proto::billing::v1 as pb;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::tracking::v1 as track;
use garimpo_proto::tracking::v1::tracking_service_client::TrackingServiceClient;
use serde_json::Value;

use super::VISA;
use crate::app::Audience;
use crate::store::{Store, ro};
use crate::testing::server::{bearer, fields, reason};
use crate::testing::world::World;

/// The conversions that are held, by their ids.
async fn held(store: &Store) -> Vec<Value> {
    let rows: Vec<(String,)> = ro!(store, c => sqlx::query_as(
        "SELECT payload FROM jobs WHERE kind = 'conversion' AND state = 'waiting' ORDER BY key").fetch_all(c).await)
    .expect("jobs are readable");
    rows.into_iter().map(|(payload,)| serde_json::from_str(&payload).expect("JSON")).collect()
}

fn event(name: &str, id: &str) -> track::TrackEventRequest {
    track::TrackEventRequest {
        event_name: name.to_owned(),
        event_time: Some(prost_types::Timestamp { seconds: 1_790_000_000, nanos: 0 }),
        event_id: id.to_owned(),
        user_data: Some(track::UserData {
            em: Some(" Ana@Example.com ".to_owned()),
            r#fn: Some("Ana".to_owned()),
            ph: Some("(11) 98765-4321".to_owned()),
            external_id: None,
        }),
        custom_data: None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pagamento_confirmado_e_contado_pelo_servidor_com_o_valor_real() {
    for world in World::each().await {
        let ana = world.signs_up("ana@example.com").await;
        let session = world.opens(&ana, "top_afiliado", "month", "novo").await.expect("a checkout opens");
        let mut tracking = TrackingServiceClient::new(world.app.routes(Audience::Gateway));
        let forged = track::TrackEventRequest {
            custom_data: Some(track::CustomData { value_centavos: Some(999_999), ..Default::default() }),
            ..event("pagamento_confirmado", &format!("pagamento_confirmado:{session}"))
        };
        tracking.track_event(forged).await.expect("it is taken and dropped");
        assert!(held(world.app.store()).await.is_empty());

        world.pays_by_card(&session, VISA).await;
        world.rest().await;

        let told = held(world.app.store()).await;
        assert_eq!(told.len(), 2);
        for (conversion, name) in told.iter().zip(["PVNewSubs", "pagamento_confirmado"]) {
            assert_eq!(conversion["event"], name);
            assert_eq!(conversion["event_id"], format!("{name}:{session}"));
            assert_eq!(conversion["value_centavos"], 8811);
            assert_eq!(conversion["subscription_plan"], "top_afiliado");
            assert!(!conversion.to_string().contains("ana@example.com"), "personal data is hashed");
        }
        world.advances_days(31).await;
        assert_eq!(held(world.app.store()).await.len(), 2, "a renewal is no new subscriber");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn evento_da_pagina_e_guardado_uma_vez_e_sem_dados_pessoais() {
    for world in World::each().await {
        let mut tracking = TrackingServiceClient::new(world.app.routes(Audience::Gateway));

        tracking.track_event(event("cadastro", "cadastro:usr_1")).await.expect("it is taken");
        tracking.track_event(event("cadastro", "cadastro:usr_1")).await.expect("it is taken again");

        let told = held(world.app.store()).await;
        assert_eq!(told.len(), 1);
        assert_eq!(
            told[0]["user_data"]["ph"],
            "029c7290f14c4516673508635f0519db95f7daf42057fd0e4ad1de84c5408a66"
        );
        let text = told[0].to_string().to_lowercase();
        assert!(!text.contains("example.com") && !text.contains("98765"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn evento_desconhecido_incompleto_ou_de_fora_e_recusado() {
    for world in World::each().await {
        let mut ours = TrackingServiceClient::new(world.app.routes(Audience::Gateway));
        let mut outside = TrackingServiceClient::new(world.app.routes(Audience::Internal));

        let unknown = ours.track_event(event("compra", "compra:1")).await.expect_err("no such event");
        let empty = track::TrackEventRequest { event_name: "cadastro".to_owned(), ..Default::default() };
        let incomplete = ours.track_event(empty).await.expect_err("nothing in it");
        let foreign = outside.track_event(event("cadastro", "cadastro:1")).await.expect_err("not our page");

        assert_eq!(reason(&unknown), ErrorReason::UnknownEvent);
        assert_eq!(reason(&incomplete), ErrorReason::InvalidArgument);
        assert_eq!(fields(&incomplete), ["event_id", "event_time", "user_data"]);
        assert_eq!(reason(&foreign), ErrorReason::PermissionDenied);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn metodos_de_depois_dizem_que_ainda_nao_sao_servidos() {
    for world in World::each().await {
        let ana = world.signs_up("ana@example.com").await;
        let request = bearer(pb::ListInvoicesRequest::default(), &ana.session);

        let later = world.billing().list_invoices(request).await.expect_err("a later issue");

        assert_eq!(reason(&later), ErrorReason::Unimplemented);
    }
}
