//! Each invariant is broken on purpose, and the doctor names that one alone.

use garimpo_domain::Timestamp;
use serde_json::json;

use super::{meddles, operator, settings};
use crate::operator::Operator;
use crate::operator::doctor::Checked;
use crate::store::billing::{customers, invoices};
use crate::store::operator::heartbeats;
use crate::store::{Store, StoreError};
use crate::tests::database::Database;
use crate::tests::server::Held;
use crate::tests::world::World;

const CARD: &str = "4242424242424242";
const HOUR: i64 = 3_600_000_000;
const DAY: i64 = 24 * HOUR;

/// Ana, who paid by card, and Rui, whose boleto waits; the server has stopped, so that nothing
/// mends by itself.
struct Still {
    world: World,
    ana: Held,
    rui: Held,
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
    async fn meddles(&self, statements: &str) {
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
        meddles(database, &text).await;
    }
}

fn findings(checked: &[Checked]) -> Vec<(&'static str, String)> {
    for one in checked {
        assert_eq!(one.unasked, None, "{}", one.invariant);
    }
    let of = |one: &Checked| -> Vec<_> {
        one.findings.iter().map(|found| (one.invariant, found.subject.clone())).collect()
    };
    checked.iter().flat_map(of).collect()
}

/// A subscription of Ana's beside the one that she has.
const ANOTHER: &str = "INSERT INTO subscriptions (id, uid, plan_id, plan_interval, coupon_id, promo_code, price_centavos,
    payment_method, provider_status, live, retired, first_paid_at_us, paid_from_us, paid_until_us, first_charge_at_us,
    renewal, renewal_at_us, cancel_at_period_end, ended_at_us, created_at_us)
  SELECT 'sub_quebrada', uid, plan_id, plan_interval, coupon_id, promo_code, price_centavos, payment_method,
    provider_status, {live}, {retired}, first_paid_at_us, paid_from_us, paid_until_us, first_charge_at_us, renewal,
    renewal_at_us, cancel_at_period_end, {ended}, created_at_us - 1 FROM subscriptions WHERE uid = '{ana}';";

/// An invoice of Ana's that was paid two hours ago.
const PAID: &str = "INSERT INTO invoices (id, uid, subscription_id, reason, status, total_centavos, payment_method,
    payment_intent_id, boleto_line, boleto_url, receipt_url, paid_at_us, created_at_us)
  VALUES ('in_quebrada', '{ana}', '{subscription}', 'subscription_create', 'paid', 100, 'card', '', '', '', '',
    {now} - 2 * {hour}, {now} - 2 * {hour});";

const CHECKOUT: &str = "INSERT INTO checkouts (id, uid, email, plan_id, plan_interval, coupon_id, promo_code, price_id,
    price_centavos, first_payment_centavos, attempt, status, payment_status, settled, created_at_us, expires_at_us)
  VALUES ('chk_quebrado', '{ana}', '', 'elite', 'monthly', '', '', '', 1, 1, 1, '{status}', 'unpaid', {no},
    {now} - 3 * {day}, {now} - 2 * {day});";

const REFUND: &str = "INSERT INTO refunds (id, uid, subscription_id, invoice_id, amount_centavos, method, reason, state,
    due_at_us, created_at_us) VALUES ('ref_quebrado', '{ana}', 'sub_x', 'in_x', 100, '{method}', 'duplicate', 'requested',
    {due}, {now} - 2 * {day});";

const JOB: &str = "INSERT INTO jobs (kind, key, payload, state, due_at_us, attempts, generation, leased_until_us, last_error)
  VALUES ('de_outra_versao', 'quebrado', '{}', '{state}', {due}, 1, 1, {lease}, 'caiu');";

const CHANGE: &str = "INSERT INTO plan_changes (id, uid, token_hash, subscription_id, item_id, from_price_id,
    from_period_start_at_us, from_period_end_at_us, from_balance_centavos, from_cancels, plan_id, plan_interval, price_id,
    renews_again, counts_from_at_us, total_centavos, due_centavos, state, attempt, decline_code, created_at_us,
    expires_at_us) VALUES ('plc_quebrada', '{ana}', {bytes}, 'sub_x', '', '', 0, 0, 0, {no}, 'elite_pro_1', 'monthly', '',
    {no}, 0, 1, 1, 'claimed', 1, '', {now} - 2 * {hour}, {now} - {hour});";

