//! What the platforms are told: real values of real payments, hashed, once.

use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::tracking::v1 as track;
use garimpo_proto::tracking::v1::tracking_service_client::TrackingServiceClient;
use serde_json::{Value, json};
use tonic::Request;
use tonic_types::StatusExt as _;

use super::VISA;
use crate::app::Audience;
use crate::queue::JobKind;
use crate::store::{JobFilter, Store, ro};
use crate::testing::database::Database;
use crate::testing::server::{TestServer, fields, reason};
use crate::testing::world::World;

/// The conversions that are held, by their ids.
async fn held(store: &Store) -> Vec<Value> {
    let rows: Vec<(String,)> = ro!(store, c => sqlx::query_as(
        "SELECT payload FROM jobs WHERE kind = 'conversion' AND state = 'waiting' ORDER BY key").fetch_all(c).await)
    .expect("jobs are readable");
    rows.into_iter().map(|(payload,)| serde_json::from_str(&payload).expect("JSON")).collect()
}

/// A request as the gateway passes it on from a page of ours at an address.
fn from_page<T>(message: T, address: &str) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("x-garimpo-own-origin", "1".parse().expect("ASCII"));
    request.metadata_mut().insert("x-garimpo-client-address", address.parse().expect("ASCII"));
    request
}

/// A minute before the world begins.
const HAPPENED: i64 = 1_791_201_540;

fn event(name: &str, id: &str) -> track::TrackEventRequest {
    track::TrackEventRequest {
        event_name: name.to_owned(),
        event_time: Some(prost_types::Timestamp { seconds: HAPPENED, nanos: 0 }),
        event_id: id.to_owned(),
        user_data: Some(track::UserData {
            em: Some(" Ana@Example.com ".to_owned()),
            r#fn: Some("Ana".to_owned()),
            ph: Some("(11) 98765-4321".to_owned()),
            external_id: Some("usr_9".to_owned()),
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
        tracking.track_event(from_page(forged, "10.0.0.1")).await.expect("it is taken and dropped");
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

        for _ in 0..2 {
            let request = from_page(event("cadastro", "cadastro:usr_1"), "10.0.0.1");
            tracking.track_event(request).await.expect("it is taken");
        }

        let told = held(world.app.store()).await;
        assert_eq!(told.len(), 1);
        let text = told[0].to_string().to_lowercase();
        assert!(
            !text.contains("example.com") && !text.contains("98765") && !text.contains("usr_9"),
            "{text}"
        );
        assert_eq!(
            (&told[0]["client_address"], &told[0]["event_time"]),
            (&json!("10.0.0.1"), &json!(HAPPENED))
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dados_pessoais_sem_hash_e_ja_com_hash_sao_guardados_iguais() {
    // SHA-256 of ana@example.com, ana, 5511987654321 and usr_9.
    let expected = json!({
        "em": "8e43ca37701228e74983efdbd0cff5c16b3b1e5d4e29a7c05626d4d25a018e11",
        "fn": "24d4b96f58da6d4a8512313bbd02a28ebf0ca95dec6e4c86ef78ce7f01e788ac",
        "ph": "029c7290f14c4516673508635f0519db95f7daf42057fd0e4ad1de84c5408a66",
        "external_id": "253542be3c13f19509654e792a3e693de90cb307a6a25cb7b9ed68aee8ac3510",
    });
    for world in World::each().await {
        let mut tracking = TrackingServiceClient::new(world.app.routes(Audience::Gateway));

        let plain = event("cadastro", "plain");
        tracking.track_event(from_page(plain, "10.0.0.1")).await.expect("it is taken");
        let person = held(world.app.store()).await[0]["user_data"].clone();
        let text = |name: &str| person[name].as_str().map(str::to_uppercase);
        let user_data = track::UserData {
            em: text("em"),
            r#fn: text("fn"),
            ph: text("ph"),
            external_id: text("external_id"),
        };
        let again = track::TrackEventRequest { user_data: Some(user_data), ..event("cadastro", "hashed") };
        tracking.track_event(from_page(again, "10.0.0.1")).await.expect("it is taken");

        assert_eq!(person, expected);
        for conversion in held(world.app.store()).await {
            assert_eq!(conversion["user_data"], person);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn um_endereco_posta_ate_o_limite_por_minuto_e_outro_continua() {
    let server =
        TestServer::start(Database::sqlite(), |settings| settings.limits.events_per_address = 3).await;
    let mut tracking = TrackingServiceClient::new(server.app.routes(Audience::Gateway));
    let now = prost_types::Timestamp { seconds: server.app.clock().now().as_unix_seconds(), nanos: 0 };
    let mut posts = async |id: String, address| {
        let event = track::TrackEventRequest { event_time: Some(now), ..event("cadastro", &id) };
        tracking.track_event(from_page(event, address)).await
    };

    for n in 0..3 {
        posts(format!("e{n}"), "10.0.0.1").await.expect("it is taken");
    }
    let refused = posts("e3".to_owned(), "10.0.0.1").await.expect_err("the limit is reached");

    assert_eq!(reason(&refused), ErrorReason::TooManyRequests);
    assert!(refused.get_details_retry_info().and_then(|info| info.retry_delay).is_some());
    posts("e4".to_owned(), "10.0.0.2").await.expect("another address is not stopped");
    assert_eq!(held(server.app.store()).await.len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn evento_desconhecido_incompleto_ou_de_fora_e_recusado() {
    for world in World::each().await {
        let mut ours = TrackingServiceClient::new(world.app.routes(Audience::Gateway));
        let mut outside = TrackingServiceClient::new(world.app.routes(Audience::Internal));

        let from_page = |message| from_page(message, "10.0.0.1");
        let unknown =
            ours.track_event(from_page(event("compra", "compra:1"))).await.expect_err("no such event");
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
}

#[tokio::test(flavor = "multi_thread")]
async fn evento_velho_ou_do_futuro_e_recusado_e_nada_se_guarda() {
    for world in World::each().await {
        let mut tracking = TrackingServiceClient::new(world.app.routes(Audience::Gateway));
        for seconds in [HAPPENED - 7 * 86_400, HAPPENED + 86_400, 0, -1, i64::MAX, i64::MIN] {
            let event_time = Some(prost_types::Timestamp { seconds, nanos: 0 });
            let event = track::TrackEventRequest { event_time, ..event("cadastro", "cadastro:usr_1") };

            let refused =
                tracking.track_event(from_page(event, "10.0.0.1")).await.expect_err("it is refused");

            assert_eq!(reason(&refused), ErrorReason::InvalidArgument, "{seconds}");
            assert_eq!(fields(&refused), ["event_time"], "{seconds}");
        }
        assert!(held(world.app.store()).await.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn chave_do_trabalho_nao_repete_o_que_veio_de_fora() {
    for world in World::each().await {
        let mut tracking = TrackingServiceClient::new(world.app.routes(Audience::Gateway));
        let typed = "ana@example.com\u{1b}[2J".repeat(10);

        for _ in 0..2 {
            let request = from_page(event("cadastro", &typed), "10.0.0.1");
            tracking.track_event(request).await.expect("it is taken");
        }

        let of_kind = JobFilter { kind: Some(JobKind::Conversion), ..JobFilter::default() };
        let jobs = world.app.store().jobs_list(&of_kind, 10).await.expect("readable");
        assert_eq!(jobs.len(), 1);
        assert!(jobs[0].key.starts_with("cadastro:") && jobs[0].key.len() < 64, "{}", jobs[0].key);
        assert!(!jobs[0].key.contains("ana"), "{}", jobs[0].key);
    }
}
