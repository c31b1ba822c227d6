//! Refunds and disputes that are made at the provider.

use crate::store::billing::invoices::{self, DisputeState};
use crate::store::billing::{refunds, subscriptions};
use crate::store::engine::row::Text as _;
use crate::store::operator::{invariants, job_queries};
use garimpo_domain::subscription::Policy;
use garimpo_proto::billing::v1 as pb;
use garimpo_proto::errors::v1::ErrorReason;
use serde_json::{Value, json};

use crate::store::jobs::JobState;
use crate::testing::server::{Held, bearer, reason};
use crate::testing::world::World;

const ANA: &str = "ana@example.com";

async fn charge_of(world: &World) -> Value {
    world.provider_list("/v1/charges").await.remove(0)
}

/// A purchase whose card was declined once and accepted then.
async fn bought_at_second_try(world: &World) -> Held {
    let ana = world.signs_up(ANA).await;
    let session = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("a checkout opens");
    let declined = world.pays_by_card(&session, "4000000000000002").await;
    assert_eq!(declined["error"]["code"], "card_declined");
    world.subscribes_in(&session).await;
    let charges = world.provider_list("/v1/charges").await;
    assert_eq!((charges.len(), &charges[1]["status"]), (2, &json!("failed")), "{charges:?}");
    assert_eq!(charges[0]["payment_intent"], charges[1]["payment_intent"], "one payment, two attempts");
    ana
}

pub(super) async fn refunds_at_dashboard(world: &World, amount: Option<&str>) {
    let intent = charge_of(world).await["payment_intent"].as_str().expect("an id").to_owned();
    let mut form = vec![("payment_intent", intent.as_str())];
    form.extend(amount.map(|amount| ("amount", amount)));
    world.provider_posts("/v1/refunds", &form).await;
    world.rest().await;
}