const CANCELLATION: &str = "INSERT INTO cancellations (id, uid, subscription_id, reason, told, created_at_us)
    SELECT 'can_quebrado', uid, id, '', {no}, {now} - 2 * {hour} FROM subscriptions WHERE uid = '{ana}';";

fn job(state: &str, due: &str, lease: &str) -> String {
    JOB.replace("{state}", state).replace("{due}", due).replace("{lease}", lease)
}

/// Name of the invariant, subject of the finding, how it is broken, how that is undone.
#[expect(clippy::too_many_lines, reason = "a table: a row for each invariant")]
fn breaks() -> Vec<(&'static str, &'static str, String, &'static str)> {
    let another = |live: &str, retired: &str, ended: &str| {
        ANOTHER.replace("{live}", live).replace("{retired}", retired).replace("{ended}", ended)
    };
    let without_job = "DELETE FROM jobs WHERE key = 'quebrado'";
    let without_subscription =
        "DELETE FROM subscriptions WHERE id = 'sub_quebrada'; DELETE FROM invoices WHERE id = 'in_quebrada'";
    let without_checkout = "DELETE FROM checkouts WHERE id = 'chk_quebrado'";
    let dearer = CHECKOUT.replace("{status}", "complete")
        + "UPDATE checkouts SET quoted_centavos = 2, settled = {yes} WHERE id = 'chk_quebrado';";
    vec![
        ("checkout_price_is_ours", "chk_quebrado", dearer, without_checkout),
        ("jobs_parked", "de_outra_versao quebrado", job("parked", "{now}", "NULL"), without_job),
        ("jobs_abandoned", "de_outra_versao quebrado", job("waiting", "{now} + {hour}", "1"), without_job),
        ("jobs_late", "de_outra_versao quebrado", job("waiting", "{now} - 2 * {hour}", "NULL"), without_job),
        (
            "event_has_job",
            "evt_quebrado",
            "INSERT INTO events (id, kind, customer_id, seen_ticket, body, received_at_us)
               VALUES ('evt_quebrado', 'invoice.paid', NULL, 0, {bytes}, {now} - 1000)"
                .into(),
            "DELETE FROM events WHERE id = 'evt_quebrado'",
        ),
        (
            "one_live_subscription",
            "{ana}",
            format!("DROP INDEX subscriptions_live; {}", another("{yes}", "''", "NULL")),
            "DELETE FROM subscriptions WHERE id = 'sub_quebrada';
             CREATE UNIQUE INDEX subscriptions_live ON subscriptions (uid) WHERE live",
        ),
        (
            "live_as_rights_say",
            "{ana}",
            "UPDATE subscriptions SET live = {no} WHERE uid = '{ana}'".into(),
            "UPDATE subscriptions SET live = {yes} WHERE uid = '{ana}'",
        ),
        (
            "live_as_rights_say",
            "{rui}",
            "UPDATE subscriptions SET live = {yes} WHERE uid = '{rui}'".into(),
            "UPDATE subscriptions SET live = {no} WHERE uid = '{rui}'",
        ),
        (
            "rights_change_has_job",
            "{ana}",
            "UPDATE jobs SET key = 'guardada' WHERE kind = 'rights_change' AND key = '{ana}'".into(),
            "UPDATE jobs SET key = '{ana}' WHERE kind = 'rights_change' AND key = 'guardada'",
        ),
        (
            "rights_change_has_job",
            "{ana}",
            "UPDATE jobs SET due_at_us = due_at_us + 1 WHERE kind = 'rights_change' AND key = '{ana}'".into(),
            "UPDATE jobs SET due_at_us = due_at_us - 1 WHERE kind = 'rights_change' AND key = '{ana}'",
        ),
        (
            "paid_invoice_has_subscription",
            "in_quebrada",
            PAID.replace("{subscription}", "sub_de_ninguem"),
            without_subscription,
        ),
        (
            "duplicate_given_back",
            "sub_quebrada",
            another("{no}", "'duplicate'", "{now}") + &PAID.replace("{subscription}", "sub_quebrada"),
            without_subscription,
        ),
        (
            "duplicate_given_back",
            "sub_quebrada",
            another("{no}", "'duplicate'", "{now}")
                + &PAID.replace("{subscription}", "sub_quebrada")
                + "; UPDATE invoices SET amount_due_centavos = 0 WHERE id = 'in_quebrada'",
            without_subscription,
        ),
        (
            "difference_given_back",
            "in_quebrada",
            another("{no}", "''", "{now}")
                + &PAID.replace("{subscription}", "sub_quebrada")
                + "UPDATE subscriptions SET returned_at_us = {now} - 2 * {hour} WHERE id = 'sub_quebrada';
                   UPDATE invoices SET reason = 'subscription_update', paid_at_us = {now} WHERE id = 'in_quebrada'",
            without_subscription,
        ),
        (
            "subscription_has_account",
            "sub_a_mao",
            "UPDATE customers SET made_by_hand = 'sub_a_mao' WHERE uid = '{ana}'".into(),
            "UPDATE customers SET made_by_hand = '' WHERE uid = '{ana}'",
        ),
        (
            "refund_in_time",
            "ref_quebrado",
            REFUND.replace("{method}", "pix").replace("{due}", "{now} - 1"),
            "DELETE FROM refunds WHERE id = 'ref_quebrado'",
        ),
        (
            "card_refund_made",
            "ref_quebrado",
            REFUND.replace("{method}", "card").replace("{due}", "NULL"),
            "DELETE FROM refunds WHERE id = 'ref_quebrado'",
        ),
        (
            "checkout_settles",
            "chk_quebrado",
            CHECKOUT.replace("{status}", "open"),
            "DELETE FROM checkouts WHERE id = 'chk_quebrado'",
        ),
        (
            "intent_answered",
            "chk_quebrado",
            CHECKOUT.replace("{status}", "intent"),
            "DELETE FROM checkouts WHERE id = 'chk_quebrado'",
        ),
        (
            "plan_change_finished",
            "plc_quebrada",
            CHANGE.into(),
            "DELETE FROM plan_changes WHERE id = 'plc_quebrada'",
        ),
        (
            "cancellation_told",
            "can_quebrado",
            CANCELLATION.into(),
            "DELETE FROM cancellations WHERE id = 'can_quebrado'",
        ),
        (
            "boleto_lapses",
            "{boleto}",
            "UPDATE invoices SET boleto_due_at_us = boleto_due_at_us - 9 * {day} WHERE uid = '{rui}'".into(),
            "UPDATE invoices SET boleto_due_at_us = boleto_due_at_us + 9 * {day} WHERE uid = '{rui}'",
        ),
        (
            "customer_unique",
            "{customer}",
            "DROP INDEX customers_customer_id;
             INSERT INTO customers (uid, intent_id, attempt, customer_id, ticket_issued, ticket_applied, created_at_us)
               SELECT 'usr_outra', 'int_x', 1, customer_id, 0, 0, 0 FROM customers WHERE uid = '{ana}'"
                .into(),
            "DELETE FROM customers WHERE uid = 'usr_outra';
             CREATE UNIQUE INDEX customers_customer_id ON customers (customer_id)",
        ),
        (
            "clock",
            "clock",
            "INSERT INTO audit_events (id, at_us, kind, uid, device, request_id)
               VALUES ('aud_quebrado', {now} + {hour}, 'sign_in', '{ana}', '', '')"
                .into(),
            "DELETE FROM audit_events WHERE id = 'aud_quebrado'",
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn cada_regra_quebrada_de_proposito_e_o_unico_achado() {
    let still = Still::new().await;
    assert_eq!(still.findings().await, []);
    let store = still.world.database.open().await;
    let customer = customers::by_uid(&store, &still.ana.uid).await.expect("read").expect("a customer");
    let boleto = invoices::by_uid(&store, &still.rui.uid).await.expect("read").remove(0).id;
    store.close().await;

    for (invariant, subject, breaking, mending) in breaks() {
        still.meddles(&breaking).await;
        let found = still.findings().await;
        still.meddles(mending).await;

        let subject = subject
            .replace("{ana}", &still.ana.uid)
            .replace("{rui}", &still.rui.uid)
            .replace("{customer}", customer.customer_id.as_deref().unwrap_or_default())
            .replace("{boleto}", &boleto);
        assert_eq!(found, [(invariant, subject)]);
    }
    assert_eq!(still.findings().await, []);

    // Last, since the constraint does not come back.
    let unbound = if still.world.database.is_postgres() {
        "ALTER TABLE sessions DROP CONSTRAINT sessions_uid_fkey;"
    } else {
        ""
    };
    still
        .meddles(&format!("{unbound} UPDATE sessions SET uid = 'usr_de_ninguem' WHERE uid = '{{ana}}'"))
        .await;
    assert_eq!(still.findings().await, [("session_has_account", "usr_de_ninguem".to_owned())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn reconciliar_a_conta_conserta_o_que_o_medico_manda_reconciliar() {
    let still = Still::new().await;
    let of_ana = format!("garimpo admin reconcile --uid {}", still.ana.uid);
    for breaking in [
        "UPDATE subscriptions SET live = {no} WHERE uid = '{ana}'",
        "DELETE FROM jobs WHERE kind = 'rights_change' AND key = '{ana}'",
        "DELETE FROM subscriptions WHERE uid = '{ana}'",
    ] {
        still.meddles(breaking).await;
        let looking = still.operator().await;
        let checked = looking.doctor().await;
        looking.close().await;
        let told: Vec<_> = checked.iter().flat_map(|one| &one.findings).map(|found| &found.mend).collect();
        assert!(!told.is_empty() && told.iter().all(|mend| **mend == of_ana), "{breaking}: {told:?}");

        let database = &still.world.database;
        let mending = Operator::open(settings(database, &still.now.to_rfc3339(), &still.world.url))
            .await
            .expect("it opens");
        mending.billing().sync.refresh(&still.ana.uid).await.expect("the provider answers");
        mending.close().await;

        assert_eq!(still.findings().await, [], "{breaking}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn evento_sem_trabalho_volta_a_fila_e_intencao_velha_e_encerrada_pela_limpeza() {
    let mut still = Still::new().await;
    still
        .meddles(
            "DELETE FROM jobs WHERE kind = 'payment_event' AND key = (SELECT MIN(key) FROM jobs
               WHERE kind = 'payment_event')",
        )
        .await;
    still.meddles(&CHECKOUT.replace("{status}", "intent")).await;
    let found = still.findings().await;
    let [("event_has_job", event), ("intent_answered", _)] = &found[..] else { panic!("{found:?}") };

    let database = &still.world.database;
    let mending = Operator::open(settings(database, &still.now.to_rfc3339(), &still.world.url))
        .await
        .expect("it opens");
    assert!(mending.billing().events.event_replay(event).await.expect("stored"));
    assert!(!mending.billing().events.event_replay("evt_nenhum").await.expect("read"));
    mending.close().await;
    still.world.restarts().await;
    still.world.advances_days(1).await;

    still.now = still.world.app.clock().now();
    assert_eq!(still.findings().await, []);
    assert_eq!(still.world.mails_to("ana@example.com").await.len(), 1, "nobody is told twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn provedor_fora_do_ar_e_chave_recusada_sao_achados_so_quando_se_pergunta() {
    let world = World::on_sqlite().await;
    let now = world.app.clock().now().to_rfc3339();
    let looking = operator(&world.database, &now, &world.url).await;
    assert!(looking.doctor_provider().await.holds());

    world.fails(json!({ "path": "/v1/products/top_afiliado", "status": 401, "times": 1 })).await;
    let checked = looking.doctor_provider().await;
    world.heals().await;

    assert_eq!(checked.findings.len(), 1, "{checked:?}");
    assert!(looking.doctor().await.iter().all(Checked::holds));
    looking.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn quem_so_le_nao_migra_nem_escreve() {
    let database = Database::new().await;
    database.open().await.close().await;
    let store = Store::open_to_read(&database.settings()).await.expect("it is current");
    assert!(heartbeats::write(&store).await.is_err(), "a write is refused");
    store.close().await;

    meddles(&database, "DELETE FROM _sqlx_migrations WHERE version = 17").await;
    let older = Store::open_to_read(&database.settings()).await.err().expect("it is older");
    assert!(matches!(older, StoreError::SchemaOlder { version: 17 }), "{older:?}");

    let again = |version: i64| {
        format!(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
               SELECT {version}, description, success, checksum, execution_time FROM _sqlx_migrations WHERE version = 1;"
        )
    };
    let demands = "INSERT INTO schema_requirements (migration, oldest_migration) VALUES (9999, 9999)";
    meddles(&database, &(again(17) + &again(9999) + demands)).await;
    let newer = Store::open_to_read(&database.settings()).await.err().expect("it is newer");
    assert!(matches!(newer, StoreError::SchemaNewer { version: 9999 }), "{newer:?}");
}
