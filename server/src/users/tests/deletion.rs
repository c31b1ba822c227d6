//! The end of an account, over the real sandbox.

use garimpo_proto::auth::v1 as auth;
use serde_json::json;

use super::*;
use crate::store::billing::refunds::{self, RefundMethod, RefundReason, RefundState};
use crate::store::billing::{checkouts, invoices, subscriptions};
use crate::store::engine::ro;
use crate::store::engine::row::Text as _;
use crate::store::identity::accounts;
use crate::store::identity::audit_events::{self, AuditFilter};
use crate::store::jobs::JobState;
use crate::store::operator::job_queries;
use crate::store::{StoreError, transaction};
use crate::tests::server::{ANA, ana, from_address, session_of};
use crate::tests::world::World;

const VISA: &str = "4242424242424242";

fn delete(password: &str) -> pb::DeleteMyAccountRequest {
    pb::DeleteMyAccountRequest { password: password.to_owned() }
}

async fn preview(world: &World, who: &SignedInUser) -> pb::PreviewMyDeletionResponse {
    let asked = bearer(pb::PreviewMyDeletionRequest {}, &who.session);
    world.users().preview_my_deletion(asked).await.expect("it answers").into_inner()
}

/// Deletes and answers the protocol number; the jobs come to their end.
async fn deletes(world: &World, who: &SignedInUser) -> String {
    let answer = world.users().delete_my_account(bearer(delete("segredo"), &who.session)).await;
    let answer = answer.expect("it is deleted");
    assert_eq!(session_of(&answer), Some((String::new(), "0".to_owned())), "the cookie expires");
    world.rest().await;
    world.advances_hours(1).await;
    answer.into_inner().protocol
}

async fn subscribes(world: &World, who: &SignedInUser) {
    let session = world.opens(who, "elite_nivel_1", "month", "").await.expect("a checkout opens");
    world.pays_by_card(&session, VISA).await;
    world.rest().await;
}

