//! A provider that does not know our customers, or deleted one: nobody who paid is cut off.

use garimpo_domain::Timestamp;
use garimpo_proto::billing::v1::GetSubscriptionResponse;
use serde_json::json;

use crate::billing::sync::reconciliation::reconcile_all_in_tx;
use crate::billing::tests::VISA;
use crate::billing::tests::takeback::{decided, disputes, refunds_at_dashboard, suspended_reason};
use crate::operator::Operator;
use crate::providers::stripe::StripeError;
use crate::store::billing::checkouts::{self, CheckoutStatus};
use crate::store::billing::entitlement_changes::{self, EntitlementChange};
use crate::store::billing::invoices::{self, DisputeState, Invoice};
use crate::store::billing::provider_losses::{self, multiply};
use crate::store::billing::reconciliation::{self, SweepPhase};
use crate::store::billing::{customers, refunds, subscriptions};
use crate::store::engine::row::Text as _;
use crate::store::identity::accounts;
use crate::store::jobs::JobState;
use crate::store::operator::job_queries::{self, JobFilter};
use crate::store::{StoreError, transaction};
use crate::testing::server::Held;
use crate::testing::world::World;

/// What an account may use, as GetEntitlements and as WatchEntitlements return it.
async fn rights(world: &World, who: &Held) -> (EntitlementChange, EntitlementChange) {
    let read = world.app.billing().entitlements.rights_read(&who.uid).await.expect("an answer");
    let watched =
        entitlement_changes::states_by_uids(world.app.store(), std::slice::from_ref(&who.uid)).await;
    (read, watched.expect("readable").states.remove(0))
}

/// What GetSubscription returns, but for the time.
async fn account(world: &World, who: &Held) -> GetSubscriptionResponse {
    GetSubscriptionResponse { server_time: None, ..world.account_of(who).await }
}

async fn failed_jobs(world: &World) -> Vec<String> {
    let jobs = job_queries::list(world.app.store(), &JobFilter::default(), 100).await.expect("readable");
    let failed = jobs.into_iter().filter(|job| job.state != JobState::Done && job.last_error.is_some());
    failed.map(|job| format!("{} {}: {:?}", job.kind, job.key, job.last_error)).collect()
}

async fn customer_id(world: &World, who: &Held) -> String {
    let row = customers::by_uid(world.app.store(), &who.uid).await.expect("readable").expect("a row");
    row.customer_id.expect("the provider knows the account")
}

