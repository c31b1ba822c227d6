//! One account, one live subscription.

use garimpo_proto::errors::v1::ErrorReason;
use serde_json::{Value, json};

use crate::billing::tests::plan_change::changes_plan;
use crate::billing::tests::{VISA, assert_sound};
use crate::queue::JobKind;
use crate::store::billing::refunds;
use crate::store::engine::row::Text as _;
use crate::store::jobs::JobState;
use crate::store::operator::job_queries::{self, JobFilter};
use crate::store::operator::refund_marks;
use crate::tests::server::{SignedInUser, reason};
use crate::tests::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn an_account_with_an_active_subscription_opens_no_other_checkout() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;

    let second = world.opens(&ana, "elite_nivel_1", "month", "").await.expect_err("it refuses");

    assert_eq!(reason(&second), ErrorReason::AlreadySubscribed);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_purchases_paid_together_keep_one_and_refund_the_other() {
    let (world, ana) = World::new().await.with_ana().await;
    let one = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    let two = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("another opens");

    world.with_events_held(async || both_pay(&world, &one, &two).await).await;

    assert_eq!(world.account_of(&ana).await.subscription.expect("there is one").plan_id, "top_afiliado");
    let refunds = refunds::by_uid(world.app.store(), &ana.uid).await.expect("readable");
    assert_eq!(refunds.len(), 1);
    assert_eq!(
        (refunds[0].amount_centavos.get(), refunds[0].method.text(), refunds[0].state.text()),
        (19_790, "card", "paid")
    );
    let standing = world.provider_list("/v1/subscriptions?status=active").await;
    assert_eq!(standing.len(), 1, "the second one is cancelled at the provider");
    let mails = world.mails_to("ana@exemplo.com.br").await;
    assert_eq!(mails.len(), 2, "the second one is not confirmed");
    let returned = returned_mail(&mails);
    assert!(returned.contains("197,90") && returned.contains("5 a 10 dias úteis"), "{returned}");
    assert_forgotten(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_duplicate_boleto_purchase_becomes_a_pix_refund_request() {
    let (world, ana) = World::new().await.with_ana().await;
    let slip = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("a checkout opens");
    let card = world.opens(&ana, "top_afiliado", "month", "").await.expect("another opens");
    world.takes_boleto(&slip).await;
    world.rest().await;

    world.with_events_held(async || card_then_boleto(&world, &card, &slip).await).await;

    assert_eq!(world.account_of(&ana).await.subscription.expect("there is one").plan_id, "top_afiliado");
    let waiting = refund_marks::list(world.app.store(), None, 10).await.expect("readable");
    assert_eq!((waiting.len(), waiting[0].state.text()), (1, "requested"));
    assert_eq!((waiting[0].amount_centavos.get(), waiting[0].method.text()), (19_790, "pix"));
    assert!(waiting[0].due_at.is_some());
    let returned = returned_mail(&world.mails_to("ana@exemplo.com.br").await);
    assert!(returned.contains("por Pix, em até 30 dias"), "{returned}");
    assert_forgotten(&world).await;
}

async fn both_pay(world: &World, one: &str, two: &str) {
    world.pays_by_card(one, VISA).await;
    world.pays_by_card(two, VISA).await;
}

async fn card_then_boleto(world: &World, card: &str, slip: &str) {
    world.pays_by_card(card, VISA).await;
    world.posts("/clock", json!({ "advance_seconds": 2 })).await;
    world.pays_boleto(slip).await;
}

/// Ana, with credit of about R$ 200,00 from an earlier subscription. Returns the centavos.
async fn sign_up_with_credit(world: &World) -> (SignedInUser, i64) {
    let ana = world.signs_up("ana@exemplo.com.br").await;
    // An unconfirmed address gets five mails an hour.
    world.confirms_email(&ana).await;
    world.subscribes(&ana, "elite_nivel_5", "month").await;
    changes_plan(world, &ana, "top_afiliado").await;
    let bought = world.provider_list("/v1/subscriptions").await.remove(0);
    world.ends_subscription(bought["id"].as_str().expect("an id")).await;
    world.rest().await;
    let credit = world.account_of(&ana).await.credit_centavos;
    assert!((19_900..=20_000).contains(&credit), "{credit}");
    (ana, credit)
}

#[tokio::test(flavor = "multi_thread")]
async fn two_card_purchases_with_credit_use_the_credit_once() {
    let world = World::new().await;
    let (ana, credit) = sign_up_with_credit(&world).await;
    let one = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    let two = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("another opens");

    // The second one is paid with the rest of the credit and by card.
    world.with_events_held(async || both_pay(&world, &one, &two).await).await;
    world.rest().await;

    let account = world.account_of(&ana).await;
    assert_eq!(account.subscription.expect("there is one").plan_id, "top_afiliado");
    assert_eq!(account.credit_centavos, credit - 9_790, "the second purchase used none of it");
    let (refunds, money) = (world.provider_list("/v1/refunds").await, 19_790 - (credit - 9_790));
    assert_eq!((refunds.len(), &refunds[0]["amount"]), (1, &json!(money)));
    let returned = returned_mail(&world.mails_to("ana@exemplo.com.br").await);
    let centavos = |amount: i64| garimpo_domain::Centavos::new(amount).to_string();
    assert!(returned.contains(&centavos(money)), "{returned}");
    let back = format!("e {} voltam ao seu crédito", centavos(credit - 9_790));
    assert!(returned.contains(&back), "{returned}");
    world.advances_hours(3).await;
    assert_eq!(world.account_of(&ana).await.credit_centavos, credit - 9_790, "and it stays so");
    assert_sound(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_duplicate_boleto_purchase_paid_partly_with_credit_returns_money_and_credit() {
    let world = World::new().await;
    let (ana, credit) = sign_up_with_credit(&world).await;
    let slip = world.opens(&ana, "elite_nivel_4", "month", "").await.expect("a checkout opens");
    let card = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("another opens");
    // The boleto uses all the credit, so the card pays the whole amount.
    world.takes_boleto(&slip).await;
    world.rest().await;
    world.with_events_held(async || card_then_boleto(&world, &card, &slip).await).await;
    world.rest().await;

    let account = world.account_of(&ana).await;
    assert_eq!(account.subscription.expect("there is one").plan_id, "elite_nivel_1");
    assert_eq!(account.credit_centavos, credit, "the boleto's is there again");
    let waiting = refund_marks::list(world.app.store(), None, 10).await.expect("readable");
    let told = (waiting.len(), waiting[0].amount_centavos.get(), waiting[0].method.text());
    assert_eq!(told, (1, 23_790 - credit, "pix"));
    assert_sound(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_duplicate_purchase_paid_only_with_credit_becomes_credit_again() {
    let world = World::on_sqlite().await;
    let (ana, credit) = sign_up_with_credit(&world).await;
    let one = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    let two = world.opens(&ana, "top_afiliado", "month", "final50").await.expect("another opens");
    world.with_events_held(async || both_pay(&world, &one, &two).await).await;
    world.rest().await;

    assert_eq!(world.account_of(&ana).await.credit_centavos, credit - 9_790);
    let own = world.account_of(&ana).await.subscription.expect("there is one");
    assert_eq!(own.payment_method, "card", "what the next invoice is paid by");
    assert_eq!(world.checkout(&two).await.expect("known").refund_method.as_deref(), Some("credit"));
    let returned = returned_mail(&world.mails_to("ana@exemplo.com.br").await);
    assert!(returned.contains("O valor volta como crédito"), "{returned}");
    let standing = world.provider_list("/v1/subscriptions?status=active").await;
    assert_eq!(standing.len(), 1, "the second one is cancelled at the provider");
    assert_sound(&world).await;
}

/// The job that ended a duplicate is purged after a month. The daily syncs do not enqueue it again.
async fn assert_forgotten(world: &World) {
    for state in [None, Some(JobState::Done)] {
        world.rest().await;
        let of_kind = JobFilter { kind: Some(JobKind::Retire), state, ..JobFilter::default() };
        let jobs = job_queries::list(world.app.store(), &of_kind, 10).await.expect("readable");
        assert_eq!(jobs.len(), usize::from(state.is_some()), "{jobs:?}");
    }
    world.advances_days(33).await;
    for state in [None, Some(JobState::Done)] {
        let of_kind = JobFilter { kind: Some(JobKind::Retire), state, ..JobFilter::default() };
        let jobs = job_queries::list(world.app.store(), &of_kind, 10).await.expect("readable");
        assert!(jobs.is_empty(), "{jobs:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paid_purchase_expires_the_other_open_sessions_of_the_account() {
    let (world, ana) = World::new().await.with_ana().await;
    let one = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    let two = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("another opens");

    world.subscribes_in(&one).await;

    let sessions = world.provider_list("/v1/checkout/sessions").await;
    let other = sessions.iter().find(|found| found["id"] == *two).expect("it is there");
    assert_eq!(other["status"], "expired", "nobody can pay it any more");
    assert_eq!(world.checkout(&two).await.expect("known").status, "expired");
    assert_eq!(world.checkout(&one).await.expect("known").payment_status, "paid");
}

/// The text of the one mail about a duplicate payment.
fn returned_mail(mails: &[Value]) -> String {
    let subject = |mail: &&Value| mail["subject"].as_str().is_some_and(|text| text.contains("duplicidade"));
    let found: Vec<_> = mails.iter().filter(subject).collect();
    assert_eq!(found.len(), 1, "it is said once");
    found[0]["text"].as_str().expect("a text").to_owned()
}