/// Nothing is parked, nothing waits that is due, and nothing of the person is left in a job.
async fn assert_at_rest(world: &World) {
    let counted = job_queries::count(world.app.store()).await.expect("counted");
    assert!(counted.iter().all(|count| count.state != JobState::Parked), "{counted:?}");
    let naming: i64 = ro!(world.app.store(), c => sqlx::query_scalar(
        "SELECT COUNT(*) FROM jobs WHERE payload LIKE '%ana@exemplo.com.br%' OR payload LIKE '%Souza%'")
        .fetch_one(c).await)
    .expect("counted");
    assert_eq!(naming, 0, "no job holds an address or a name");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_change_that_reaches_the_provider_after_the_deletion_is_refunded() {
    for (world, days) in [(World::on_sqlite().await, 0), (World::on_sqlite().await, 8)] {
        let ana = world.signs_up(ANA).await;
        subscribes(&world, &ana).await;
        world.advances_days(days).await;

        world.fails(json!({ "path": "/v1/subscriptions", "method": "DELETE", "status": 503 })).await;
        let answer = world.users().delete_my_account(bearer(delete("segredo"), &ana.session)).await;
        answer.expect("it is deleted");
        world.fails(json!({ "webhooks": "drop" })).await;
        world.raises_plan("elite_pro_1_monthly").await;
        world.clear_faults().await;
        world.advances_hours(1).await;

        let kept: Vec<_> = world
            .provider_list("/v1/charges")
            .await
            .iter()
            .map(|charge| charge["amount"].as_i64().zip(charge["amount_refunded"].as_i64()))
            .map(|amounts| amounts.map(|(amount, back)| amount - back).expect("amounts"))
            .collect();
        // Newest first. After the guarantee the earlier payment is kept.
        let purchase = if days == 0 { 0 } else { 19_790 };
        assert_eq!(kept, [0, purchase], "after {days} days");
        assert_at_rest(&world).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_within_the_guarantee_refunds_everything_to_the_card_and_leaves_no_trace() {
    let (world, ana) = World::new().await.with_ana().await;
    subscribes(&world, &ana).await;
    let losses = preview(&world, &ana).await;
    assert_eq!(losses.plan_id.as_deref(), Some("elite_nivel_1"));
    assert_eq!((losses.refund_centavos, losses.refund_method.as_deref()), (19_790, Some("card")));
    assert!(losses.paid_until.is_some() && !losses.voids_boleto);

    let protocol = deletes(&world, &ana).await;

    let digits: Vec<&str> = protocol.split('-').collect();
    assert!(digits.len() == 3 && digits.iter().all(|four| four.parse::<u16>().is_ok()), "{protocol}");
    let is_used: Result<bool, StoreError> =
        transaction!(world.app.store(), (protocol = protocol.clone()), |tx| {
            refunds::is_protocol_used(tx, protocol).await
        });
    assert!(is_used.expect("read"), "no refund gets the number of a deletion");
    assert!(!world.accepts_token(&ana.session).await && !world.accepts_token(&ana.id_token).await);
    let store = world.app.store();
    assert_eq!(accounts::by_uid(store, &ana.uid).await.expect("read"), None);
    let refunds = refunds::by_uid(store, &ana.uid).await.expect("read");
    assert_eq!(refunds.len(), 1);
    assert_eq!(
        (refunds[0].amount_centavos.get(), refunds[0].reason, refunds[0].state),
        (19_790, RefundReason::Deleted, RefundState::Paid)
    );
    let rows = subscriptions::by_uid(store, &ana.uid).await.expect("read");
    assert!(rows.len() == 1 && rows[0].ended_at.is_some(), "{rows:?}");
    assert_eq!(invoices::by_uid(store, &ana.uid).await.expect("read").len(), 1, "the law keeps it");
    assert!(checkouts::by_uid(store, &ana.uid).await.expect("read").iter().all(|row| row.email.is_empty()));
    let bodies: i64 = ro!(store, value
        "SELECT COUNT(*) FROM events WHERE customer_id IS NOT NULL AND LENGTH(body) > 0")
    .expect("counted");
    assert_eq!(bodies, 0, "no raw event of hers is kept");
    assert_eq!(world.provider_list("/v1/refunds").await.len(), 1);
    let at_provider = world.provider_list("/v1/subscriptions?status=all").await;
    assert!(at_provider.iter().all(|fact| fact["status"] == "canceled"), "{at_provider:?}");
    let customer = at_provider[0]["customer"].as_str().expect("a customer");
    assert_eq!(world.provider_object(&format!("/v1/customers/{customer}")).await["deleted"], true);
    let mails = world.mails_to(ANA).await;
    assert_eq!(mails.len(), 2, "the payment and the end");
    assert_eq!(mails[0]["subject"], format!("Sua conta foi excluída (protocolo {protocol})"));
    let text = mails[0]["text"].as_str().expect("a text");
    for said in ["Olá, Ana.", "Elite Nível 1 foi encerrada", "R$ 197,90 voltam no mesmo cartão", &protocol]
    {
        assert!(text.contains(said), "{said}: {text}");
    }
    let told =
        audit_events::list(store, &AuditFilter { uid: Some(ana.uid.clone()), ..Default::default() }, 10)
            .await;
    assert_eq!(told.expect("the trail")[0].kind, "account_deleted");
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_email_of_a_deleted_account_is_free_and_its_new_account_has_no_second_trial() {
    let (world, first) = World::new().await.with_ana().await;
    world.confirms_email(&first).await;
    assert_eq!(preview(&world, &first).await, pb::PreviewMyDeletionResponse::default());
    deletes(&world, &first).await;
    let form = auth::SignInRequest { email: ANA.into(), password: "segredo".into() };
    let gone = world.auth().sign_in(form).await.expect_err("nobody");
    assert_eq!(reason(&gone), ErrorReason::InvalidCredential);

    let second = world.signs_up(" Ana@Exemplo.com.br").await;

    assert_ne!(second.uid, first.uid);
    let standing = world.account_of(&second).await;
    assert!(standing.trial_ends_at.expect("a moment").seconds <= standing.server_time.expect("now").seconds);
    let account = accounts::by_uid(world.app.store(), &second.uid).await.expect("read").expect("the account");
    assert!(account.trial_used_before);
    let other = world.signs_up("rui@example.com").await;
    let standing = world.account_of(&other).await;
    assert!(standing.trial_ends_at.expect("a moment").seconds > standing.server_time.expect("now").seconds);
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_cancels_an_open_boleto_and_refunds_a_paid_one_by_pix_to_the_email() {
    let (world, ana) = World::new().await.with_ana().await;
    world.confirms_email(&ana).await;
    let slip = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("a checkout opens");
    world.takes_boleto(&slip).await;
    world.rest().await;
    let losses = preview(&world, &ana).await;
    assert!(losses.voids_boleto && losses.plan_id.is_none());
    assert_eq!((losses.refund_centavos, losses.refund_method), (0, None));
    deletes(&world, &ana).await;
    assert_eq!(world.provider_list("/v1/invoices?status=open").await.len(), 0, "the slip is void");
    let mail = world.mails_to(ANA).await.remove(0);
    assert!(mail["text"].as_str().expect("a text").contains("O boleto em aberto foi cancelado"), "{mail}");

    let rui = world.signs_up("rui@example.com").await;
    let slip = world.opens(&rui, "elite_nivel_1", "month", "").await.expect("a checkout opens");
    world.takes_boleto(&slip).await;
    world.pays_boleto(&slip).await;
    world.rest().await;
    let losses = preview(&world, &rui).await;
    assert_eq!((losses.refund_centavos, losses.refund_method.as_deref()), (19_790, Some("pix")));
    deletes(&world, &rui).await;

    let store = world.app.store();
    let refund = refunds::by_uid(store, &rui.uid).await.expect("read").remove(0);
    assert_eq!((refund.method, refund.state), (RefundMethod::Pix, RefundState::Requested));
    assert_eq!(refund.pix_key.as_deref(), Some("rui@example.com"), "where the Pix goes");
    assert!(refund.due_at.is_some());
    let now = world.app.clock().now();
    let paid = crate::billing::record_pix_refund(store, &refund.id, "TED", now).await.expect("stored");
    assert_eq!(paid, Some(now));
    // The key is kept for a week to undo a wrong mark.
    world.advances_days(6).await;
    assert!(refunds::by_uid(store, &rui.uid).await.expect("read")[0].pix_key.is_some());
    world.advances_days(2).await;
    assert_eq!(refunds::by_uid(store, &rui.uid).await.expect("read")[0].pix_key, None);
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paid_boleto_seen_only_after_the_deletion_is_refunded_by_pix_to_the_email() {
    let (world, ana) = World::new().await.with_ana().await;
    let slip = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("a checkout opens");
    world.takes_boleto(&slip).await;
    world.rest().await;
    world.fails(json!({ "webhooks": "hold", "times": 50 })).await;
    world.pays_boleto(&slip).await;

    deletes(&world, &ana).await;
    world.clear_faults().await;
    world.rest().await;
    world.advances_hours(1).await;

    let store = world.app.store();
    let refund = refunds::by_uid(store, &ana.uid).await.expect("read").remove(0);
    assert_eq!((refund.method, refund.amount_centavos.get()), (RefundMethod::Pix, 19_790));
    assert_eq!(refund.pix_key.as_deref(), Some(ANA), "where the Pix goes");
    let left = checkouts::by_uid(store, &ana.uid).await.expect("read");
    assert!(left.iter().all(|checkout| checkout.email.is_empty()), "and nothing else of them is left");
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_after_the_guarantee_refunds_nothing_and_ends_the_paid_access() {
    let (world, ana) = World::new().await.with_ana().await;
    subscribes(&world, &ana).await;
    world.advances_days(9).await;
    let losses = preview(&world, &ana).await;
    assert_eq!((losses.plan_id.as_deref(), losses.refund_centavos), (Some("elite_nivel_1"), 0));
    assert!(losses.paid_until.is_some());

    deletes(&world, &ana).await;

    assert_eq!(refunds::by_uid(world.app.store(), &ana.uid).await.expect("read"), []);
    world.advances_days(60).await;
    assert_eq!(world.provider_list("/v1/invoices").await.len(), 1, "nothing is charged any more");
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_outage_does_not_block_a_deletion_and_its_jobs_finish_afterwards() {
    let mut world = World::new().await;
    let ana = world.signs_up(ANA).await;
    subscribes(&world, &ana).await;
    world.opens(&ana, "elite_nivel_2", "month", "").await.expect_err("one is live");
    world.fails(json!({ "path": "/v1", "status": 503 })).await;

    let answer = world.users().delete_my_account(bearer(delete("segredo"), &ana.session)).await;
    answer.expect("the person does not wait for the provider");
    world.restarts().await;
    assert!(!world.accepts_token(&ana.session).await);
    world.clear_faults().await;
    world.advances_hours(12).await;

    let refunds = refunds::by_uid(world.app.store(), &ana.uid).await.expect("read");
    assert_eq!((refunds.len(), refunds[0].state.text()), (1, "paid"));
    let at_provider = world.provider_list("/v1/subscriptions?status=all").await;
    assert!(at_provider.iter().all(|fact| fact["status"] == "canceled"), "{at_provider:?}");
    assert_eq!(world.provider_list("/v1/refunds").await.len(), 1);
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_seen_after_the_deletion_is_refunded_and_no_event_blocks_the_queue() {
    let (world, ana) = World::new().await.with_ana().await;
    world.confirms_email(&ana).await;
    let paid = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("a checkout opens");
    let open = world.opens(&ana, "elite_nivel_2", "month", "").await.expect("a checkout opens");
    world.fails(json!({ "webhooks": "hold", "times": 100 })).await;
    world.pays_by_card(&paid, VISA).await;
    let answer = world.users().delete_my_account(bearer(delete("segredo"), &ana.session)).await;
    answer.expect("it is deleted");
    world.clear_faults().await;
    world.advances_hours(2).await;

    let refunds = refunds::by_uid(world.app.store(), &ana.uid).await.expect("read");
    assert_eq!(refunds.len(), 1, "{refunds:?}");
    assert_eq!((refunds[0].amount_centavos.get(), refunds[0].state.text()), (19_790, "paid"));
    assert_eq!(world.provider_object(&format!("/v1/checkout/sessions/{open}")).await["status"], "expired");
    let subjects: Vec<_> = world.mails_to(ANA).await.iter().map(|mail| mail["subject"].to_string()).collect();
    assert!(subjects.len() == 1 && subjects[0].contains("excluída"), "{subjects:?}");
    for event in world.provider_list("/v1/events?limit=100").await.iter().rev() {
        let fresh = format!("{}again", event["id"].as_str().expect("an id"));
        let mut event = event.clone();
        event["id"] = fresh.into();
        world.delivers(&event, "whsec_garimpo").await.expect("it is taken");
    }
    world.settles().await;
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_does_not_delete_and_counts_as_a_failed_sign_in() {
    let (server, held) = TestServer::with_ana().await;
    let tries = |password: &str| {
        let mut request = from_address(delete(password), "203.0.113.7");
        let value = format!("Bearer {}", held.session).parse().expect("ASCII");
        request.metadata_mut().insert("authorization", value);
        let mut users = server.users();
        async move { users.delete_my_account(request).await.map(drop) }
    };

    let empty = tries("").await.expect_err("refused");
    assert_eq!(refusal(&empty), (ErrorReason::InvalidArgument, "password".to_owned()));
    for _ in 0..10 {
        let refused = tries("errada!").await.expect_err("refused");
        assert_eq!(reason(&refused), ErrorReason::InvalidCredential);
    }
    let held_back = tries("segredo").await.expect_err("the limit holds");
    assert_eq!(reason(&held_back), ErrorReason::TooManyRequests);
    assert!(server.accepts_token(&held.session).await);
    let nobody = server.users().delete_my_account(delete("segredo")).await.expect_err("nobody");
    assert_eq!(reason(&nobody), ErrorReason::Unauthenticated);
    let nobody = server.users().preview_my_deletion(pb::PreviewMyDeletionRequest {}).await;
    assert_eq!(reason(&nobody.expect_err("nobody")), ErrorReason::Unauthenticated);

    server.clock.advance_seconds(15 * 60);
    tries("segredo").await.expect("the window is over");
    assert!(!server.accepts_token(&held.session).await);
    server.auth().sign_up(ana("ana@exemplo.com.br")).await.expect("the email is free");
}
