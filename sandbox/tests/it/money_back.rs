//! Money that goes back: refunds and disputes.

use serde_json::{Value, json};

use crate::support::{World, client, id};

const VISA: &str = "4242424242424242";
const PENDS: &str = "4000000000007726";
const FAILS: &str = "4000000000005126";
const PAID: i64 = 19_611;

/// Buys by card; returns the charge.
async fn charged(world: &World, card: &str) -> Value {
    let session = world.session().await;
    assert_eq!(world.pay_by_card(&session, card).await.0, 200);
    charge(world).await
}

async fn charge(world: &World) -> Value {
    world.get("/v1/charges").await["data"][0].clone()
}

async fn refund(world: &World, of: &Value, more: &str) -> (u16, Value) {
    world.call("POST", "/v1/refunds", &format!("charge={}{more}", id(of)), None).await
}

fn code(answer: &(u16, Value)) -> (u16, &str) {
    (answer.0, answer.1["error"]["code"].as_str().unwrap_or_default())
}

#[tokio::test]
async fn partial_refunds_add_up_to_the_charge_and_the_receipt_shows_their_sum() {
    let world = World::start().await;
    let of = charged(&world, VISA).await;

    let (status, part) = refund(&world, &of, "&amount=1000").await;
    assert_eq!(
        (status, part["status"].as_str(), part["amount"].as_i64()),
        (200, Some("succeeded"), Some(1_000))
    );
    let after = charge(&world).await;
    assert_eq!((&after["amount_refunded"], &after["refunded"]), (&json!(1_000), &json!(false)));
    let too_much = refund(&world, &of, &format!("&amount={PAID}")).await;
    assert_eq!(too_much.0, 400, "{too_much:?}");

    let (_, rest) = refund(&world, &of, "&reason=requested_by_customer").await;
    assert_eq!((&rest["amount"], &rest["reason"]), (&json!(PAID - 1_000), &json!("requested_by_customer")));
    let after = charge(&world).await;
    assert_eq!((&after["amount_refunded"], &after["refunded"]), (&json!(PAID), &json!(true)));
    assert_eq!(code(&refund(&world, &of, "").await), (400, "charge_already_refunded"));
    world.hooks.wait_for("charge.refunded", 2).await;
    world.hooks.wait_for("refund.created", 2).await;

    let invoice = world.get("/v1/invoices").await["data"][0].clone();
    let receipt = client().get(invoice["hosted_invoice_url"].as_str().unwrap()).send().await.unwrap();
    let page = receipt.text().await.unwrap();
    assert!(page.contains("<dt>Reembolsado</dt><dd>R$ 196,11</dd>"), "{page}");
}

#[tokio::test]
async fn a_receipt_without_a_refund_does_not_mention_one() {
    let world = World::start().await;
    charged(&world, VISA).await;
    let invoice = world.get("/v1/invoices").await["data"][0].clone();
    let receipt = client().get(invoice["hosted_invoice_url"].as_str().unwrap()).send().await.unwrap();
    assert!(!receipt.text().await.unwrap().contains("Reembolsado"));
}

#[tokio::test]
async fn a_pending_refund_succeeds_and_a_failed_one_is_taken_off_the_charge() {
    let world = World::start().await;
    let pending = charged(&world, PENDS).await;
    let (_, made) = refund(&world, &pending, "").await;
    assert_eq!(made["status"], "pending");
    let failing = charged(&world, FAILS).await;
    let (_, accepted) = refund(&world, &failing, "").await;
    assert_eq!(accepted["status"], "succeeded");

    world.advance_days(1).await;

    assert_eq!(world.get(&format!("/v1/refunds/{}", id(&made))).await["status"], "succeeded");
    let failed = world.get(&format!("/v1/refunds/{}", id(&accepted))).await;
    assert_eq!(
        (&failed["status"], &failed["failure_reason"]),
        (&json!("failed"), &json!("lost_or_stolen_card"))
    );
    let after = world.get(&format!("/v1/charges/{}", id(&failing))).await;
    assert_eq!((&after["amount_refunded"], &after["refunded"]), (&json!(0), &json!(false)));
    world.hooks.wait_for("refund.failed", 1).await;
    assert_eq!(world.hooks.count("refund.updated"), 2);
}

