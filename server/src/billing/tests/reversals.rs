//! Refunds and disputes made at the provider.

mod disputes;
mod payment_after_decline;
mod plan_change_credit;

use crate::store::billing::invoices::{self, DisputeState};
use crate::store::billing::{refunds, subscriptions};
use crate::store::engine::row::Text as _;
use garimpo_domain::subscription::Policy;
use garimpo_proto::errors::v1::ErrorReason;
use serde_json::{Value, json};

use crate::billing::tests::plan_change::changes_plan;
use crate::billing::tests::{assert_at_rest, text, violations_tomorrow};
use crate::tests::server::{SignedInUser, reason};
use crate::tests::world::{ANA, World};

async fn charge_of(world: &World) -> Value {
    world.provider_list("/v1/charges").await.remove(0)
}

pub(super) async fn refunds_at_dashboard(world: &World, amount: Option<&str>) {
    let intent = charge_of(world).await["payment_intent"].as_str().expect("an id").to_owned();
    let mut form = vec![("payment_intent", intent.as_str())];
    form.extend(amount.map(|amount| ("amount", amount)));
    world.provider_posts("/v1/refunds", &form).await;
    world.rest().await;
}

pub(super) async fn disputes(world: &World) -> String {
    disputes_charge(world, &charge_of(world).await).await
}

pub(super) async fn disputes_charge(world: &World, charge: &Value) -> String {
    let made = world.posts("/_test/disputes", json!({ "charge": charge["id"] })).await;
    world.rest().await;
    text(&made["id"])
}

pub(super) async fn decided(world: &World, dispute: &str, verdict: &str) {
    world.posts(&format!("/_test/disputes/{dispute}/{verdict}"), json!({})).await;
    world.rest().await;
}

pub(super) async fn suspended_reason(world: &World, who: &SignedInUser) -> Option<String> {
    let rows = subscriptions::by_uid(world.app.store(), &who.uid).await.expect("readable");
    let phase = rows[0].state().phase_at(world.app.clock().now(), &Policy::default());
    phase.suspended.map(|reason| reason.name().to_owned())
}

async fn subjects(world: &World) -> Vec<String> {
    let mails = world.mails_to(ANA).await;
    mails.iter().map(|mail| mail["subject"].as_str().expect("a subject").to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dispute_whose_read_failed_is_read_on_the_next_attempt() {
    let (world, ana) = World::new().await.with_subscriber("elite_nivel_1", "month").await;
    // Its event names only a payment. The customer was stored, and then the read failed.
    world.fails(json!({ "path": "/v1/disputes", "status": 503 })).await;
    disputes(&world).await;
    assert_eq!(suspended_reason(&world, &ana).await, None);

    world.clear_faults().await;
    world.advances_minutes(8).await;

    assert_eq!(suspended_reason(&world, &ana).await.as_deref(), Some("payment_disputed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_refund_at_the_provider_ends_the_access_and_the_subscription() {
    let (world, ana) = World::new().await.with_subscriber("elite_nivel_1", "month").await;

    refunds_at_dashboard(&world, None).await;

    assert_eq!(world.status_of(&ana).await, Some(("canceled".into(), Some(false))));
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
    let differences =
        world.app.billing().reconciliation.compare(&ana.uid).await.expect("readable").differences;
    assert!(differences.is_empty(), "no reading finds anything else: {differences:?}");
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_partial_refund_sends_a_mail_keeps_the_access_and_leaves_the_rest_to_the_guarantee() {
    let (world, ana) = World::on_sqlite().await.with_subscriber("elite_nivel_1", "month").await;

    refunds_at_dashboard(&world, Some("5000")).await;

    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
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

/// Refunds the payments of this amount in the provider's dashboard.
async fn refunds_payment_of(world: &World, centavos: i64) {
    let charges = world.provider_list("/v1/charges").await;
    let of_it = charges.iter().find(|charge| charge["amount"] == centavos).expect("it was charged");
    let intent = of_it["payment_intent"].as_str().expect("an id");
    world.provider_posts("/v1/refunds", &[("payment_intent", intent)]).await;
    world.rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refunded_difference_does_not_end_the_access_paid_by_the_purchase() {
    let (world, ana) = World::new().await.with_subscriber("elite_nivel_1", "month").await;
    let difference = changes_plan(&world, &ana, "elite_nivel_3").await;

    refunds_payment_of(&world, difference).await;

    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
    let mails = world.mails_to(ANA).await;
    let text = mails[0]["text"].as_str().expect("a text");
    assert!(text.contains("Elite Nível 3") && text.contains("continua como está"), "{text}");
    let answer = world.wants_back(&ana, None).await.expect("the guarantee gives the rest back");
    world.rest().await;
    assert_eq!(answer.amount_centavos, 19_790);
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refunded_purchase_ends_the_access_and_the_doctor_reports_the_kept_difference() {
    let (world, ana) = World::new().await.with_subscriber("elite_nivel_1", "month").await;
    let difference = changes_plan(&world, &ana, "elite_nivel_3").await;

    refunds_payment_of(&world, 19_790).await;

    assert_eq!(world.status_of(&ana).await, Some(("canceled".into(), Some(false))));
    assert!(subjects(&world).await.contains(&"Reembolso de R$ 197,90: Elite Nível 1".to_owned()));
    let kept = async || violations_tomorrow(&world, "difference_given_back").await;
    assert_eq!(kept().await, 1, "the doctor will name it");
    refunds_payment_of(&world, difference).await;
    assert_eq!(kept().await, 0);
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_of_a_past_period_does_not_change_the_current_one() {
    let (world, ana) = World::on_sqlite().await.with_subscriber("top_afiliado", "month").await;
    world.advances_days(31).await;
    let first = world.provider_list("/v1/charges").await.pop().expect("the first charge");
    let intent = first["payment_intent"].as_str().expect("an id");

    world.provider_posts("/v1/refunds", &[("payment_intent", intent)]).await;
    world.rest().await;

    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
    let mut invoices = world.invoices_of(&ana, 0, "").await.expect("a page").invoices;
    assert_eq!(invoices.pop().expect("the first").status, "refunded");
    assert_eq!(invoices.pop().expect("the second").status, "paid");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_that_the_bank_rejects_is_paid_by_pix_and_sends_a_mail() {
    let (world, ana) = World::on_sqlite().await.with_ana().await;
    world.subscribes_with("4000000000005126", &ana, "elite_nivel_1", "month").await;
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
async fn a_pending_refund_counts_as_refunded() {
    let (world, ana) = World::on_sqlite().await.with_ana().await;
    world.subscribes_with("4000000000007726", &ana, "elite_nivel_1", "month").await;

    world.wants_back(&ana, None).await.expect("it is given back");
    world.rest().await;
    assert_eq!(world.provider_list("/v1/refunds").await[0]["status"], "pending");
    world.advances_hours(1).await;

    assert_eq!(world.provider_list("/v1/refunds").await[0]["status"], "succeeded");
    assert_eq!(world.account_of(&ana).await.refund.expect("told").method, "card");
}
