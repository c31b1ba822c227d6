//! Calls of one account at the same moment: a refund, a plan change, a deletion and a purchase.

use garimpo_proto::billing::v1 as pb;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::users::v1::DeleteMyAccountRequest;
use serde_json::json;
use tonic::Status;
use tonic_types::StatusExt as _;

use crate::billing::tests::plan_change::{self, change};
use crate::billing::tests::{assert_at_rest, assert_sound, broken_invariants};
use crate::operator::tests::operator;
use crate::tests::server::{SignedInUser, bearer, reason};
use crate::tests::world::{ANA, World};

/// Payment for a year of Elite PRO 6.
const PAID: i64 = 628_740;

async fn preview(world: &World, who: &SignedInUser, plan: &str) -> Result<String, Status> {
    let shown = plan_change::preview(world, who, plan, pb::PlanInterval::Monthly).await?;
    Ok(shown.preview_token)
}

/// Requests the refund as the site does: until a reply arrives.
async fn insists_on_refund(world: &World, who: &SignedInUser) -> pb::RequestRefundResponse {
    loop {
        match world.wants_back(who, None).await {
            Ok(answer) => return answer,
            Err(refused) => assert_eq!(reason(&refused), ErrorReason::ChangeInProgress),
        }
    }
}

/// Credit of the provider's only customer.
async fn credit(world: &World, who: &SignedInUser) -> i64 {
    let customer = world.provider_list(&format!("/v1/customers?email={}", who.email)).await.remove(0);
    -customer["balance"].as_i64().expect("a number")
}