pub(super) async fn disputes(world: &World) -> String {
    let charge = charge_of(world).await["id"].clone();
    let made = world.posts("/_test/disputes", json!({ "charge": charge })).await;
    world.rest().await;
    made["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
}

pub(super) async fn decided(world: &World, dispute: &str, verdict: &str) {
    world.posts(&format!("/_test/disputes/{dispute}/{verdict}"), json!({})).await;
    world.rest().await;
}

pub(super) async fn suspended_reason(world: &World, who: &Held) -> Option<String> {
    let rows = subscriptions::by_uid(world.app.store(), &who.uid).await.expect("readable");
    let phase = rows[0].state().phase_at(world.app.clock().now(), &Policy::default());
    phase.suspended.map(|reason| reason.name().to_owned())
}

async fn subjects(world: &World) -> Vec<String> {
    let mails = world.mails_to(ANA).await;
    mails.iter().map(|mail| mail["subject"].as_str().expect("a subject").to_owned()).collect()
}

/// Changes to a plan by the month, and answers what that charged.
pub(super) async fn changes_plan(world: &World, who: &Held, plan: &str) -> i64 {
    let wish =
        pb::PreviewPlanChangeRequest { plan_id: plan.into(), interval: pb::PlanInterval::Monthly.into() };
    let shown = world.billing().preview_plan_change(bearer(wish, &who.session)).await.expect("a preview");
    let preview_token = shown.into_inner().preview_token;
    let order = pb::ChangePlanRequest { preview_token, request_id: None };
    let done = world.billing().change_plan(bearer(order, &who.session)).await.expect("it is changed");
    world.rest().await;
    done.into_inner().charged_centavos
}

async fn assert_at_rest(world: &World) {
    let counted = job_queries::count(world.app.store()).await.expect("counted");
    assert!(counted.iter().all(|count| count.state != JobState::Parked), "{counted:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn contestacao_cuja_leitura_falhou_e_lida_na_proxima_tentativa() {
    let world = World::new().await;
    let ana = world.signs_up(ANA).await;
    world.subscribes(&ana, "elite_nivel_1", "month").await;
    // Its news name a payment alone: whose it is was noted, and then the reading failed.
    world.fails(json!({ "path": "/v1/disputes", "status": 503 })).await;
    disputes(&world).await;
    assert_eq!(suspended_reason(&world, &ana).await, None);

    world.heals().await;
    world.advances_minutes(8).await;

    assert_eq!(suspended_reason(&world, &ana).await.as_deref(), Some("payment_disputed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn estorno_total_feito_no_provedor_encerra_o_acesso_e_a_assinatura() {
    let world = World::new().await;
    let ana = world.signs_up(ANA).await;
    world.subscribes(&ana, "elite_nivel_1", "month").await;

    refunds_at_dashboard(&world, None).await;

    assert_eq!(world.standing(&ana).await, Some(("canceled".into(), Some(false))));
    let at_provider = world.provider_list("/v1/subscriptions?status=all").await;
    assert_eq!(at_provider[0]["status"], "canceled", "nothing renews");
    let invoice = world.invoices_of(&ana, 0, "").await.expect("a page").invoices.remove(0);
    assert_eq!((invoice.status.as_str(), invoice.refunded_centavos), ("refunded", 19_790));
    let told = subjects(&world).await;
    for subject in ["Assinatura cancelada: Elite Nível 1", "Reembolso de R$ 197,90: Elite Nível 1"] {
        assert!(told.iter().any(|one| one == subject), "{told:?}");
    }
    assert_eq!(told.len(), 3, "{told:?}");
    let nothing = world.wants_back(&ana, None).await.expect_err("all of it is back");
    assert_eq!(reason(&nothing), ErrorReason::NoSubscription);
    let differences = world.app.billing().reconciliation.differences(&ana.uid).await.expect("readable");
    assert!(differences.is_empty(), "no reading finds anything else: {differences:?}");
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn estorno_parcial_e_avisado_nao_tira_nada_e_a_garantia_devolve_o_resto() {
    let world = World::on_sqlite().await;
    let ana = world.signs_up(ANA).await;
    world.subscribes(&ana, "elite_nivel_1", "month").await;

    refunds_at_dashboard(&world, Some("5000")).await;

    assert_eq!(world.standing(&ana).await, Some(("active".into(), Some(true))));
    let invoice = world.invoices_of(&ana, 0, "").await.expect("a page").invoices.remove(0);
    assert_eq!((invoice.status.as_str(), invoice.refunded_centavos), ("paid", 5_000));
    let told = subjects(&world).await;
    assert_eq!((told.len(), told[0].as_str()), (2, "Reembolso de R$ 50,00: Elite Nível 1"));
    let answer = world.wants_back(&ana, None).await.expect("it is given back");
    world.rest().await;
    assert_eq!(answer.amount_centavos, 14_790);
    assert_eq!(charge_of(&world).await["amount_refunded"], 19_790);
    assert_at_rest(&world).await;
}

/// Gives the payments of this amount back at the provider's dashboard.
async fn refunds_payment_of(world: &World, centavos: i64) {
    let charges = world.provider_list("/v1/charges").await;
    let of_it = charges.iter().find(|charge| charge["amount"] == centavos).expect("it was charged");
    let intent = of_it["payment_intent"].as_str().expect("an id");
    world.provider_posts("/v1/refunds", &[("payment_intent", intent)]).await;
    world.rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn diferenca_estornada_nao_encerra_o_que_a_compra_pagou() {
    let world = World::new().await;
    let ana = world.signs_up(ANA).await;
    world.subscribes(&ana, "elite_nivel_1", "month").await;
    let difference = changes_plan(&world, &ana, "elite_nivel_3").await;

    refunds_payment_of(&world, difference).await;

    assert_eq!(world.standing(&ana).await, Some(("active".into(), Some(true))));
    let mails = world.mails_to(ANA).await;
    let text = mails[0]["text"].as_str().expect("a text");
    assert!(text.contains("Elite Nível 3") && text.contains("continua como está"), "{text}");
    let answer = world.wants_back(&ana, None).await.expect("the guarantee gives the rest back");
    world.rest().await;
    assert_eq!(answer.amount_centavos, 19_790);
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn compra_estornada_encerra_e_a_diferenca_que_ficou_e_do_operador() {
    let world = World::new().await;
    let ana = world.signs_up(ANA).await;
    world.subscribes(&ana, "elite_nivel_1", "month").await;
    let difference = changes_plan(&world, &ana, "elite_nivel_3").await;

    refunds_payment_of(&world, 19_790).await;

    assert_eq!(world.standing(&ana).await, Some(("canceled".into(), Some(false))));
    assert!(subjects(&world).await.contains(&"Reembolso de R$ 197,90: Elite Nível 1".to_owned()));
    let kept =
        async || invariants::differences_kept(world.app.store(), i64::MAX, 10).await.expect("readable").len();
    assert_eq!(kept().await, 1, "the doctor will name it");
    refunds_payment_of(&world, difference).await;
    assert_eq!(kept().await, 0);
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn estorno_de_um_periodo_passado_nao_mexe_no_que_corre() {
    let world = World::on_sqlite().await;
    let ana = world.signs_up(ANA).await;
    world.subscribes(&ana, "top_afiliado", "month").await;
    world.advances_days(31).await;
    let first = world.provider_list("/v1/charges").await.pop().expect("the first charge");
    let intent = first["payment_intent"].as_str().expect("an id");

    world.provider_posts("/v1/refunds", &[("payment_intent", intent)]).await;
    world.rest().await;

    assert_eq!(world.standing(&ana).await, Some(("active".into(), Some(true))));
    let mut invoices = world.invoices_of(&ana, 0, "").await.expect("a page").invoices;
    assert_eq!(invoices.pop().expect("the first").status, "refunded");
    assert_eq!(invoices.pop().expect("the second").status, "paid");
}

#[tokio::test(flavor = "multi_thread")]
async fn contestacao_suspende_e_a_ganha_devolve_o_acesso() {
    let world = World::new().await;
    let ana = world.signs_up(ANA).await;
    world.subscribes(&ana, "elite_nivel_1", "month").await;

    let dispute = disputes(&world).await;

    assert_eq!(world.standing(&ana).await, Some(("suspended".into(), Some(false))));
    assert_eq!(suspended_reason(&world, &ana).await.as_deref(), Some("payment_disputed"));
    let closed = world.wants_back(&ana, None).await.expect_err("the bank has it");
    assert_eq!(reason(&closed), ErrorReason::RefundWindowClosed);

    decided(&world, &dispute, "win").await;
    assert_eq!(world.standing(&ana).await, Some(("active".into(), Some(true))));
    assert_eq!(suspended_reason(&world, &ana).await, None);
    assert_eq!(world.provider_list("/v1/subscriptions").await.len(), 1, "it goes on");
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn contestacao_perdida_encerra_a_assinatura() {
    let world = World::new().await;
    let ana = world.signs_up(ANA).await;
    world.subscribes(&ana, "elite_nivel_1", "month").await;
    let dispute = disputes(&world).await;

    decided(&world, &dispute, "lose").await;

    assert_eq!(world.standing(&ana).await, Some(("canceled".into(), Some(false))));
    assert_eq!(world.provider_list("/v1/subscriptions?status=all").await[0]["status"], "canceled");
    let invoice = world.invoices_of(&ana, 0, "").await.expect("a page").invoices.remove(0);
    assert_eq!((invoice.status.as_str(), invoice.refunded_centavos), ("refunded", 19_790));
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn contestacao_cujas_noticias_se_perderam_e_achada_sem_elas() {
    let world = World::on_sqlite().await;
    let ana = world.signs_up(ANA).await;
    world.subscribes(&ana, "elite_nivel_1", "month").await;
    world.fails(json!({ "webhooks": "drop", "times": 100 })).await;
    let dispute = disputes(&world).await;
    assert_eq!(world.standing(&ana).await, Some(("active".into(), Some(true))), "nobody knows yet");

    world.advances_hours(25).await;
    assert_eq!(world.standing(&ana).await, Some(("suspended".into(), Some(false))), "the daily look");
    decided(&world, &dispute, "win").await;
    world.advances_hours(1).await;
    assert_eq!(
        world.standing(&ana).await,
        Some(("active".into(), Some(true))),
        "what is open is looked at often"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn cartao_que_contesta_tudo_suspende_logo_depois_de_pagar() {
    let world = World::on_sqlite().await;
    let ana = world.signs_up(ANA).await;
    let session = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    world.pays_by_card(&session, "4000000000000259").await;
    world.rest().await;
    assert_eq!(world.standing(&ana).await, Some(("suspended".into(), Some(false))));
}

#[tokio::test(flavor = "multi_thread")]
async fn estorno_que_o_banco_nao_aceitou_vai_por_pix_e_e_avisado() {
    let world = World::on_sqlite().await;
    let ana = world.signs_up(ANA).await;
    let session = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("a checkout opens");
    world.pays_by_card(&session, "4000000000005126").await;
    world.rest().await;
    let answer = world.wants_back(&ana, None).await.expect("it is given back");
    world.rest().await;
    assert_eq!(
        (answer.method.as_str(), world.account_of(&ana).await.refund.expect("told").state.as_str()),
        ("card", "paid")
    );

    world.advances_hours(1).await;

    let refund = world.account_of(&ana).await.refund.expect("told");
    assert_eq!(
        (refund.protocol, refund.method.as_str(), refund.state.as_str()),
        (answer.protocol, "pix", "requested")
    );
    let waiting = refunds::by_uid(world.app.store(), &ana.uid).await.expect("readable");
    assert_eq!((waiting.len(), waiting[0].pix_key.as_deref()), (1, Some(ANA)));
    let told = subjects(&world).await;
    assert_eq!(told.iter().filter(|subject| subject.starts_with("Reembolso pedido")).count(), 2, "{told:?}");
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelar_durante_a_contestacao_nao_promete_acesso() {
    let world = World::on_sqlite().await;
    let ana = world.signs_up(ANA).await;
    world.subscribes(&ana, "elite_nivel_1", "month").await;
    let dispute = disputes(&world).await;

    world.cancels(&ana, "").await.expect("it is cancelled");
    world.rest().await;

    let mails = world.mails_to(ANA).await;
    let text = mails[0]["text"].as_str().expect("a text");
    assert!(text.contains("O seu acesso está suspenso") && !text.contains("continua"), "{text}");

    decided(&world, &dispute, "lose").await;
    let mails = world.mails_to(ANA).await;
    let lost = mails.iter().find(|mail| mail["subject"] == "Reembolso de R$ 197,90: Elite Nível 1");
    let text = lost.expect("it is told")["text"].as_str().expect("a text");
    assert!(text.contains("aceitou a contestação"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn estorno_pendente_vale_como_devolvido() {
    let world = World::on_sqlite().await;
    let ana = world.signs_up(ANA).await;
    let session = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("a checkout opens");
    world.pays_by_card(&session, "4000000000007726").await;
    world.rest().await;

    world.wants_back(&ana, None).await.expect("it is given back");
    world.rest().await;
    assert_eq!(world.provider_list("/v1/refunds").await[0]["status"], "pending");
    world.advances_hours(1).await;

    assert_eq!(world.provider_list("/v1/refunds").await[0]["status"], "succeeded");
    assert_eq!(world.account_of(&ana).await.refund.expect("told").method, "card");
}

#[tokio::test(flavor = "multi_thread")]
async fn credito_de_uma_troca_acaba_com_a_devolucao_do_dinheiro_que_o_pagou() {
    let world = World::on_sqlite().await;
    let ana = world.signs_up(ANA).await;
    world.subscribes(&ana, "elite_nivel_1", "month").await;
    changes_plan(&world, &ana, "top_afiliado").await;
    assert!(world.account_of(&ana).await.credit_centavos > 0);

    let answer = world.wants_back(&ana, None).await.expect("it is given back");
    world.rest().await;

    assert_eq!(answer.amount_centavos, 19_790, "the money, not what is left of it");
    assert_eq!(world.account_of(&ana).await.credit_centavos, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn credito_acaba_tambem_com_o_estorno_no_provedor_e_com_a_contestacao_perdida() {
    for lost in [false, true] {
        let world = World::on_sqlite().await;
        let ana = world.signs_up(ANA).await;
        world.subscribes(&ana, "elite_nivel_1", "month").await;
        changes_plan(&world, &ana, "top_afiliado").await;
        assert!(world.account_of(&ana).await.credit_centavos > 0);

        if lost {
            let dispute = disputes(&world).await;
            assert!(world.account_of(&ana).await.credit_centavos > 0, "the bank has not decided");
            decided(&world, &dispute, "lose").await;
        } else {
            refunds_at_dashboard(&world, None).await;
        }

        assert_eq!(world.account_of(&ana).await.credit_centavos, 0, "lost: {lost}");
        assert_at_rest(&world).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn credito_acaba_com_o_estorno_do_que_ja_foi_encerrado_no_provedor() {
    let world = World::on_sqlite().await;
    let ana = world.signs_up(ANA).await;
    world.subscribes(&ana, "elite_nivel_1", "month").await;
    changes_plan(&world, &ana, "top_afiliado").await;
    let subscription = world.provider_list("/v1/subscriptions").await.remove(0);
    world
        .provider_deletes(&format!("/v1/subscriptions/{}", subscription["id"].as_str().expect("an id")))
        .await;
    world.rest().await;
    assert!(world.account_of(&ana).await.credit_centavos > 0, "what was paid for is hers");

    refunds_at_dashboard(&world, None).await;

    assert_eq!(world.account_of(&ana).await.credit_centavos, 0);
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn troca_que_chega_ao_provedor_depois_do_pedido_volta_com_ele_e_e_avisada() {
    let world = World::new().await;
    let ana = world.signs_up(ANA).await;
    world.subscribes(&ana, "top_afiliado", "month").await;

    // The job ends nothing yet, so the change still finds a subscription; its news come with the
    // job's own reading.
    world.fails(json!({ "path": "/v1/subscriptions", "method": "DELETE", "status": 503 })).await;
    world.wants_back(&ana, None).await.expect("it is given back");
    world.fails(json!({ "webhooks": "drop" })).await;
    world.raises_plan("elite_nivel_1_monthly").await;
    world.heals().await;
    world.advances_hours(1).await;

    let paid: i64 = world
        .provider_list("/v1/charges")
        .await
        .iter()
        .map(|charge| {
            assert_eq!(charge["amount_refunded"], charge["amount"], "{charge}");
            charge["amount"].as_i64().expect("an amount")
        })
        .sum();
    assert!(paid > 9_790, "both payments were made: {paid}");
    let told = world.account_of(&ana).await.refund.expect("told");
    assert_eq!((told.amount_centavos, told.state.as_str()), (paid, "paid"));
    let subjects = subjects(&world).await;
    assert!(!subjects.iter().any(|subject| subject.contains("mudou")), "{subjects:?}");
    let asked = subjects.iter().filter(|subject| subject.starts_with("Reembolso pedido")).count();
    assert_eq!(asked, 2, "the late payment is told: {subjects:?}");
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_diferenca_de_uma_troca_volta_com_o_primeiro_pagamento() {
    let world = World::on_sqlite().await;
    let ana = world.signs_up(ANA).await;
    world.subscribes(&ana, "top_afiliado", "month").await;
    let difference = changes_plan(&world, &ana, "elite_nivel_1").await;

    let answer = world.wants_back(&ana, None).await.expect("it is given back");
    world.rest().await;

    assert_eq!(answer.amount_centavos, 9_790 + difference);
    let back: i64 =
        world.provider_list("/v1/refunds").await.iter().filter_map(|r| r["amount"].as_i64()).sum();
    assert_eq!(back, answer.amount_centavos);
    let told = world.account_of(&ana).await.refund.expect("told");
    assert_eq!((told.amount_centavos, told.state.as_str()), (answer.amount_centavos, "paid"));
}

#[tokio::test(flavor = "multi_thread")]
async fn cartao_recusado_e_depois_aceito_estornado_no_provedor_encerra_o_acesso() {
    let world = World::new().await;
    let ana = bought_at_second_try(&world).await;

    refunds_at_dashboard(&world, None).await;

    assert_eq!(world.standing(&ana).await, Some(("canceled".into(), Some(false))));
    let invoice = world.invoices_of(&ana, 0, "").await.expect("a page").invoices.remove(0);
    assert_eq!((invoice.status.as_str(), invoice.refunded_centavos), ("refunded", 19_790));
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cartao_recusado_e_depois_aceito_contestado_suspende_e_perdido_encerra() {
    let world = World::new().await;
    let ana = bought_at_second_try(&world).await;

    let dispute = disputes(&world).await;
    assert_eq!(suspended_reason(&world, &ana).await.as_deref(), Some("payment_disputed"));
    decided(&world, &dispute, "lose").await;

    assert_eq!(world.standing(&ana).await, Some(("canceled".into(), Some(false))));
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn renovacao_recusada_e_depois_paga_estornada_no_provedor_encerra_o_acesso() {
    let world = World::new().await;
    let ana = world.signs_up(ANA).await;
    let session = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("a checkout opens");
    world.pays_by_card(&session, "4000000000000341").await;
    world.rest().await;
    world.advances_days(34).await;
    let invoice = world.provider_list("/v1/invoices?status=open").await.remove(0);
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let customer = text(&invoice["customer"]);
    world.provider_posts("/v1/payment_methods/pm_card_visa/attach", &[("customer", &customer)]).await;
    let methods = world.provider_list(&format!("/v1/customers/{customer}/payment_methods")).await;
    let card = text(&methods[0]["id"]);
    let pay = format!("/v1/invoices/{}/pay", text(&invoice["id"]));
    world.provider_posts(&pay, &[("payment_method", &card)]).await;
    world.rest().await;
    assert_eq!(world.standing(&ana).await, Some(("active".into(), Some(true))));

    refunds_at_dashboard(&world, None).await;

    assert_eq!(world.standing(&ana).await, Some(("canceled".into(), Some(false))));
    let seen = world.invoices_of(&ana, 0, "").await.expect("a page").invoices.remove(0);
    assert_eq!((seen.status.as_str(), seen.refunded_centavos), ("refunded", 19_790));
}

#[tokio::test(flavor = "multi_thread")]
async fn consulta_do_banco_nao_tira_o_acesso_ate_virar_contestacao() {
    let world = World::new().await;
    let ana = world.signs_up(ANA).await;
    world.subscribes(&ana, "elite_nivel_1", "month").await;
    let charge = charge_of(&world).await["id"].clone();
    let inquiry = world.posts("/_test/disputes", json!({ "charge": charge, "inquiry": true })).await;
    world.rest().await;
    assert_eq!(world.standing(&ana).await, Some(("active".into(), Some(true))));

    decided(&world, inquiry["id"].as_str().expect("an id"), "escalate").await;
    assert_eq!(suspended_reason(&world, &ana).await.as_deref(), Some("payment_disputed"));

    decided(&world, inquiry["id"].as_str().expect("an id"), "win").await;
    assert_eq!(world.standing(&ana).await, Some(("active".into(), Some(true))));
}

#[tokio::test(flavor = "multi_thread")]
async fn garantia_depois_de_perder_parte_para_o_banco_devolve_o_resto_por_pix() {
    let world = World::new().await;
    let ana = world.signs_up(ANA).await;
    world.subscribes(&ana, "elite_nivel_1", "month").await;
    let charge = charge_of(&world).await["id"].clone();
    let made = world.posts("/_test/disputes", json!({ "charge": charge, "amount": 10_000 })).await;
    world.rest().await;
    decided(&world, made["id"].as_str().expect("an id"), "lose").await;
    assert_eq!(world.standing(&ana).await, Some(("active".into(), Some(true))), "a part of it");

    world.wants_back(&ana, None).await.expect("the rest is given back");
    world.rest().await;
    world.advances_hours(2).await;

    let waiting = refunds::by_uid(world.app.store(), &ana.uid).await.expect("readable");
    let told: Vec<_> =
        waiting.iter().map(|one| (one.method.text(), one.state.text(), one.amount_centavos.get())).collect();
    assert_eq!(told, [("pix", "requested", 9_790)]);
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn contestacoes_de_uma_mesma_cobranca_sao_somadas() {
    let world = World::new().await;
    let ana = world.signs_up(ANA).await;
    world.subscribes(&ana, "elite_nivel_1", "month").await;
    let charge = charge_of(&world).await["id"].clone();
    for amount in [1_000, 18_790] {
        let made = world.posts("/_test/disputes", json!({ "charge": charge, "amount": amount })).await;
        world.rest().await;
        assert_eq!(suspended_reason(&world, &ana).await.as_deref(), Some("payment_disputed"));
        if amount == 1_000 {
            decided(&world, made["id"].as_str().expect("an id"), "lose").await;
            assert_eq!(world.standing(&ana).await, Some(("active".into(), Some(true))), "a part of it");
        } else {
            decided(&world, made["id"].as_str().expect("an id"), "lose").await;
        }
    }

    assert_eq!(world.standing(&ana).await, Some(("canceled".into(), Some(false))));
    let invoice = world.invoices_of(&ana, 0, "").await.expect("a page").invoices.remove(0);
    assert_eq!(invoice.refunded_centavos, 19_790);
}

#[tokio::test(flavor = "multi_thread")]
async fn contestacao_perdida_que_e_ganha_depois_volta_a_ser_dinheiro_recebido() {
    let world = World::new().await;
    let ana = world.signs_up(ANA).await;
    world.subscribes(&ana, "elite_nivel_1", "month").await;
    let dispute = disputes(&world).await;
    decided(&world, &dispute, "lose").await;
    assert_eq!(world.standing(&ana).await, Some(("canceled".into(), Some(false))));

    decided(&world, &dispute, "win").await;

    let rows = invoices::by_uid(world.app.store(), &ana.uid).await.expect("readable");
    assert_eq!((rows[0].dispute, rows[0].refunded_centavos.get()), (Some(DisputeState::Won), 0));
    // The subscription ended with the loss: the time that is left is the operator's to grant or to
    // refund.
    assert_eq!(world.standing(&ana).await, Some(("canceled".into(), Some(false))));
    assert_at_rest(&world).await;
}
