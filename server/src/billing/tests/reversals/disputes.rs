//! Disputes: suspension of access, and the effects of their end.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_dispute_suspends_and_a_won_one_restores_the_access() {
    let (world, ana) = World::new().await.with_subscriber("elite_nivel_1", "month").await;

    let dispute = disputes(&world).await;

    assert_eq!(world.status_of(&ana).await, Some(("suspended".into(), Some(false))));
    assert_eq!(suspended_reason(&world, &ana).await.as_deref(), Some("payment_disputed"));
    let closed = world.wants_back(&ana, None).await.expect_err("the bank has it");
    assert_eq!(reason(&closed), ErrorReason::RefundWindowClosed);

    decided(&world, &dispute, "win").await;
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
    assert_eq!(suspended_reason(&world, &ana).await, None);
    assert_eq!(world.provider_list("/v1/subscriptions").await.len(), 1, "it goes on");
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_dispute_ends_the_subscription() {
    let (world, ana) = World::new().await.with_subscriber("elite_nivel_1", "month").await;
    let dispute = disputes(&world).await;

    decided(&world, &dispute, "lose").await;

    assert_eq!(world.status_of(&ana).await, Some(("canceled".into(), Some(false))));
    assert_eq!(world.provider_list("/v1/subscriptions?status=all").await[0]["status"], "canceled");
    let invoice = world.invoices_of(&ana, 0, "").await.expect("a page").invoices.remove(0);
    assert_eq!((invoice.status.as_str(), invoice.refunded_centavos), ("refunded", 19_790));
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dispute_whose_events_were_lost_is_found_by_the_daily_reconciliation() {
    let (world, ana) = World::on_sqlite().await.with_subscriber("elite_nivel_1", "month").await;
    world.fails(json!({ "webhooks": "drop", "times": 100 })).await;
    let dispute = disputes(&world).await;
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))), "nobody knows yet");

    world.advances_hours(25).await;
    assert_eq!(world.status_of(&ana).await, Some(("suspended".into(), Some(false))), "the daily look");
    decided(&world, &dispute, "win").await;
    world.advances_hours(1).await;
    assert_eq!(
        world.status_of(&ana).await,
        Some(("active".into(), Some(true))),
        "what is open is looked at often"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_that_disputes_every_payment_suspends_right_after_the_purchase() {
    let (world, ana) = World::on_sqlite().await.with_ana().await;
    world.subscribes_with("4000000000000259", &ana, "top_afiliado", "month").await;
    assert_eq!(world.status_of(&ana).await, Some(("suspended".into(), Some(false))));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_mail_about_a_cancellation_during_a_dispute_does_not_promise_access() {
    let (world, ana) = World::on_sqlite().await.with_subscriber("elite_nivel_1", "month").await;
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
async fn a_bank_inquiry_keeps_the_access_until_it_becomes_a_dispute() {
    let (world, ana) = World::new().await.with_subscriber("elite_nivel_1", "month").await;
    let charge = charge_of(&world).await["id"].clone();
    let inquiry = world.posts("/_test/disputes", json!({ "charge": charge, "inquiry": true })).await;
    world.rest().await;
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));

    decided(&world, inquiry["id"].as_str().expect("an id"), "escalate").await;
    assert_eq!(suspended_reason(&world, &ana).await.as_deref(), Some("payment_disputed"));

    decided(&world, inquiry["id"].as_str().expect("an id"), "win").await;
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_partly_lost_dispute_the_guarantee_refunds_the_rest_by_pix() {
    let (world, ana) = World::new().await.with_subscriber("elite_nivel_1", "month").await;
    let charge = charge_of(&world).await["id"].clone();
    let made = world.posts("/_test/disputes", json!({ "charge": charge, "amount": 10_000 })).await;
    world.rest().await;
    decided(&world, made["id"].as_str().expect("an id"), "lose").await;
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))), "a part of it");

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
async fn disputes_of_one_charge_are_summed() {
    let (world, ana) = World::new().await.with_subscriber("elite_nivel_1", "month").await;
    let charge = charge_of(&world).await["id"].clone();
    for amount in [1_000, 18_790] {
        let made = world.posts("/_test/disputes", json!({ "charge": charge, "amount": amount })).await;
        world.rest().await;
        assert_eq!(suspended_reason(&world, &ana).await.as_deref(), Some("payment_disputed"));
        if amount == 1_000 {
            decided(&world, made["id"].as_str().expect("an id"), "lose").await;
            assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))), "a part of it");
        } else {
            decided(&world, made["id"].as_str().expect("an id"), "lose").await;
        }
    }

    assert_eq!(world.status_of(&ana).await, Some(("canceled".into(), Some(false))));
    let invoice = world.invoices_of(&ana, 0, "").await.expect("a page").invoices.remove(0);
    assert_eq!(invoice.refunded_centavos, 19_790);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_dispute_that_is_won_later_counts_as_received_money_again() {
    let (world, ana) = World::new().await.with_subscriber("elite_nivel_1", "month").await;
    let dispute = disputes(&world).await;
    decided(&world, &dispute, "lose").await;
    assert_eq!(world.status_of(&ana).await, Some(("canceled".into(), Some(false))));

    decided(&world, &dispute, "win").await;

    let rows = invoices::by_uid(world.app.store(), &ana.uid).await.expect("readable");
    assert_eq!((rows[0].dispute, rows[0].refunded_centavos.get()), (Some(DisputeState::Won), 0));
    // The subscription ended with the lost dispute. The operator decides about the remaining time.
    assert_eq!(world.status_of(&ana).await, Some(("canceled".into(), Some(false))));
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_names_a_dispute_and_the_day_by_which_to_answer() {
    let (world, _ana) = World::new().await.with_subscriber("elite_nivel_1", "month").await;
    let dispute = disputes(&world).await;
    let due_by = world.provider_list("/v1/disputes").await[0]["evidence_details"]["due_by"].as_i64();
    let day = garimpo_domain::Timestamp::from_unix_seconds(due_by.expect("a deadline")).day_in_sao_paulo();

    let found = findings(&world, "dispute_answered").await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("R$ 197,90") && found[0].ends_with(&format!("answer by {day}")), "{found:?}");

    decided(&world, &dispute, "win").await;
    assert_eq!(findings(&world, "dispute_answered").await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_names_an_inquiry_and_its_day_by_a_rule_of_its_own_until_it_is_answered() {
    let (world, ana) = World::new().await.with_subscriber("elite_nivel_1", "month").await;
    let charge = charge_of(&world).await["id"].clone();
    let inquiry = world.posts("/_test/disputes", json!({ "charge": charge, "inquiry": true })).await;
    world.rest().await;
    let due_by = inquiry["evidence_details"]["due_by"].as_i64().expect("a deadline");
    let day = garimpo_domain::Timestamp::from_unix_seconds(due_by).day_in_sao_paulo();

    let found = findings(&world, "inquiry_answered").await;

    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("R$ 197,90") && found[0].ends_with(&format!("answer by {day}")), "{found:?}");
    assert_eq!(findings(&world, "dispute_answered").await, [""; 0]);
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
    let id = text(&inquiry["id"]);
    decided(&world, &id, "escalate").await;
    let rules = [findings(&world, "inquiry_answered").await, findings(&world, "dispute_answered").await];
    assert_eq!(rules.map(|found| found.len()), [0, 1], "a dispute of its own severity");
    decided(&world, &id, "win").await;
    assert_eq!(findings(&world, "dispute_answered").await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answered_inquiry_is_no_finding() {
    let (world, _ana) = World::on_sqlite().await.with_subscriber("elite_nivel_1", "month").await;
    let charge = charge_of(&world).await["id"].clone();
    let inquiry = world.posts("/_test/disputes", json!({ "charge": charge, "inquiry": true })).await;
    world.rest().await;

    let path = format!("/v1/disputes/{}", text(&inquiry["id"]));
    world.provider_posts(&path, &[("evidence[uncategorized_text]", "o acesso foi usado")]).await;
    world.rest().await;

    assert_eq!(findings(&world, "inquiry_answered").await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_inquiry_whose_events_were_lost_is_found_by_the_daily_reconciliation() {
    let (world, _ana) = World::on_sqlite().await.with_subscriber("elite_nivel_1", "month").await;
    world.fails(json!({ "webhooks": "drop", "times": 100 })).await;
    let charge = charge_of(&world).await["id"].clone();
    world.posts("/_test/disputes", json!({ "charge": charge, "inquiry": true })).await;

    world.advances_hours(25).await;

    assert_eq!(findings(&world, "inquiry_answered").await.len(), 1);
}

/// What the doctor finds by a rule.
async fn findings(world: &World, rule: &str) -> Vec<String> {
    let checked = crate::operator::Operator::beside(&world.app).doctor().await;
    let rule = checked.into_iter().find(|one| one.invariant == rule).expect("it is checked");
    rule.findings.into_iter().map(|finding| finding.what).collect()
}
