//! Each invariant is broken on purpose, and the doctor names that one alone.

mod breaks;

use garimpo_domain::{EventId, Timestamp};
use serde_json::json;

use self::breaks::{CHECKOUT, breaks};
use super::{execute_sql, operator, settings};
use crate::doctor::Checked;
use crate::operator::Operator;
use crate::store::billing::{customers, invoices};
use crate::store::operator::heartbeats;
use crate::store::{Store, StoreError};
use crate::tests::database::Database;
use crate::tests::server::SignedInUser;
use crate::tests::world::World;

const CARD: &str = "4242424242424242";
const HOUR: i64 = 3_600_000_000;
const DAY: i64 = 24 * HOUR;

/// Ana, who paid by card, and Rui, whose boleto waits; the server has stopped, so that nothing
/// mends by itself.
struct Still {
    world: World,
    ana: SignedInUser,
    rui: SignedInUser,
    now: Timestamp,
}

impl Still {
    async fn new() -> Self {
        let world = World::new().await;
        let ana = world.signs_up("ana@example.com").await;
        let session = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("a checkout opens");
        world.pays_by_card(&session, CARD).await;
        let rui = world.signs_up("rui@example.com").await;
        let session = world.opens(&rui, "top_afiliado", "month", "").await.expect("a checkout opens");
        world.takes_boleto(&session).await;
        world.rest().await;
        let now = world.app.clock().now();
        world.app.stop().await;
        Self { world, ana, rui, now }
    }

    async fn operator(&self) -> Operator {
        operator(&self.world.database, &self.now.to_rfc3339(), &self.world.url).await
    }

    /// What the doctor finds, as invariant and subject.
    async fn findings(&self) -> Vec<(&'static str, String)> {
        let operator = self.operator().await;
        let checked = operator.doctor().await;
        operator.close().await;
        findings(&checked)
    }

    /// Runs statements with the places of this world filled in.
    async fn execute_sql(&self, statements: &str) {
        let database = &self.world.database;
        let (boolean, bytes) =
            if database.is_postgres() { (["FALSE", "TRUE"], "'\\x7b7d'") } else { (["0", "1"], "x'7b7d'") };
        let text = statements
            .replace("{ana}", &self.ana.uid)
            .replace("{rui}", &self.rui.uid)
            .replace("{now}", &self.now.as_micros().to_string())
            .replace("{hour}", &HOUR.to_string())
            .replace("{day}", &DAY.to_string())
            .replace("{no}", boolean[0])
            .replace("{yes}", boolean[1])
            .replace("{bytes}", bytes);
        execute_sql(database, &text).await;
    }
}

