//! A server that dies with work in its hands, or stands still with it.

use std::time::{Duration, Instant};

use e2e::Person;
use e2e::fleet::Fleet;
use serde_json::json;

use super::fleet;

/// A lease, the look of another server for what is due, and room for a slow machine.
const TAKEOVER: Duration = Duration::from_secs(12);

const MAIL: &str = "kind = 'mail'";

#[tokio::test(flavor = "multi_thread")]
async fn o_trabalho_de_um_servidor_morto_passa_a_outro_e_e_feito_uma_vez() {
    let mut fleet = fleet!(Fleet::start_with(1, 1, &[]));
    let ana = fleet.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "semestral").await;
    // The mailbox is so slow that the server dies within the delivery.
    fleet.provider().has_fault(json!({ "path": "/mail", "delay_ms": 4000, "times": 1 })).await;
    fleet.provider().pays_by_card(&session, "4242424242424242").await;
    claimed(&fleet, 1).await;

    let died_at = Instant::now();
    fleet.servers[0].kill();
    fleet.starts_a_server().await;

    claimed(&fleet, 2).await;
    let taken_over = died_at.elapsed();
    fleet.comes_to_rest().await;
    println!("the job was taken over after {taken_over:?}");
    assert!(taken_over < TAKEOVER, "{taken_over:?}");
    assert_eq!(ana.record().await["subscription_active"], true);
    assert_eq!(fleet.provider().mails_to(&ana.email).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn um_servidor_que_ficou_parado_nao_desfaz_o_que_outro_assumiu() {
    let mut fleet = fleet!(Fleet::start_with(1, 1, &[]));
    let ana = fleet.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "semestral").await;
    fleet.provider().has_fault(json!({ "path": "/mail", "delay_ms": 2000, "times": 2 })).await;
    fleet.provider().pays_by_card(&session, "4242424242424242").await;
    claimed(&fleet, 1).await;

    fleet.servers[0].process.stands_still();
    fleet.starts_a_server().await;
    claimed(&fleet, 2).await;
    // It goes on while the other one is at the same job.
    fleet.servers[0].process.goes_on();

    fleet.comes_to_rest().await;
    let state = fleet.count(format!("SELECT COUNT(*) FROM jobs WHERE {MAIL} AND state = 'done'")).await;
    assert_eq!(state, 1);
    assert_eq!(fleet.count(format!("SELECT attempts FROM jobs WHERE {MAIL}")).await, 2);
    assert_eq!(fleet.provider().mails_to(&ana.email).await.len(), 1);
}

/// Waits until the mail's job was taken for the `n`th time.
async fn claimed(fleet: &Fleet, n: i64) {
    let query = format!("SELECT COUNT(*) FROM jobs WHERE {MAIL} AND attempts = {n}");
    e2e::eventually("the claim of the mail", || async {
        (fleet.count(query.clone()).await == 1).then_some(())
    })
    .await;
}
