//! Plan changes whose payment the bank wants the payer to confirm.

use garimpo_proto::billing::v1 as pb;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::users::v1::DeleteMyAccountRequest;
use serde_json::{Value, json};
use tonic::Status;

use crate::billing::tests::plan_change::{change, preview};
use crate::billing::tests::reversals::{decided, disputes, refunds_at_dashboard};
use crate::billing::tests::{
    assert_at_rest, assert_sound, customer_of, mails_about, text, violations_tomorrow,
};
use crate::tests::server::{SignedInUser, bearer, reason};
use crate::tests::world::World;

/// Asks for authentication at every payment.
const ASKS: &str = "pm_card_authenticationRequired";
/// Asks, and is declined when its holder has authenticated.
const ASKS_AND_DECLINES: &str = "pm_card_authenticationRequiredChargeDeclinedInsufficientFunds";
const VISA: &str = "pm_card_visa";
const PLAN: &str = "elite_pro_1";

/// Ana subscribes to Elite Nível 2 by the month, and a saved card pays what comes next.
async fn ana_with(card: &str) -> (World, SignedInUser) {
    let (world, ana) = World::new().await.with_subscriber("elite_nivel_2", "month").await;
    pays_with(&world, &ana, card).await;
    (world, ana)
}

async fn pays_with(world: &World, who: &SignedInUser, card: &str) {
    let customer = customer_of(world, who).await;
    let path = format!("/v1/payment_methods/{card}/attach");
    let (status, card) = world.provider_tries(&path, &[("customer", &customer)]).await;
    assert_eq!(status, 200, "{card}");
    let path = format!("/v1/subscriptions/{}", text(&subscription(world).await["id"]));
    world.provider_posts(&path, &[("default_payment_method", &text(&card["id"]))]).await;
    world.rest().await;
}

/// The only subscription, as the provider has it.
async fn subscription(world: &World) -> Value {
    world.provider_list("/v1/subscriptions?status=all").await.remove(0)
}

/// The provider's invoices of plan changes in a status.
async fn change_invoices(world: &World, status: &str) -> usize {
    let all = world.provider_list(&format!("/v1/invoices?status={status}&limit=100")).await;
    all.iter().filter(|invoice| invoice["billing_reason"] == "subscription_update").count()
}

/// Previews a change to Elite PRO 1 by the month and confirms it; the bank asks.
async fn waiting(
    world: &World,
    who: &SignedInUser,
) -> (pb::PreviewPlanChangeResponse, pb::PlanChangeConfirmation) {
    let shown = preview(world, who, PLAN, pb::PlanInterval::Monthly).await.expect("a preview");
    let answer = change(world, who, &shown.preview_token, None).await.expect("the bank asks");
    world.rest().await;
    (shown, answer.confirmation.expect("a confirmation"))
}

async fn plan(world: &World, who: &SignedInUser) -> String {
    world.account_of(who).await.subscription.expect("it runs").plan_id
}

/// What GetPaymentAuthentication returns.
async fn payment(world: &World, who: &SignedInUser) -> Result<pb::GetPaymentAuthenticationResponse, Status> {
    let request = pb::GetPaymentAuthenticationRequest { invoice_id: String::new() };
    let answer = world.billing().get_payment_authentication(bearer(request, &who.session)).await?;
    Ok(answer.into_inner())
}

/// The payer answers the bank.
async fn answers(world: &World, client_secret: &str, challenge: &str) -> Value {
    let path = format!("/v3/authenticate/{client_secret}");
    world.posts(&path, json!({ "challenge": challenge })).await
}

async fn gives_up(world: &World, who: &SignedInUser) -> Result<pb::Subscription, Status> {
    let request = bearer(pb::CancelPlanChangeRequest {}, &who.session);
    let answer = world.billing().cancel_plan_change(request).await?;
    Ok(answer.into_inner().subscription.expect("a subscription"))
}