fn findings(checked: &[Checked]) -> Vec<(&'static str, String)> {
    for one in checked {
        assert_eq!(one.error, None, "{}", one.invariant);
    }
    let of = |one: &Checked| -> Vec<_> {
        one.findings.iter().map(|found| (one.invariant, found.subject.clone())).collect()
    };
    checked.iter().flat_map(of).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_invariant_broken_on_purpose_is_the_only_finding() {
    let still = Still::new().await;
    assert_eq!(still.findings().await, []);
    let store = still.world.database.open().await;
    let customer = customers::by_uid(&store, &still.ana.uid).await.expect("read").expect("a customer");
    let boleto = invoices::by_uid(&store, &still.rui.uid).await.expect("read").remove(0).id;
    store.close().await;

    for (invariant, subject, breaking, repairing) in breaks() {
        still.execute_sql(&breaking).await;
        let found = still.findings().await;
        still.execute_sql(repairing).await;

        let subject = subject
            .replace("{ana}", &still.ana.uid)
            .replace("{rui}", &still.rui.uid)
            .replace("{customer}", customer.customer_id.as_deref().unwrap_or_default())
            .replace("{boleto}", &boleto);
        assert_eq!(found, [(invariant, subject)]);
    }
    assert_eq!(still.findings().await, []);

    // Last, because the dropped constraint is not restored.
    let unbound = if still.world.database.is_postgres() {
        "ALTER TABLE sessions DROP CONSTRAINT sessions_uid_fkey;"
    } else {
        ""
    };
    still
        .execute_sql(&format!("{unbound} UPDATE sessions SET uid = 'usr_de_ninguem' WHERE uid = '{{ana}}'"))
        .await;
    assert_eq!(still.findings().await, [("session_has_account", "usr_de_ninguem".to_owned())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn reconciling_the_account_repairs_the_findings_that_suggest_it() {
    let still = Still::new().await;
    let of_ana = format!("garimpo admin reconcile --uid {}", still.ana.uid);
    for breaking in [
        "UPDATE subscriptions SET live = {no} WHERE uid = '{ana}'",
        "DELETE FROM jobs WHERE kind = 'rights_change' AND key = '{ana}'",
        "DELETE FROM subscriptions WHERE uid = '{ana}'",
    ] {
        still.execute_sql(breaking).await;
        let looking = still.operator().await;
        let checked = looking.doctor().await;
        looking.close().await;
        let found: Vec<_> = checked.iter().flat_map(|one| &one.findings).collect();
        assert!(!found.is_empty() && found.iter().all(|one| one.repair == of_ana), "{breaking}: {found:?}");

        let database = &still.world.database;
        let operator = Operator::open(settings(database, &still.now.to_rfc3339(), &still.world.url))
            .await
            .expect("it opens");
        operator.billing().sync.refresh(&still.ana.uid).await.expect("the provider answers");
        operator.close().await;

        assert_eq!(still.findings().await, [], "{breaking}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_without_a_job_can_be_replayed_and_cleanup_ends_an_old_checkout_intent() {
    let mut still = Still::new().await;
    still
        .execute_sql(
            "DELETE FROM jobs WHERE kind = 'payment_event' AND key = (SELECT MIN(key) FROM jobs
               WHERE kind = 'payment_event')",
        )
        .await;
    still.execute_sql(&CHECKOUT.replace("{status}", "intent")).await;
    let found = still.findings().await;
    let [("event_has_job", event), ("intent_answered", _)] = &found[..] else { panic!("{found:?}") };

    let database = &still.world.database;
    let operator = Operator::open(settings(database, &still.now.to_rfc3339(), &still.world.url))
        .await
        .expect("it opens");
    assert!(operator.billing().events.replay(&EventId::new(event)).await.expect("stored"));
    assert!(!operator.billing().events.replay(&EventId::new("evt_nenhum")).await.expect("read"));
    operator.close().await;
    still.world.restarts().await;
    still.world.advances_days(1).await;

    still.now = still.world.app.clock().now();
    assert_eq!(still.findings().await, []);
    assert_eq!(still.world.mails_to("ana@example.com").await.len(), 1, "nobody gets two mails");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_outage_and_a_rejected_key_are_found_only_when_the_provider_is_checked() {
    let world = World::on_sqlite().await;
    let now = world.app.clock().now().to_rfc3339();
    let looking = operator(&world.database, &now, &world.url).await;
    assert!(looking.doctor_with_provider().await.iter().all(Checked::holds));

    world.fails(json!({ "path": "/v1/products/top_afiliado", "status": 401, "times": 1 })).await;
    let checked = looking.doctor_with_provider().await;
    world.clear_faults().await;

    assert_eq!(findings(&checked), [("provider_answers", "payment provider".to_owned())]);
    assert!(looking.doctor().await.iter().all(Checked::holds));
    looking.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn findings_give_instants_in_the_time_of_sao_paulo() {
    let still = Still::new().await;
    let breaks = "UPDATE payers_check SET state = 'found';
         UPDATE jobs SET due_at_us = due_at_us + 1 WHERE kind = 'rights_change' AND key = '{ana}'";
    still.execute_sql(breaks).await;
    let operator = still.operator().await;

    let checked = operator.doctor().await;

    operator.close().await;
    for (rule, instants) in [("empty_beside_payers", 1), ("rights_change_has_job", 2)] {
        let found = checked.iter().find(|one| one.invariant == rule).expect("it is checked");
        let what = &found.findings[0].what;
        assert_eq!((what.matches("-03:00").count(), what.matches('.').count()), (instants, 0), "{what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_store_neither_migrates_nor_writes() {
    let database = Database::new().await;
    database.open().await.close().await;
    let store = Store::open_to_read(&database.settings()).await.expect("it is current");
    assert!(heartbeats::write(&store).await.is_err(), "a write is refused");
    store.close().await;

    execute_sql(&database, "UPDATE _sqlx_migrations SET version = 9999").await;
    let older = Store::open_to_read(&database.settings()).await.err().expect("it is older");
    assert!(matches!(older, StoreError::SchemaOlder { version: 100 }), "{older:?}");

    let again = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                   SELECT 100, description, success, checksum, execution_time FROM _sqlx_migrations;";
    let demands = "INSERT INTO schema_requirements (migration, oldest_migration) VALUES (9999, 9999)";
    execute_sql(&database, &(again.to_owned() + demands)).await;
    let newer = Store::open_to_read(&database.settings()).await.err().expect("it is newer");
    assert!(matches!(newer, StoreError::SchemaNewer { version: 9999 }), "{newer:?}");
}
