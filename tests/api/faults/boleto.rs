//! Unpaid boletos, and purchases while one is pending.

use e2e::{App, ledger};

use super::{GOOD_CARD, session_of, somebody, wait_for_status};

#[tokio::test]
async fn an_expired_boleto_is_reported_and_cannot_be_paid_and_a_new_one_can() {
    let app = App::start().await;
    let ana = somebody(&app).await;
    let session = ana.opens_checkout("Elite Nível 1", "trimestral").await;
    app.provider().asks_for_boleto(&session).await;
    wait_for_status(&ana, "awaiting_payment").await;

    app.provider().advances_days(5).await;

    ledger::eventually_agrees(&app.provider(), &ana).await;
    let seen = ana.checkout(&session).await.unwrap();
    assert_eq!((seen.status.as_str(), seen.payment_status.as_str()), ("expired", "unpaid"));
    assert_eq!(seen.boleto, None);
    assert_eq!(app.provider().pays_boleto(&session).await, 400, "the bank takes it no more");
    let again = ana.opens_checkout("Elite Nível 1", "trimestral").await;
    assert_ne!(again, session);
    app.provider().asks_for_boleto(&again).await;
    app.provider().pays_boleto(&again).await;
    assert_eq!(ana.becomes_active().await["subscription_plan"], "elite_nivel_1");
    ledger::eventually_agrees(&app.provider(), &ana).await;
}

#[tokio::test]
async fn a_paid_purchase_voids_the_pending_boleto() {
    let app = App::start().await;
    let ana = somebody(&app).await;
    let waiting = ana.opens_checkout("Top Afiliado", "mensal").await;
    app.provider().asks_for_boleto(&waiting).await;
    wait_for_status(&ana, "awaiting_payment").await;
    let other = ana.opens_checkout("Elite PRO 1", "mensal").await;

    app.provider().pays_by_card(&other, GOOD_CARD).await;

    ledger::eventually_agrees(&app.provider(), &ana).await;
    assert_eq!(ana.record().await["subscription_plan"], "elite_pro_1");
    let replaced = session_of(&app.provider(), &waiting).await;
    let invoice = replaced["invoice"].as_str().unwrap();
    assert_eq!(app.provider().object(&format!("/v1/invoices/{invoice}")).await["status"], "void");
    assert_eq!(app.provider().pays_boleto(&waiting).await, 400, "the old voucher is worth nothing");
    ledger::agrees(&app.provider(), &ana).await;
}

#[tokio::test]
async fn two_boletos_paid_together_keep_one_and_refund_the_other_by_pix() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = somebody(&app).await;
    let one = ana.opens_checkout("Top Afiliado", "mensal").await;
    let two = ana.opens_checkout("Elite Nível 1", "mensal").await;
    for session in [&one, &two] {
        assert_eq!(provider.asks_for_boleto(session).await, 200);
    }

    let paid = tokio::join!(provider.pays_boleto(&one), provider.pays_boleto(&two));

    // The second payment may come after the first one has ended its checkout.
    assert!(paid.0 == 200 || paid.1 == 200, "{paid:?}");
    ana.becomes_active().await;
    ledger::eventually_agrees(&provider, &ana).await;
}