/// The plan is the old one, nothing was charged or mailed, and nothing waits.
async fn assert_unchanged(world: &World, who: &SignedInUser) {
    world.rest().await;
    let account = world.account_of(who).await;
    let own = account.subscription.expect("it runs");
    assert_eq!((own.plan_id.as_str(), own.status.as_str()), ("elite_nivel_2", "active"));
    assert_eq!((account.plan_change_confirmation, own.needs_authentication), (None, false));
    assert_eq!(change_invoices(world, "open").await + change_invoices(world, "paid").await, 0);
    let invoices = world.invoices_of(who, 20, "").await.expect("a list").invoices;
    assert_eq!(invoices.len(), 1, "the purchase alone: {invoices:?}");
    assert_eq!(world.mails_to(&who.email).await.len(), 1, "the mail of the purchase alone");
    assert!(payment(world, who).await.is_err(), "no payment waits");
    assert_at_rest(world).await;
    assert_sound(world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_confirmed_payment_changes_the_plan_once_at_the_previewed_amount() {
    let (world, ana) = ana_with(ASKS).await;

    let (shown, asked) = waiting(&world, &ana).await;

    let account = world.account_of(&ana).await;
    let own = account.subscription.expect("it runs");
    assert_eq!((own.plan_id.as_str(), own.status.as_str()), ("elite_nivel_2", "active"));
    assert!(!own.needs_authentication, "no renewal waits");
    let waits = account.plan_change_confirmation.expect("a change waits");
    assert_eq!(waits, pb::PlanChangeConfirmation { client_secret: String::new(), ..asked.clone() });
    assert_eq!((waits.amount_centavos, waits.plan_id.as_str()), (shown.amount_due_centavos, PLAN));
    // The preview is over, and its price still holds.
    world.advances_hours(2).await;
    let again = change(&world, &ana, &shown.preview_token, None).await.expect("it still waits");
    assert_eq!(again.confirmation.expect("a confirmation"), asked);
    let page = payment(&world, &ana).await.expect("the page serves it");
    assert_eq!((page.client_secret.as_str(), page.plan_id.as_str()), (asked.client_secret.as_str(), PLAN));
    assert_eq!((page.amount_centavos, page.is_plan_change), (shown.amount_due_centavos, true));
    assert_sound(&world).await;

    let paid = answers(&world, &page.client_secret, "authorize").await;
    assert_eq!(paid["paymentIntent"]["status"], "succeeded", "{paid}");
    world.rest().await;

    let account = world.account_of(&ana).await;
    let own = account.subscription.expect("it runs");
    assert_eq!((own.plan_id.as_str(), own.ends_at), (PLAN, shown.next_payment_at));
    assert_eq!(account.plan_change_confirmation, None);
    let done = change(&world, &ana, &shown.preview_token, None).await.expect("the answer of the change");
    assert_eq!((done.charged_centavos, done.confirmation), (shown.amount_due_centavos, None));
    let invoices = world.invoices_of(&ana, 20, "").await.expect("a list").invoices;
    let changes = invoices.iter().filter(|invoice| invoice.plan_id == PLAN).count();
    assert_eq!((invoices.len(), changes), (2, 1));
    let mails = mails_about(&world, "Seu plano mudou: Elite PRO 1").await;
    assert_eq!((mails.len(), world.mails_to(&ana.email).await.len()), (1, 2), "the purchase and the change");
    let charged = garimpo_domain::Centavos::new(shown.amount_due_centavos);
    assert!(
        mails[0]["text"].as_str().is_some_and(|text| text.contains(&format!("Cobramos {charged} agora")))
    );
    assert_at_rest(&world).await;
    assert_sound(&world).await;
    assert_eq!(violations_tomorrow(&world, "plan_change_finished").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abandoned_confirmation_expires_and_the_renewal_is_as_before() {
    let (world, ana) = ana_with(ASKS).await;
    let (shown, asked) = waiting(&world, &ana).await;
    assert_eq!(violations_tomorrow(&world, "plan_change_finished").await, 1, "unless it ends");

    world.advances_hours(25).await;

    assert_unchanged(&world, &ana).await;
    assert_eq!(violations_tomorrow(&world, "plan_change_finished").await, 0);
    let late = answers(&world, &asked.client_secret, "authorize").await;
    assert!(late["error"].is_object(), "{late}");
    let over = change(&world, &ana, &shown.preview_token, None).await.expect_err("it is over");
    assert_eq!(reason(&over), ErrorReason::PreviewExpired);
    assert_unchanged(&world, &ana).await;
    pays_with(&world, &ana, VISA).await;
    let before = world.account_of(&ana).await.subscription.expect("it runs");
    world.advances_days(31).await;
    let renewed = world.account_of(&ana).await.subscription.expect("it runs");
    assert_eq!((renewed.plan_id.as_str(), renewed.status.as_str()), ("elite_nivel_2", "active"));
    assert_eq!(renewed.starts_at, before.ends_at, "the renewal was paid");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_is_given_up_cannot_be_paid_any_more() {
    let (world, ana) = ana_with(ASKS).await;
    let (shown, asked) = waiting(&world, &ana).await;

    let kept = gives_up(&world, &ana).await.expect("given up");
    let again = gives_up(&world, &ana).await.expect("the same answer");

    assert_eq!((kept.plan_id.as_str(), &kept), ("elite_nivel_2", &again));
    let late = answers(&world, &asked.client_secret, "authorize").await;
    assert!(late["error"].is_object(), "{late}");
    let over = change(&world, &ana, &shown.preview_token, None).await.expect_err("it is over");
    assert_eq!(reason(&over), ErrorReason::PreviewExpired);
    assert_unchanged(&world, &ana).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn giving_up_after_the_payment_keeps_the_paid_plan() {
    let (world, ana) = ana_with(ASKS).await;
    let (shown, asked) = waiting(&world, &ana).await;

    let acts = async || {
        answers(&world, &asked.client_secret, "authorize").await;
        assert_eq!(gives_up(&world, &ana).await.expect("it was paid").plan_id, PLAN);
    };
    world.with_events_held(acts).await;

    assert_eq!(plan(&world, &ana).await, PLAN);
    let done = change(&world, &ana, &shown.preview_token, None).await.expect("the answer of the change");
    assert_eq!(done.charged_centavos, shown.amount_due_centavos);
    assert_eq!(mails_about(&world, "Seu plano mudou").await.len(), 1);
    assert_sound(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_preview_voids_the_waiting_change() {
    let (world, ana) = ana_with(ASKS).await;
    let (first, asked) = waiting(&world, &ana).await;

    let second = preview(&world, &ana, "elite_pro_2", pb::PlanInterval::Monthly).await.expect("a preview");

    assert_eq!(change_invoices(&world, "open").await, 0);
    let late = answers(&world, &asked.client_secret, "authorize").await;
    assert!(late["error"].is_object(), "{late}");
    let over = change(&world, &ana, &first.preview_token, None).await.expect_err("a newer one");
    assert_eq!(reason(&over), ErrorReason::PreviewExpired);
    let answer = change(&world, &ana, &second.preview_token, None).await.expect("the bank asks");
    answers(&world, &answer.confirmation.expect("a confirmation").client_secret, "authorize").await;
    world.rest().await;
    assert_eq!(plan(&world, &ana).await, "elite_pro_2");
    assert_eq!((change_invoices(&world, "paid").await, change_invoices(&world, "void").await), (1, 1));
    assert_sound(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_calls_at_once_leave_one_invoice_to_confirm() {
    let (world, ana) = ana_with(ASKS).await;
    let shown = preview(&world, &ana, PLAN, pb::PlanInterval::Monthly).await.expect("a preview");
    let token = &shown.preview_token;

    let (one, two) = tokio::join!(change(&world, &ana, token, None), change(&world, &ana, token, None));
    world.rest().await;

    let [one, two] = [one, two].map(|answer| answer.expect("the bank asks").confirmation.expect("it waits"));
    assert_eq!(one, two);
    assert_eq!(change_invoices(&world, "open").await, 1);
    let (paid, ended) =
        tokio::join!(answers(&world, &one.client_secret, "authorize"), gives_up(&world, &ana));
    world.rest().await;
    let has_paid = paid["paymentIntent"]["status"] == "succeeded";
    let expected = if has_paid { PLAN } else { "elite_nivel_2" };
    assert_eq!(plan(&world, &ana).await, expected, "{paid} {ended:?}");
    assert_eq!(change_invoices(&world, "paid").await, usize::from(has_paid));
    assert_sound(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_discards_the_waiting_change() {
    let (world, ana) = ana_with(ASKS).await;
    let (_, asked) = waiting(&world, &ana).await;

    let canceled = world.cancels(&ana, "").await.expect("cancelled");

    assert_eq!((canceled.plan_id.as_str(), canceled.cancel_at_period_end), ("elite_nivel_2", true));
    assert_eq!(world.account_of(&ana).await.plan_change_confirmation, None);
    let late = answers(&world, &asked.client_secret, "authorize").await;
    assert!(late["error"].is_object(), "{late}");
    assert_eq!(plan(&world, &ana).await, "elite_nivel_2");
    assert_sound(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_discards_the_waiting_change_and_returns_what_was_paid() {
    let (world, ana) = ana_with(ASKS).await;
    let (_, asked) = waiting(&world, &ana).await;

    let refund = world.wants_back(&ana, None).await.expect("within the guarantee");
    let late = answers(&world, &asked.client_secret, "authorize").await;
    world.rest().await;

    assert_eq!(refund.amount_centavos, 21_790, "the purchase");
    assert!(late["error"].is_object(), "{late}");
    assert_eq!(change_invoices(&world, "open").await + change_invoices(&world, "paid").await, 0);
    assert_sound(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_waits_while_the_provider_cannot_discard_the_change() {
    let (world, ana) = ana_with(ASKS).await;
    waiting(&world, &ana).await;

    world.fails(json!({ "path": "/v1/invoices", "method": "POST", "status": 500 })).await;
    let refused = world.wants_back(&ana, None).await.expect_err("the change may still be paid");
    assert_eq!(reason(&refused), ErrorReason::ChangeInProgress);
    let canceled = world.cancels(&ana, "").await.expect_err("the provider is down");
    assert_eq!(reason(&canceled), ErrorReason::ProviderUnavailable);
    world.clear_faults().await;
    world.advances_minutes(2).await;

    let refund = world.wants_back(&ana, None).await.expect("within the guarantee");
    assert_eq!(refund.amount_centavos, 21_790);
    world.rest().await;
    assert_sound(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decline_after_the_confirmation_changes_nothing() {
    let (world, ana) = ana_with(ASKS_AND_DECLINES).await;
    let (shown, asked) = waiting(&world, &ana).await;

    let failed = answers(&world, &asked.client_secret, "refuse").await;
    assert_eq!(failed["error"]["code"], "payment_intent_authentication_failure", "{failed}");
    world.rest().await;
    let page = payment(&world, &ana).await.expect("it may be tried again");
    assert!(!page.payment_method_id.is_empty(), "the failed attempt took the card off the payment");
    let path = format!("/v3/authenticate/{}", page.client_secret);
    let body = json!({ "challenge": "authorize", "payment_method": page.payment_method_id });
    let declined = world.posts(&path, body).await;
    assert_eq!(declined["error"]["decline_code"], "insufficient_funds", "{declined}");

    assert_unchanged(&world, &ana).await;
    assert_eq!(change_invoices(&world, "void").await, 1);
    // Another card is charged for the same preview.
    pays_with(&world, &ana, VISA).await;
    let done = change(&world, &ana, &shown.preview_token, None).await.expect("it is changed");
    assert_eq!((done.charged_centavos, done.confirmation), (shown.amount_due_centavos, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_confirmed_change_of_the_interval_undoes_the_cancellation() {
    let (world, ana) = ana_with(ASKS).await;
    world.cancels(&ana, "").await.expect("cancelled");
    let shown = preview(&world, &ana, "elite_nivel_2", pb::PlanInterval::Annual).await.expect("a preview");

    let answer = change(&world, &ana, &shown.preview_token, None).await.expect("the bank asks");
    world.rest().await;
    assert!(world.account_of(&ana).await.subscription.expect("it runs").cancel_at_period_end);
    answers(&world, &answer.confirmation.expect("a confirmation").client_secret, "authorize").await;
    world.rest().await;

    let own = world.account_of(&ana).await.subscription.expect("it runs");
    assert_eq!((own.interval(), own.cancel_at_period_end), (pb::PlanInterval::Annual, false));
    assert_eq!(subscription(&world).await["cancel_at_period_end"], false);
    let mails = mails_about(&world, "Seu plano mudou").await;
    assert!(mails[0]["text"].as_str().is_some_and(|text| text.contains("A próxima cobrança")), "{mails:?}");
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_card_in_the_portal_does_not_pay_the_waiting_change() {
    for pays in [false, true] {
        let (world, ana) = ana_with(ASKS).await;
        world.behaves(json!({ "portal_pays_open_invoices": pays })).await;
        let (_, asked) = waiting(&world, &ana).await;
        world.advances_hours(20).await;

        world.takes_card(&ana, "4242424242424242").await;

        assert_eq!(plan(&world, &ana).await, "elite_nivel_2", "{pays}");
        assert_eq!(change_invoices(&world, "paid").await, 0, "{pays}");
        let waits = world.account_of(&ana).await.plan_change_confirmation.expect("it still waits");
        assert_eq!(waits.invoice_id, asked.invoice_id, "{pays}");
        world.advances_hours(5).await;
        assert_unchanged(&world, &ana).await;
        // The new card pays a change that its holder wants again.
        let shown = preview(&world, &ana, PLAN, pb::PlanInterval::Monthly).await.expect("a preview");
        let done = change(&world, &ana, &shown.preview_token, None).await.expect("it is changed");
        assert_eq!((done.charged_centavos, done.confirmation), (shown.amount_due_centavos, None));
        assert_sound(&world).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dispute_discards_the_waiting_change() {
    let (world, ana) = ana_with(ASKS).await;
    let (shown, asked) = waiting(&world, &ana).await;

    let dispute = disputes(&world).await;

    assert_eq!(world.status_of(&ana).await, Some(("suspended".into(), Some(false))));
    assert_eq!(world.account_of(&ana).await.plan_change_confirmation, None);
    let late = answers(&world, &asked.client_secret, "authorize").await;
    assert!(late["error"].is_object(), "{late}");
    assert_eq!(change_invoices(&world, "open").await + change_invoices(&world, "paid").await, 0);
    decided(&world, &dispute, "win").await;
    let over = change(&world, &ana, &shown.preview_token, None).await.expect_err("it is over");
    assert_eq!(reason(&over), ErrorReason::PreviewExpired);
    assert_unchanged(&world, &ana).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disputed_change_is_discarded_once_the_provider_answers_again() {
    let (world, ana) = ana_with(ASKS).await;
    let (_, asked) = waiting(&world, &ana).await;
    world.fails(json!({ "path": "/v1/invoices", "method": "POST", "status": 500 })).await;
    let dispute = disputes(&world).await;
    assert_eq!(change_invoices(&world, "open").await, 1);

    world.clear_faults().await;
    world.advances_minutes(2).await;

    let late = answers(&world, &asked.client_secret, "authorize").await;
    assert!(late["error"].is_object(), "{late}");
    decided(&world, &dispute, "lose").await;
    assert_eq!(world.status_of(&ana).await, Some(("canceled".into(), Some(false))));
    assert_eq!(change_invoices(&world, "open").await + change_invoices(&world, "paid").await, 0);
    assert_at_rest(&world).await;
    assert_sound(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_at_the_dashboard_discards_the_waiting_change() {
    let (world, ana) = ana_with(ASKS).await;
    let (_, asked) = waiting(&world, &ana).await;

    refunds_at_dashboard(&world, None).await;

    assert_eq!(world.status_of(&ana).await, Some(("canceled".into(), Some(false))));
    let late = answers(&world, &asked.client_secret, "authorize").await;
    assert!(late["error"].is_object(), "{late}");
    assert_eq!(change_invoices(&world, "open").await + change_invoices(&world, "paid").await, 0);
    assert_at_rest(&world).await;
    assert_sound(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_account_leaves_no_invoice_to_confirm() {
    let (world, ana) = ana_with(ASKS).await;
    let (_, asked) = waiting(&world, &ana).await;

    let request = DeleteMyAccountRequest { password: "segredo".to_owned() };
    world.users().delete_my_account(bearer(request, &ana.session)).await.expect("deleted");
    world.rest().await;

    let late = answers(&world, &asked.client_secret, "authorize").await;
    assert!(late["error"].is_object(), "{late}");
    assert_eq!(change_invoices(&world, "open").await + change_invoices(&world, "paid").await, 0);
    assert_at_rest(&world).await;
}