#[tokio::test(flavor = "multi_thread")]
async fn provedor_vazio_nao_muda_os_direitos_de_ninguem_em_nenhuma_leitura() {
    for answer in ["empty_list", "refused"] {
        let world = World::new().await;
        world.behaves(json!({ "unknown_customer": answer })).await;
        let ana = world.signs_up("ana@example.com").await;
        world.subscribes(&ana, "top_afiliado", "month").await;
        let (before, seen) = (account(&world, &ana).await, rights(&world, &ana).await);
        world.provider_forgets().await;

        world.app.billing().reconciliation.account_mend(&ana.uid).await.expect("the account is read");

        let (read, watched) = rights(&world, &ana).await;
        assert!(read.says_as(&seen.0) && watched.says_as(&read), "{read:?} {watched:?}");
        assert_eq!(account(&world, &ana).await, before);
        let rows = subscriptions::by_uid(world.app.store(), &ana.uid).await.expect("readable");
        assert!(rows[0].live, "it keeps its place");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cliente_apagado_no_painel_usa_ate_o_fim_do_que_pagou() {
    for answer in ["expand_refused", "listed", "refused"] {
        let world = World::new().await;
        world.behaves(json!({ "deleted_customer": answer })).await;
        let ana = world.signs_up("ana@example.com").await;
        world.subscribes(&ana, "top_afiliado", "month").await;

        world.provider_deletes(&format!("/v1/customers/{}", customer_id(&world, &ana).await)).await;
        world.rest().await;

        assert_eq!(failed_jobs(&world).await, [""; 0], "no job waits to fail again");
        assert_eq!(world.standing(&ana).await, Some(("active".to_owned(), Some(true))));
        let subscription = world.account_of(&ana).await.subscription.expect("it stands");
        assert!(subscription.cancel_at_period_end, "nothing is charged any more: {subscription:?}");
        world.advances_days(31).await;
        assert_eq!(rights(&world, &ana).await.1.status, "canceled");
        assert_eq!(failed_jobs(&world).await, [""; 0]);
        let session = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
        world.pays_by_card(&session, VISA).await;
        world.rest().await;
        assert_eq!(world.standing(&ana).await, Some(("active".to_owned(), Some(true))));
    }
}

/// An account whose customer was deleted in the dashboard while its paid time runs.
async fn with_deleted_customer(world: &World) -> Held {
    let ana = world.signs_up("ana@example.com").await;
    world.subscribes(&ana, "top_afiliado", "month").await;
    world.provider_deletes(&format!("/v1/customers/{}", customer_id(world, &ana).await)).await;
    world.rest().await;
    assert_eq!(world.standing(&ana).await, Some(("active".to_owned(), Some(true))));
    ana
}

async fn only_invoice(world: &World, who: &Held) -> Invoice {
    invoices::by_uid(world.app.store(), &who.uid).await.expect("readable").remove(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn contestacao_perdida_depois_de_apagado_o_cliente_encerra_o_acesso() {
    for answer in ["expand_refused", "listed", "refused"] {
        let world = World::new().await;
        world.behaves(json!({ "deleted_customer": answer })).await;
        let ana = with_deleted_customer(&world).await;

        let dispute = disputes(&world).await;

        assert_eq!(suspended_reason(&world, &ana).await.as_deref(), Some("payment_disputed"), "{answer}");
        assert_eq!(only_invoice(&world, &ana).await.dispute, Some(DisputeState::Open));
        decided(&world, &dispute, "lose").await;
        assert_eq!(rights(&world, &ana).await.1.status, "canceled", "{answer}");
        let invoice = only_invoice(&world, &ana).await;
        assert_eq!((invoice.dispute, invoice.money_kept().get()), (Some(DisputeState::Lost), 0));
        assert_eq!(failed_jobs(&world).await, [""; 0]);
        world.app.billing().reconciliation.account_mend(&ana.uid).await.expect("the account is read");
        assert_eq!(rights(&world, &ana).await.1.status, "canceled", "{answer}");
        let differences = world.app.billing().reconciliation.differences(&ana.uid).await.expect("readable");
        assert!(differences.is_empty(), "no reading finds anything else: {differences:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn contestacao_ganha_depois_de_apagado_o_cliente_devolve_o_acesso_que_foi_pago() {
    let world = World::on_sqlite().await;
    let ana = with_deleted_customer(&world).await;
    let dispute = disputes(&world).await;

    decided(&world, &dispute, "win").await;

    assert_eq!(suspended_reason(&world, &ana).await, None);
    assert_eq!(world.standing(&ana).await, Some(("active".to_owned(), Some(true))));
}

#[tokio::test(flavor = "multi_thread")]
async fn estorno_depois_de_apagado_o_cliente_encerra_o_acesso_e_aparece_na_fatura() {
    for by_guarantee in [false, true] {
        let world = World::new().await;
        let ana = with_deleted_customer(&world).await;
        let told = findings(&world).await;
        assert!(told[0].contains("was deleted at the payment provider"), "{told:?}");

        if by_guarantee {
            world.wants_back(&ana, None).await.expect("it is given back");
            world.rest().await;
        } else {
            refunds_at_dashboard(&world, None).await;
        }

        assert_eq!(rights(&world, &ana).await.1.status, "canceled");
        let invoice = world.invoices_of(&ana, 0, "").await.expect("a page").invoices.remove(0);
        assert_eq!((invoice.status.as_str(), invoice.refunded_centavos), ("refunded", 9_790));
        assert_eq!(findings(&world).await, [""; 0], "no access is left");
        assert_eq!(failed_jobs(&world).await, [""; 0]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn conta_com_cliente_novo_perde_o_acesso_que_o_cliente_apagado_pagou_e_o_banco_tomou() {
    for by_dispute in [false, true] {
        let world = World::new().await;
        let ana = with_deleted_customer(&world).await;
        let deleted = customer_id(&world, &ana).await;
        let request = garimpo_proto::billing::v1::CreatePortalSessionRequest { email: ana.email.clone() };
        let asks = || crate::testing::server::bearer(request.clone(), &ana.session);
        if world.billing().create_portal_session(asks()).await.is_err() {
            world.billing().create_portal_session(asks()).await.expect("the customer was made anew");
        }
        assert_ne!(customer_id(&world, &ana).await, deleted);
        world.app.billing().reconciliation.account_mend(&ana.uid).await.expect("the account is read");
        assert_eq!(world.standing(&ana).await, Some(("active".to_owned(), Some(true))));
        let told = findings(&world).await;
        assert!(told[0].contains(&format!("{deleted} was deleted")), "{told:?}");

        if by_dispute {
            let dispute = disputes(&world).await;
            decided(&world, &dispute, "lose").await;
        } else {
            refunds_at_dashboard(&world, None).await;
        }

        assert_eq!(rights(&world, &ana).await.1.status, "canceled");
        assert_eq!(only_invoice(&world, &ana).await.money_kept().get(), 0);
        assert_eq!(findings(&world).await, [""; 0]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn garantia_pedida_enquanto_o_provedor_nao_conhece_o_pagamento_volta_no_cartao_ou_por_pix() {
    for comes_back in [true, false] {
        let world = World::new().await;
        let ana = world.signs_up("ana@example.com").await;
        world.subscribes(&ana, "top_afiliado", "month").await;
        world.provider_forgets().await;
        world.wants_back(&ana, None).await.expect("the guarantee does not wait for the provider");
        world.rest().await;
        assert_eq!(failed_jobs(&world).await, [""; 0], "the refund waits");
        let refund = async || {
            let rows = refunds::by_uid(world.app.store(), &ana.uid).await.expect("readable");
            (rows[0].method.text(), rows[0].state.text())
        };
        assert_eq!(refund().await, ("card", "requested"));

        if comes_back {
            world.provider_remembers().await;
            world.advances_hours(2).await;
            assert_eq!(refund().await, ("card", "paid"));
            let at_provider = world.provider_list("/v1/subscriptions?status=all").await;
            assert_eq!(at_provider[0]["status"], "canceled", "nothing renews");
        } else {
            world.advances_days(8).await;
            assert_eq!(refund().await, ("pix", "requested"));
            assert_eq!(
                refunds::count_due(world.app.store()).await.expect("readable"),
                1,
                "the operator sees it"
            );
            world.provider_remembers().await;
            world.advances_days(1).await;
            assert!(world.provider_list("/v1/refunds").await.is_empty(), "it is paid once");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reconciliacao_sem_mudanca_nao_conta_revisao() {
    let world = World::new().await;
    let ana = world.signs_up("ana@example.com").await;
    world.subscribes(&ana, "top_afiliado", "month").await;
    let revision = async || {
        let account = accounts::by_uid(world.app.store(), &ana.uid).await.expect("readable");
        account.expect("it stands").revision
    };
    let before = revision().await;

    for _ in 0..2 {
        world.app.billing().reconciliation.account_mend(&ana.uid).await.expect("the account is read");
    }

    assert_eq!(revision().await, before, "nothing changed");
    world.cancels(&ana, "caro").await.expect("it is cancelled");
    assert!(revision().await > before, "a change counts");
}

#[tokio::test(flavor = "multi_thread")]
async fn ler_uma_compra_aberta_muitas_vezes_le_o_provedor_uma_vez_a_cada_dois_segundos() {
    let world = World::new().await;
    let ana = world.signs_up("ana@example.com").await;
    let session = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    let reads = async || {
        let row = customers::by_uid(world.app.store(), &ana.uid).await.expect("readable");
        row.expect("a row").ticket_issued
    };
    let before = reads().await;

    let began = std::time::Instant::now();
    for _ in 0..10 {
        let answers = futures::future::join_all((0..4).map(|_| world.checkout(&session))).await;
        assert!(answers.iter().all(|answer| answer.as_ref().is_ok_and(|read| read.status == "open")));
    }

    let read = reads().await - before;
    let allowed = 1 + began.elapsed().as_millis() as i64 / 2_000;
    assert!((1..=allowed).contains(&read), "{read} readings of the provider for 40 calls, {allowed} allowed");
}

#[tokio::test(flavor = "multi_thread")]
async fn duas_aberturas_da_mesma_compra_entregam_a_sessao_que_ficou_guardada() {
    let world = World::new().await;
    let ana = world.signs_up("ana@example.com").await;
    let first = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("a checkout opens");
    world
        .fails(json!({
            "path": "/v1/checkout/sessions", "method": "POST", "delay_ms": 2_000, "times": 1
        }))
        .await;
    let store = world.app.store();
    let meanwhile = async {
        let intent = async || {
            let rows = checkouts::by_uid(store, &ana.uid).await.expect("readable");
            rows.into_iter().find(|row| row.status == CheckoutStatus::Intent)
        };
        world.eventually("the intent is stored", async || intent().await.is_some()).await;
        let row = intent().await.expect("it was there");
        let stored: Result<bool, StoreError> = transaction!(store, (row), |tx| {
            let (session, secret) = ("cs_test_outra", "cs_test_outra_secret_x");
            checkouts::mark_opened(tx, &row.id, session, secret, None, row.quoted_centavos).await
        })
        .await;
        assert!(stored.expect("it is stored"), "the other call was first");
    };

    let (opened, ()) = tokio::join!(world.opens(&ana, "top_afiliado", "month", ""), meanwhile);

    assert_eq!(opened.expect("a checkout opens"), "cs_test_outra");
    world.settles().await;
    let sessions = world.provider_list("/v1/checkout/sessions").await;
    let left_open: Vec<_> = sessions.iter().filter(|found| found["status"] == "open").collect();
    assert!(left_open.iter().all(|found| found["id"] == *first), "nobody has its secret: {left_open:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn chave_recusada_e_dita_como_chave_recusada() {
    let world = World::on_sqlite().await;
    let ana = world.signs_up("ana@example.com").await;
    world.subscribes(&ana, "top_afiliado", "month").await;
    world.fails(json!({ "path": "/v1", "status": 401 })).await;

    let refused =
        world.app.billing().reconciliation.differences(&ana.uid).await.expect_err("the key is refused");

    assert!(refused.to_string().contains("refuses our key"), "{refused}");
}

/// Customers of the mass loss; `make soak` plays 20,000.
#[expect(clippy::disallowed_methods, reason = "tests have no settings of the binary")]
fn crowd() -> u32 {
    std::env::var("GARIMPO_SOAK_CUSTOMERS").ok().and_then(|text| text.parse().ok()).unwrap_or(300)
}

/// How long all of them may take.
const CROWD_WAITS: std::time::Duration = std::time::Duration::from_mins(20);

async fn reconciles_all(world: &World) {
    let now = world.app.clock().now();
    let done: Result<(), StoreError> =
        transaction!(world.app.store(), |tx| reconcile_all_in_tx(tx, now).await).await;
    done.expect("it is enqueued");
    assert!(world.app.queue().settle(CROWD_WAITS).await, "the queue comes to rest");
    // A large sweep rests after each twenty pages.
    while is_sweeping(world).await {
        world.advances_minutes(1).await;
    }
}

async fn is_sweeping(world: &World) -> bool {
    let store = world.app.store();
    let is_stopped = provider_losses::current_stop(store).await.expect("readable").is_some();
    !is_stopped && reconciliation::current(store).await.expect("readable").phase != SweepPhase::Idle
}

/// The findings of the doctor about the provider.
async fn findings(world: &World) -> Vec<String> {
    let operator = Operator::beside(&world.app);
    let checked = operator.doctor().await;
    let about =
        |name: &str| ["provider_knows_customers", "live_as_rights_say", "jobs_parked"].contains(&name);
    let findings = checked.into_iter().filter(|one| about(one.invariant)).flat_map(|one| one.findings);
    findings.map(|found| format!("{}: {}", found.subject, found.what)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn provedor_que_nao_conhece_os_clientes_para_a_reconciliacao_e_a_volta_dele_a_retoma() {
    let world = World::new().await;
    let count = crowd();
    let ana = world.signs_up("ana@example.com").await;
    world.subscribes(&ana, "top_afiliado", "anual").await;
    let customer = customer_id(&world, &ana).await;
    world.provider_multiplies(&ana, &customer, count).await;
    let store = world.app.store();
    multiply(store, &ana.uid, count).await;
    let uids: Vec<String> =
        (1..=count).map(|i| format!("{}_{i}", ana.uid)).chain([ana.uid.clone()]).collect();
    let seen = async || {
        let mut read = Vec::new();
        for some in uids.chunks(500) {
            let states = world.app.billing().entitlements.rights_read_many(some).await.expect("answers");
            read.extend(
                states.into_iter().map(|state| EntitlementChange { at: Timestamp::default(), ..state }),
            );
        }
        read
    };
    let tickets = async || {
        let mut tickets = 0;
        for uid in &uids {
            tickets += customers::by_uid(store, uid).await.expect("readable").expect("a row").ticket_issued;
        }
        tickets
    };
    let tickets_before = tickets().await;
    reconciles_all(&world).await;
    assert_eq!(tickets().await, tickets_before, "the lists show that nothing differs: nobody is read alone");
    assert_eq!(findings(&world).await, [""; 0], "the provider knows them all");
    let (before, mine, tail) = (
        seen().await,
        account(&world, &ana).await,
        entitlement_changes::tail(store).await.expect("readable"),
    );
    assert_eq!(before.len(), uids.len());
    let read_before = tickets().await;

    world.provider_forgets().await;
    reconciles_all(&world).await;

    let read = tickets().await - read_before;
    assert!(read <= i64::from(count) / 100 + 20, "the sweep stops: {read} readings of {count}");
    let stop = provider_losses::current_stop(store).await.expect("readable").expect("it is stopped");
    world.app.billing().sync.refresh(&ana.uid).await.expect("as the return page reads it");
    let event = json!({ "id": "evt_perdido", "object": "event", "type": "customer.subscription.updated",
        "data": { "object": { "id": "sub_x", "object": "subscription", "customer": customer } } });
    world.delivers(&event, "whsec_garimpo").await.expect("it is taken");
    world.advances_minutes(30).await;
    assert_eq!(provider_losses::current_stop(store).await.expect("readable"), Some(stop), "one alarm");
    assert_eq!(seen().await, before, "GetEntitlements, BatchGetEntitlements, CheckLimit");
    assert_eq!(entitlement_changes::tail(store).await.expect("readable"), tail, "WatchEntitlements");
    assert_eq!(account(&world, &ana).await, mine, "GetSubscription");
    assert_eq!(failed_jobs(&world).await, [""; 0]);
    let told = findings(&world).await;
    assert!(told[0].starts_with("reconciliation: reconciliation is stopped since"), "{told:?}");

    world.provider_remembers().await;
    world.posts("/clock", json!({ "advance_seconds": 660, "keep_sessions": true })).await;
    assert!(world.app.queue().settle(CROWD_WAITS).await, "the queue comes to rest");
    assert_eq!(provider_losses::current_stop(store).await.expect("readable"), None, "it goes on by itself");
    assert_eq!(provider_losses::count(store).await.expect("readable"), 0);
    assert_eq!(findings(&world).await, [""; 0]);
    assert_eq!(seen().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn poucos_clientes_perdidos_alarmam_e_nao_param_a_reconciliacao() {
    let world = World::new().await;
    let ana = world.signs_up("ana@example.com").await;
    world.subscribes(&ana, "top_afiliado", "month").await;
    world.provider_forgets().await;

    world.app.billing().reconciliation.account_mend(&ana.uid).await.expect("the account is read");
    world.advances_minutes(15).await;

    let store = world.app.store();
    assert_eq!(provider_losses::current_stop(store).await.expect("readable"), None);
    let told = findings(&world).await;
    assert!(told[0].contains("the payment provider does not know the customer"), "{told:?}");
    let unreported = transaction!(store, |tx| provider_losses::mark_reported(tx).await);
    let unreported = unreported.await.expect("readable");
    assert!(unreported.is_empty(), "its alarm was raised: {unreported:?}");
    let compared = world.app.billing().reconciliation.compare(&ana.uid).await.expect("readable");
    assert_eq!((compared.lost, compared.differences.len()), (Some("unknown"), 0));
    let request = garimpo_proto::billing::v1::CreatePortalSessionRequest { email: ana.email.clone() };
    let portal = world
        .billing()
        .create_portal_session(crate::testing::server::bearer(request, &ana.session))
        .await
        .expect_err("no second customer is made");
    assert_eq!(
        crate::testing::server::reason(&portal),
        garimpo_proto::errors::v1::ErrorReason::ProviderUnavailable
    );
    world.provider_remembers().await;
    world.app.billing().reconciliation.account_mend(&ana.uid).await.expect("the account is read");
    assert_eq!(findings(&world).await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn o_conselho_do_medico_conserta_o_lugar_que_uma_perda_tirou() {
    let world = World::new().await;
    let ana = world.signs_up("ana@example.com").await;
    world.subscribes(&ana, "top_afiliado", "month").await;
    transaction!(world.app.store(), (uid = ana.uid.clone()), |tx| subscriptions::project(tx, uid, &[]).await)
        .await
        .expect("the place is taken away, as an older version did");
    world.provider_forgets().await;
    assert!(findings(&world).await.iter().any(|told| told.contains("gives access and does not hold")));

    world.app.billing().reconciliation.account_mend(&ana.uid).await.expect("as admin reconcile --uid does");

    let told = findings(&world).await;
    assert!(!told.iter().any(|told| told.contains("does not hold")), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn chave_de_outra_conta_nao_inicia_o_servidor_ate_ser_adotada() {
    let mut world = World::new().await;
    let stored = world.app.billing().provider_account.provider_account().await.expect("readable");
    assert_eq!(stored.as_deref(), Some("acct_1GarimpoSandbox (test mode)"));
    world.behaves(json!({ "other_account": true })).await;

    let refused = world.tries_to_restart().await.expect_err("the key is of another account");

    assert!(refused.to_string().contains("acct_1OutraConta (test mode)"), "{refused}");
    let operator = Operator::open(world.settings()).await.expect("commands still open");
    let used = operator.billing().provider_account.account_check().await.expect_err("nothing is read there");
    assert!(matches!(used, StripeError::OtherAccount { .. }), "{used}");
    let adopted = operator.billing().provider_account.provider_account_adopt().await.expect("it is adopted");
    assert_eq!(adopted.after, "acct_1OutraConta (test mode)");
    operator.close().await;
    world.tries_to_restart().await.expect("the server starts");
}

#[tokio::test(flavor = "multi_thread")]
async fn provedor_fora_do_ar_nao_impede_o_inicio_e_a_conta_e_conferida_no_uso() {
    let mut world = World::new().await;
    world.behaves(json!({ "other_account": true })).await;
    world.fails(json!({ "path": "/v1/account", "drop": true })).await;
    world.tries_to_restart().await.expect("the server starts");
    world.heals().await;
    let ana = world.signs_up("ana@example.com").await;

    let opened = world.opens(&ana, "top_afiliado", "month", "").await;

    assert!(opened.is_err(), "nothing is bought at another account");
    assert!(world.provider_list("/v1/customers").await.is_empty(), "nothing was written there");
}

#[tokio::test(flavor = "multi_thread")]
async fn chave_restrita_marca_a_conta_pelo_que_pode_ler() {
    for (reads, stored) in [
        ("account_refused_by_name", "acct_1GarimpoSandbox (test mode)"),
        ("account_refused", "an account whose id cannot be read (test mode)"),
        ("account_and_balance_refused", "an account whose id cannot be read (test mode)"),
    ] {
        let mut world = World::on_sqlite().await;
        world.behaves(json!({ "key_reads": reads })).await;
        world.forgets_account().await;

        world.tries_to_restart().await.expect("the server starts");

        let read = world.app.billing().provider_account.provider_account().await.expect("readable");
        assert_eq!(read.as_deref(), Some(stored), "{reads}");
        world.tries_to_restart().await.expect("the same account starts again");
        let markers = world.provider_list("/v1/products?limit=100").await;
        let markers: Vec<_> =
            markers.iter().filter(|found| found["metadata"]["garimpo"] == "account_marker").collect();
        assert_eq!(markers.len(), usize::from(reads != "account_refused_by_name"), "{reads}");
        if let Some(marker) = markers.first() {
            world.provider_deletes(&format!("/v1/products/{}", marker["id"].as_str().expect("an id"))).await;
            let refused =
                world.tries_to_restart().await.expect_err("the account without the marker is another one");
            assert!(refused.to_string().contains("garimpo admin provider adopt"), "{refused}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn leituras_da_compra_tem_um_limite_por_endereco() {
    let world = World::start_with(crate::testing::database::Database::sqlite(), |settings| {
        settings.limits.checkout_reads_per_address = 3;
    })
    .await;
    let asks = async |address: &'static str| {
        let request =
            garimpo_proto::billing::v1::GetCheckoutSessionRequest { session_id: "cs_test_x".to_owned() };
        let request = crate::testing::server::from_address(request, address);
        world.billing().get_checkout_session(request).await.expect_err("there is no such session")
    };
    for _ in 0..3 {
        assert_eq!(asks("203.0.113.7").await.code(), tonic::Code::NotFound);
    }

    let refused = asks("203.0.113.7").await;

    assert_eq!(refused.code(), tonic::Code::ResourceExhausted);
    let details =
        tonic_types::StatusExt::get_details_retry_info(&refused).expect("it says when to come again");
    assert!(details.retry_delay.is_some_and(|pause| (1..=61).contains(&pause.as_secs())), "{details:?}");
    assert_eq!(asks("203.0.113.8").await.code(), tonic::Code::NotFound, "another address has its own");
}