/// Money of an account that the provider has not refunded.
async fn money_kept(world: &World, who: &SignedInUser) -> i64 {
    let customer = world.provider_list(&format!("/v1/customers?email={}", who.email)).await.remove(0);
    let id = customer["id"].as_str().expect("an id").to_owned();
    let charges = world.provider_list(&format!("/v1/charges?customer={id}&limit=100")).await;
    let kept = charges.iter().filter(|charge| charge["status"] == "succeeded").map(|charge| {
        charge["amount"].as_i64().expect("a number") - charge["amount_refunded"].as_i64().expect("a number")
    });
    kept.sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_during_a_downgrade_leaves_no_credit() {
    let world = World::new().await;
    for turn in 0..6 {
        let who = world.signs_up(&format!("ana{turn}@exemplo.com.br")).await;
        world.subscribes(&who, "elite_pro_6", "anual").await;
        let token = preview(&world, &who, "top_afiliado").await.expect("a preview");

        // Either may be first.
        let changes = change(&world, &who, &token, None);
        let refunds = insists_on_refund(&world, &who);
        let refunded =
            if turn % 2 == 0 { tokio::join!(changes, refunds).1 } else { tokio::join!(refunds, changes).0 };
        world.rest().await;

        assert_eq!(refunded.amount_centavos, PAID, "turn {turn}");
        assert_eq!(
            (money_kept(&world, &who).await, credit(&world, &who).await),
            (0, 0),
            "turn {turn}: all money is back, so no credit is left"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_during_an_upgrade_returns_every_payment() {
    let world = World::new().await;
    for turn in 0..3 {
        let who = world.signs_up(&format!("ana{turn}@exemplo.com.br")).await;
        world.subscribes(&who, "top_afiliado", "month").await;
        let token = preview(&world, &who, "elite_pro_6").await.expect("a preview");

        let (_changed, _refunded) =
            tokio::join!(change(&world, &who, &token, None), insists_on_refund(&world, &who));
        world.rest().await;

        assert_eq!((money_kept(&world, &who).await, credit(&world, &who).await), (0, 0), "turn {turn}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_and_a_new_preview_wait_for_the_confirmed_change_to_finish() {
    let (world, ana) = World::new().await.with_subscriber("elite_pro_6", "anual").await;
    let token = preview(&world, &ana, "top_afiliado").await.expect("a preview");
    // The change is applied at the provider, and its reply is lost.
    let subscription = world.provider_list("/v1/subscriptions").await.remove(0);
    let path = format!("/v1/subscriptions/{}", subscription["id"].as_str().expect("an id"));
    world.fails(json!({ "path": path, "method": "POST", "act_then_drop": true })).await;
    let lost = change(&world, &ana, &token, None).await.expect_err("no answer");
    assert_eq!(reason(&lost), ErrorReason::ProviderUnavailable);

    let refund = world.wants_back(&ana, Some("tab")).await.expect_err("the change is not finished");
    let again = preview(&world, &ana, "elite_nivel_2").await.expect_err("the change is not finished");

    for refused in [&refund, &again] {
        assert_eq!((reason(refused), refused.code()), (ErrorReason::ChangeInProgress, tonic::Code::Aborted));
        let pause = refused.get_details_retry_info().and_then(|info| info.retry_delay);
        assert_eq!(pause.map(|pause| pause.as_secs()), Some(2), "it says when to come back");
    }
    assert_eq!(world.status_of(&ana).await.expect("it runs").0, "active", "nothing was decided");
    world.clear_faults().await;
    world.advances_minutes(2).await;
    let answer = world.wants_back(&ana, Some("tab")).await.expect("the change has finished by itself");
    world.rest().await;
    assert_eq!(answer.amount_centavos, PAID);
    assert_eq!((money_kept(&world, &ana).await, credit(&world, &ana).await), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_does_not_wait_forever_for_a_change_without_a_reply() {
    let (world, ana) = World::new().await.with_subscriber("elite_pro_6", "anual").await;
    let token = preview(&world, &ana, "top_afiliado").await.expect("a preview");
    let subscription = world.provider_list("/v1/subscriptions").await.remove(0);
    let path = format!("/v1/subscriptions/{}", subscription["id"].as_str().expect("an id"));
    world.fails(json!({ "webhooks": "drop" })).await;
    world.fails(json!({ "path": path, "method": "POST", "act_then_drop": true })).await;
    change(&world, &ana, &token, None).await.expect_err("no answer");
    world.fails(json!({ "path": "/v1", "method": "GET", "status": 503 })).await;
    world.posts("/clock", json!({ "advance_seconds": 15 * 60, "keep_sessions": true })).await;
    let early = world.wants_back(&ana, None).await.expect_err("the change may be under way");
    assert_eq!(reason(&early), ErrorReason::ChangeInProgress);
    world.posts("/clock", json!({ "advance_seconds": 6 * 60, "keep_sessions": true })).await;

    let answer = world.wants_back(&ana, None).await.expect("our word does not wait for the provider");
    world.clear_faults().await;
    // The refusals opened the circuit of the provider's client, whose cool-down is in real time.
    world
        .eventually("the provider is called again", async || {
            let request = pb::CreatePortalSessionRequest { email: ana.email.clone() };
            world.billing().create_portal_session(bearer(request, &ana.session)).await.is_ok()
        })
        .await;
    world.advances_hours(3).await;

    assert_eq!(answer.amount_centavos, PAID);
    assert_eq!((money_kept(&world, &ana).await, credit(&world, &ana).await), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_confirmed_after_the_refund_is_rejected() {
    let (world, ana) = World::new().await.with_subscriber("elite_pro_6", "anual").await;
    let token = preview(&world, &ana, "top_afiliado").await.expect("a preview");
    // The subscription cannot be ended at the provider yet, so it still runs there.
    world.fails(json!({ "path": "/v1/subscriptions", "method": "DELETE", "status": 503 })).await;
    world.wants_back(&ana, None).await.expect("it is given back");

    let refused = change(&world, &ana, &token, None).await.expect_err("its money goes back");

    assert_eq!(reason(&refused), ErrorReason::NoSubscription);
    world.clear_faults().await;
    world.advances_minutes(10).await;
    assert_eq!((money_kept(&world, &ana).await, credit(&world, &ana).await), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn credit_of_a_refunded_subscription_pays_no_purchase_and_is_voided_by_the_repair() {
    let (world, ana) = World::new().await.with_subscriber("elite_pro_6", "anual").await;
    let token = preview(&world, &ana, "top_afiliado").await.expect("a preview");
    change(&world, &ana, &token, None).await.expect("it is changed");
    let made = credit(&world, &ana).await;
    assert!(made > 600_000, "{made}");
    let customer = world.provider_list("/v1/customers").await.remove(0);
    let path = format!("/v1/customers/{}/balance_transactions", customer["id"].as_str().expect("an id"));
    world.fails(json!({ "path": path, "method": "POST", "status": 503 })).await;
    world.wants_back(&ana, None).await.expect("it is given back");
    world.settles().await;
    world.advances_hours(3).await;

    assert_eq!(credit(&world, &ana).await, made, "the provider refuses to end it");
    let bought = world.opens(&ana, "elite_pro_5", "anual", "").await.expect_err("its credit would pay");
    assert_eq!(reason(&bought), ErrorReason::ChangeInProgress);
    let now = world.app.clock().now().to_rfc3339();
    let doctor = operator(&world.database, &now, &world.url).await;
    let findings = async || {
        let checked = doctor.doctor().await;
        checked
            .into_iter()
            .find(|one| one.invariant == "credit_ended_with_refund")
            .expect("it is asked")
            .findings
    };
    let found = findings().await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].repair, format!("garimpo admin reconcile --uid {}", ana.uid));
    let billing = world.app.billing();
    let differs = billing.reconciliation.compare(&ana.uid).await.expect("compared").differences;
    let fields: Vec<_> = differs.iter().map(|one| (one.field.as_str(), &one.provider)).collect();
    assert!(fields.contains(&("credit_of_returned_subscription", &json!(made))), "{fields:?}");

    world.clear_faults().await;
    billing.reconciliation.repair_account(&ana.uid).await.expect("repaired");
    world.settles().await;

    assert_eq!(billing.reconciliation.compare(&ana.uid).await.expect("compared").differences, []);
    assert_eq!(findings().await, []);
    assert_eq!(credit(&world, &ana).await, 0);
    world.advances_hours(2).await;
    assert_eq!(money_kept(&world, &ana).await, 0, "the job goes on where it failed");
    world.opens(&ana, "elite_pro_5", "anual", "").await.expect("now it is paid with money");
    // Credit added later does not belong to this refund.
    let form = [("amount", "-5000"), ("currency", "brl")];
    world.provider_posts(&path, &form).await;
    billing.reconciliation.repair_account(&ana.uid).await.expect("repaired");
    world.advances_days(2).await;
    assert_eq!(credit(&world, &ana).await, 5_000, "it stays");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_deleted_during_a_change_is_refunded_completely_and_the_change_finishes() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;
    let token = preview(&world, &ana, "elite_pro_6").await.expect("a preview");
    let subscription = world.provider_list("/v1/subscriptions").await.remove(0);
    let path = format!("/v1/subscriptions/{}", subscription["id"].as_str().expect("an id"));
    world.fails(json!({ "path": path, "method": "POST", "act_then_drop": true })).await;
    change(&world, &ana, &token, None).await.expect_err("no answer");

    let request = DeleteMyAccountRequest { password: "segredo".into() };
    world.users().delete_my_account(bearer(request, &ana.session)).await.expect("it is deleted");
    world.clear_faults().await;
    world.rest().await;
    world.advances_hours(3).await;

    let charges = world.provider_list("/v1/charges").await;
    let back = charges.iter().filter(|charge| charge["status"] == "succeeded");
    assert!(
        back.clone().count() == 2 && back.clone().all(|charge| charge["refunded"] == true),
        "{charges:?}"
    );
    assert_sound(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_between_the_two_provider_lists_is_reported_as_a_plan_change() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;
    world.fails(json!({ "webhooks": "hold" })).await;
    // The subscriptions are listed immediately, the invoices only after the change.
    world.fails(json!({ "path": "/v1/invoices", "method": "GET", "delay_ms": 400, "times": 1 })).await;

    let (read, ()) =
        tokio::join!(world.app.billing().sync.refresh(&ana.uid), world.raises_plan("elite_pro_6_monthly"));
    read.expect("it is read");
    world.clear_faults().await;
    world.rest().await;

    let mails = world.mails_to(ANA).await;
    let subjects: Vec<_> = mails.iter().map(|mail| mail["subject"].as_str().expect("a text")).collect();
    assert_eq!(subjects, ["Seu plano mudou: Elite PRO 6", "Pagamento confirmado: Top Afiliado"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_of_a_disputed_payment_waits_for_the_bank_without_blocking_the_queue() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;
    let charge = world.provider_list("/v1/charges").await.remove(0);
    // The dispute opens between the request and the refund. A disputed payment has no guarantee.
    world.fails(json!({ "path": "/v1/refunds", "method": "POST", "status": 503 })).await;
    world.wants_back(&ana, None).await.expect("it is given back");
    world.settles().await;
    let dispute = world.posts("/_test/disputes", json!({ "charge": charge["id"] })).await;
    world.clear_faults().await;
    world.rest().await;

    for _ in 0..3 {
        world.advances_days(1).await;
        assert_at_rest(&world).await;
    }
    assert_eq!(money_kept(&world, &ana).await, 9_790, "the provider refuses a refund");
    let broken: Vec<_> = broken_invariants(&world).await.iter().map(|one| one.invariant).collect();
    assert_eq!(broken, ["dispute_answered"], "the operator has to answer the bank");
    let id = dispute["id"].as_str().expect("an id");
    world.posts(&format!("/_test/disputes/{id}/win"), json!({})).await;
    world.advances_hours(2).await;

    assert_eq!(money_kept(&world, &ana).await, 0, "the bank has decided");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_query_of_the_documentation_finds_the_affected_account() {
    let (world, ana) = World::new().await.with_subscriber("elite_pro_6", "anual").await;
    let token = preview(&world, &ana, "top_afiliado").await.expect("a preview");
    change(&world, &ana, &token, None).await.expect("it is changed");
    let operation = include_str!("../../../../docs/operation.md");
    let query = operation.split("```sql\n").nth(1).and_then(|rest| rest.split("```").next());
    let query = query.expect("the query stands in the documentation").trim().trim_end_matches(';');

    let before = rows(&world, query).await;
    world.wants_back(&ana, None).await.expect("it is given back");
    world.rest().await;

    assert_eq!((before, rows(&world, query).await), (vec![], vec![ana.uid.to_string()]));
}

/// The first column of what a query finds.
async fn rows(world: &World, query: &str) -> Vec<String> {
    use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _, SqliteConnection};
    let query = AssertSqlSafe(query.to_owned());
    if world.database.is_postgres() {
        let mut server = PgConnection::connect(&world.database.url).await.expect("PostgreSQL answers");
        let found = sqlx::query(query).fetch_all(&mut server).await.expect("the query runs");
        found.iter().map(|row| row.get(0)).collect()
    } else {
        let mut file = SqliteConnection::connect(&world.database.url).await.expect("the file opens");
        let found = sqlx::query(query).fetch_all(&mut file).await.expect("the query runs");
        found.iter().map(|row| row.get(0)).collect()
    }
}
