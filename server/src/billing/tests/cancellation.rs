//! A subscription is cancelled, resumed, and cancelled again.

use crate::store::billing::cancellations;
use garimpo_proto::billing::v1::CancelSubscriptionRequest;
use garimpo_proto::errors::v1::ErrorReason;
use serde_json::{Value, json};

use crate::billing::tests::{mails_about, violations_tomorrow};
use crate::tests::server::{SignedInUser, fields, reason};
use crate::tests::world::World;

/// Mails about a cancellation, newest first.
async fn cancellation_mails(world: &World) -> Vec<Value> {
    mails_about(world, "Assinatura cancelada").await
}

async fn at_provider(world: &World) -> Value {
    world.provider_list("/v1/subscriptions?status=all").await.remove(0)
}

fn again(request_id: &str) -> CancelSubscriptionRequest {
    CancelSubscriptionRequest { reason: None, request_id: Some(request_id.to_owned()) }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_end_that_the_operator_set_within_the_paid_period_is_the_end_that_is_shown() {
    let (world, ana) = World::new().await.with_subscriber("elite_pro_2", "month").await;
    let path = format!("/v1/subscriptions/{}", at_provider(&world).await["id"].as_str().expect("an id"));
    let shown = async || world.account_of(&ana).await.subscription.and_then(|found| found.ends_at);
    let end_of_period = shown().await;
    let at = world.app.clock().now().plus_days(11).as_unix_seconds();

    world.provider_posts(&path, &[("cancel_at", &at.to_string())]).await;
    world.rest().await;

    assert_eq!(shown().await.expect("an end").seconds, at);
    world.provider_posts(&path, &[("cancel_at", "")]).await;
    world.rest().await;
    assert_eq!(shown().await, end_of_period, "an end that was taken back");
    world.provider_posts(&path, &[("cancel_at", &at.to_string())]).await;
    world.advances_days(10).await;
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
    world.advances_days(1).await;
    assert_eq!(world.status_of(&ana).await, Some(("canceled".into(), Some(false))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_takes_effect_at_the_period_end_and_can_be_undone_until_then() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;

    let canceled = world.cancels(&ana, " Achei caro. ").await.expect("it is cancelled");
    world.rest().await;

    assert!(canceled.cancel_at_period_end);
    assert_eq!((canceled.status.as_str(), canceled.active), ("active", Some(true)));
    let fact = at_provider(&world).await;
    assert_eq!(fact["cancel_at_period_end"], true);
    assert_eq!(fact["cancellation_details"]["comment"], "Achei caro.");
    let wishes = cancellations::by_uid(world.app.store(), &ana.uid).await.expect("readable");
    assert!(
        wishes.len() == 1 && wishes[0].told && wishes[0].reason.as_deref() == Some("Achei caro."),
        "{wishes:?}"
    );
    let mails = cancellation_mails(&world).await;
    assert_eq!(mails.len(), 1, "it is told once");
    let text = mails[0]["text"].as_str().expect("a text");
    assert!(text.contains("continua até 04/11/2026") && text.contains("desfazer"), "{text}");
    assert_eq!(mails[0]["subject"], "Assinatura cancelada: Top Afiliado", "a wish has no reason of ours");

    let resumed = world.resumes(&ana).await.expect("it is resumed");
    assert!(!resumed.cancel_at_period_end);
    assert_eq!(at_provider(&world).await["cancel_at_period_end"], false);
    assert!(!world.resumes(&ana).await.expect("once more changes nothing").cancel_at_period_end);

    // A second cancellation sends a second mail, and this time the subscription ends.
    world.advances_hours(1).await;
    world.cancels(&ana, "").await.expect("it is cancelled again");
    world.cancels(&ana, "").await.expect("one that is cancelled stays so");
    world.rest().await;
    assert_eq!(cancellation_mails(&world).await.len(), 2);
    world.advances_days(31).await;
    assert_eq!(world.status_of(&ana).await, Some(("canceled".into(), Some(false))));
    assert_eq!(cancellation_mails(&world).await.len(), 2, "the end that was announced is no news");
    assert_eq!(world.provider_list("/v1/invoices").await.len(), 1, "nothing more was charged");
    for over in [world.cancels(&ana, "").await, world.resumes(&ana).await] {
        assert_eq!(reason(&over.expect_err("nothing runs")), ErrorReason::NoSubscription);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_request_cancels_once() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;

    assert!(world.cancels_as(&ana, again("tab-1")).await.expect("cancelled").cancel_at_period_end);
    world.resumes(&ana).await.expect("resumed");

    // A late repetition of an earlier request does not cancel a resumed subscription.
    assert!(!world.cancels_as(&ana, again("tab-1")).await.expect("known").cancel_at_period_end);
    assert!(world.cancels_as(&ana, again("tab-2")).await.expect("cancelled").cancel_at_period_end);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_needs_a_subscription_and_a_reason_within_the_limit() {
    let (world, ana) = World::on_sqlite().await.with_ana().await;
    let none = world.cancels(&ana, "").await.expect_err("nothing runs");
    assert_eq!(reason(&none), ErrorReason::NoSubscription);
    assert_eq!(reason(&world.resumes(&ana).await.expect_err("nothing runs")), ErrorReason::NoSubscription);
    let slip = world.orders_by_boleto(&ana, "top_afiliado", "month").await;
    let unpaid = world.cancels(&ana, "").await.expect_err("a boleto that waits is no subscription yet");
    assert_eq!(reason(&unpaid), ErrorReason::NoSubscription);

    world.pays_boleto(&slip).await;
    world.rest().await;
    for (request, field) in [
        (CancelSubscriptionRequest { reason: Some("é".repeat(501)), request_id: None }, "reason"),
        (CancelSubscriptionRequest { reason: Some("a\0b".into()), request_id: None }, "reason"),
        (again(&"x".repeat(65)), "request_id"),
    ] {
        let refused = world.cancels_as(&ana, request).await.expect_err("it refuses");
        assert_eq!(
            (reason(&refused), fields(&refused)),
            (ErrorReason::InvalidArgument, vec![field.to_owned()])
        );
    }
    let longest = world.cancels(&ana, &"é".repeat(500)).await.expect("500 characters are fine");
    assert!(longest.cancel_at_period_end && longest.payment_method == "boleto");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_in_the_portal_also_sends_one_mail() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;
    let id = at_provider(&world).await["id"].as_str().expect("an id").to_owned();

    let path = format!("/v1/subscriptions/{id}");
    world.provider_posts(&path, &[("cancel_at_period_end", "true")]).await;
    world.rest().await;
    world.cancels(&ana, "").await.expect("it stays so");
    world.rest().await;

    assert!(world.account_of(&ana).await.subscription.expect("there is one").cancel_at_period_end);
    assert_eq!(cancellation_mails(&world).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_while_suspended_ends_immediately_and_charges_nothing_more() {
    let (world, ana) = World::new().await.with_ana().await;
    world.subscribes_with("4000000000000341", &ana, "top_afiliado", "month").await;
    world.advances_days(31).await;
    assert_eq!(world.status_of(&ana).await, Some(("suspended".into(), Some(false))));

    let canceled = world.cancels(&ana, "").await.expect("it is cancelled");
    world.rest().await;

    assert_eq!(canceled.status, "canceled");
    assert_eq!(at_provider(&world).await["status"], "canceled");
    assert_eq!(world.provider_list("/v1/invoices?status=open").await.len(), 0, "the invoice is void");
    let mails = cancellation_mails(&world).await;
    assert!(mails.len() == 1 && mails[0]["text"].as_str().expect("a text").contains("terminou"), "{mails:?}");
    assert_eq!(mails[0]["subject"], "Assinatura cancelada: Top Afiliado", "the owner ended it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_with_an_open_renewal_boleto_cancels_the_boleto_too() {
    let (world, ana) = World::on_sqlite().await.with_ana().await;
    world.subscribes_by_boleto(&ana, "top_afiliado", "month").await;
    world.advances_days(31).await;
    assert!(world.account_of(&ana).await.boleto.is_some(), "the renewal's boleto waits");

    world.cancels(&ana, "").await.expect("it is cancelled");
    world.rest().await;

    assert_eq!(world.account_of(&ana).await.boleto, None);
    let mails = cancellation_mails(&world).await;
    let text = mails[0]["text"].as_str().expect("a text");
    assert!(text.contains("O boleto em aberto foi cancelado: não pague."), "{text}");
}

/// Requests a cancellation while the provider fails.
async fn cancels_in_vain(world: &World, ana: &SignedInUser, request_id: &str) {
    let path = format!("/v1/subscriptions/{}", at_provider(world).await["id"].as_str().expect("an id"));
    world.fails(json!({ "path": path, "status": 500, "times": 9 })).await;
    let failed = world.cancels_as(ana, again(request_id)).await.expect_err("the provider does not answer");
    world.clear_faults().await;
    assert_eq!(reason(&failed), ErrorReason::ProviderUnavailable);
}

async fn ends(world: &World, ana: &SignedInUser) -> bool {
    world.account_of(ana).await.subscription.expect("there is one").cancel_at_period_end
}

/// Number of cancellations that the doctor would report if they were older.
async fn waiting(world: &World) -> usize {
    violations_tomorrow(world, "cancellation_told").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_that_failed_at_the_provider_succeeds_on_the_next_request() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;

    cancels_in_vain(&world, &ana, "tab").await;
    assert!(!ends(&world, &ana).await);
    // The same request, repeated by a caller without a reply, takes effect now.
    assert!(world.cancels_as(&ana, again("tab")).await.expect("cancelled").cancel_at_period_end);
    world.rest().await;
    assert_eq!(cancellation_mails(&world).await.len(), 1);
    assert_eq!(cancellations::by_uid(world.app.store(), &ana.uid).await.expect("readable").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_that_failed_at_the_provider_is_retried_by_a_job_and_sends_a_mail() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;

    cancels_in_vain(&world, &ana, "tab").await;
    assert_eq!((ends(&world, &ana).await, waiting(&world).await), (false, 1));
    world.advances_minutes(11).await;

    assert_eq!((ends(&world, &ana).await, waiting(&world).await), (true, 0));
    assert_eq!(cancellation_mails(&world).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_subscription_is_not_canceled_by_an_earlier_failed_request() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;

    // A later cancellation settles the earlier one.
    cancels_in_vain(&world, &ana, "tab-1").await;
    assert!(world.cancels_as(&ana, again("tab-2")).await.expect("cancelled").cancel_at_period_end);
    assert_eq!(waiting(&world).await, 0);
    // Resuming settles it too, even if it was never sent to the provider.
    world.resumes(&ana).await.expect("resumed");
    cancels_in_vain(&world, &ana, "tab-3").await;
    world.resumes(&ana).await.expect("nothing to take back there");
    world.advances_minutes(11).await;

    assert_eq!((ends(&world, &ana).await, waiting(&world).await), (false, 0));
    assert_eq!(at_provider(&world).await["cancel_at_period_end"], false);
}