#[tokio::test]
async fn an_open_dispute_blocks_refunds_and_is_decided_once() {
    let world = World::start().await;
    for (verdict, status) in [("win", "won"), ("lose", "lost")] {
        let of = charged(&world, VISA).await;
        let (code_of_open, dispute) =
            world.json("POST", "/_test/disputes", json!({ "charge": of["id"] })).await;
        assert_eq!(
            (code_of_open, &dispute["status"], &dispute["amount"]),
            (200, &json!("needs_response"), &json!(PAID))
        );
        assert_eq!(charge(&world).await["disputed"], true);
        assert_eq!(code(&refund(&world, &of, "").await), (400, "charge_disputed"));
        assert_eq!(
            world.json("POST", "/_test/disputes", json!({ "charge": of["id"] })).await.0,
            400,
            "twice"
        );

        let path = format!("/_test/disputes/{}/{verdict}", id(&dispute));
        assert_eq!(world.json("POST", &path, Value::Null).await.1["status"], status);
        let again = world.json("POST", &path, Value::Null).await.0;
        assert_eq!(again, 400, "decided");
        let listed = world.get(&format!("/v1/disputes?charge={}", id(&of))).await;
        assert_eq!(listed["data"][0]["status"], status);
        // A won charge can still be refunded; the payer already has the money of a lost one.
        let later = refund(&world, &of, "").await;
        assert_eq!(later.0, if verdict == "win" { 200 } else { 400 }, "{later:?}");
    }
    world.hooks.wait_for("charge.dispute.closed", 2).await;
    assert_eq!(world.hooks.count("charge.dispute.created"), 2);
    assert_eq!(world.hooks.count("charge.dispute.funds_withdrawn"), 2);
    assert_eq!(world.hooks.count("charge.dispute.funds_reinstated"), 1);
}

#[tokio::test]
async fn a_dispute_covers_the_unrefunded_rest_and_a_boleto_cannot_be_disputed() {
    let world = World::start().await;
    let of = charged(&world, VISA).await;
    refund(&world, &of, "&amount=1000").await;
    let (_, dispute) = world.json("POST", "/_test/disputes", json!({ "charge": of["id"] })).await;
    assert_eq!(dispute["amount"], PAID - 1_000);

    let session = world.session().await;
    world.issue_boleto(&session).await;
    world.json("POST", &format!("/_test/boletos/{}/pay", id(&session)), Value::Null).await;
    let by_boleto = charge(&world).await;
    assert_eq!(by_boleto["payment_method_details"]["type"], "boleto");
    assert_eq!(world.json("POST", "/_test/disputes", json!({ "charge": by_boleto["id"] })).await.0, 400);
    assert_eq!(refund(&world, &by_boleto, "").await.0, 400);
}

#[tokio::test]
async fn evidence_decides_a_dispute_as_at_the_provider() {
    let world = World::start().await;
    for (said, status) in
        [("winning_evidence", "won"), ("losing_evidence", "lost"), ("um recibo", "under_review")]
    {
        let of = charged(&world, VISA).await;
        let (_, dispute) = world.json("POST", "/_test/disputes", json!({ "charge": of["id"] })).await;
        let form = format!("evidence[uncategorized_text]={said}");
        let path = format!("/v1/disputes/{}", id(&dispute));
        assert_eq!(world.post(&path, &form).await["status"], status, "{said}");
    }
}

#[tokio::test]
async fn an_inquiry_moves_no_money_and_can_become_a_dispute() {
    let world = World::start().await;
    for (verdict, status) in [("close", "warning_closed"), ("escalate", "needs_response")] {
        let of = charged(&world, VISA).await;
        let asked = json!({ "charge": of["id"], "inquiry": true });
        let (_, inquiry) = world.json("POST", "/_test/disputes", asked).await;
        assert_eq!(
            (&inquiry["status"], &inquiry["is_charge_refundable"]),
            (&json!("warning_needs_response"), &json!(true))
        );
        let path = format!("/_test/disputes/{}/{verdict}", id(&inquiry));
        assert_eq!(world.json("POST", &path, Value::Null).await.1["status"], status);
    }
    world.hooks.wait_for("charge.dispute.funds_withdrawn", 1).await;
}

#[tokio::test]
async fn a_charge_can_have_several_disputes_and_a_lost_one_can_be_won_later() {
    let world = World::start().await;
    let of = charged(&world, VISA).await;
    let open = async |amount: i64| {
        let asked = json!({ "charge": of["id"], "amount": amount });
        id(&world.json("POST", "/_test/disputes", asked).await.1).to_owned()
    };
    let first = open(1_000).await;
    let second = open(2_000).await;
    for (dispute, verdict, status) in
        [(&first, "lose", "lost"), (&second, "win", "won"), (&first, "win", "won")]
    {
        let path = format!("/_test/disputes/{dispute}/{verdict}");
        assert_eq!(world.json("POST", &path, Value::Null).await.1["status"], status);
    }
    world.hooks.wait_for("charge.dispute.created", 2).await;
}
