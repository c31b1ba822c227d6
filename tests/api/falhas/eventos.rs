//! Webhooks lost, doubled, shuffled and held, for every kind of purchase; nobody comes back to a page of ours.

use e2e::provider::Provider;
use e2e::{App, Visitor, ledger};
use serde_json::json;

use super::{GOOD_CARD, shows_status, somebody};

#[tokio::test]
async fn eventos_perdidos_dobrados_embaralhados_e_presos_acabam_nos_mesmos_livros() {
    let app = App::start().await;
    let provider = app.provider();
    for fault in ["drop", "double", "shuffle", "hold"] {
        let buyers = [somebody(&app).await, somebody(&app).await, somebody(&app).await];
        buyers[0].opens_checkout("Top Afiliado", "mensal").await;
        provider.has_fault(json!({ "webhooks": fault })).await;

        buys_all_ways(&provider, &buyers).await;

        // What no event tells, reconciliation finds: it looks every ten minutes.
        provider.advances(11 * 60).await;
        for who in &buyers {
            ledger::eventually_agrees(&provider, who).await;
            assert_eq!(who.record().await["subscription_active"], true, "{fault}");
        }
        provider.recovers().await;
        provider.advances(60).await;
        for who in &buyers {
            ledger::eventually_agrees(&provider, who).await;
        }
    }
}

#[tokio::test]
async fn os_livros_mostram_o_que_ainda_nao_confere() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = somebody(&app).await;
    let one = ana.opens_checkout("Top Afiliado", "mensal").await;
    let two = ana.opens_checkout("Elite Nível 1", "mensal").await;
    ledger::agrees(&provider, &ana).await;
    provider.has_fault(json!({ "webhooks": "hold" })).await;

    provider.pays_by_card(&one, GOOD_CARD).await;
    let unknown = ledger::differences(&provider, &ana).await.join("\n");
    provider.pays_by_card(&two, GOOD_CARD).await;
    let twice = ledger::differences(&provider, &ana).await.join("\n");

    assert!(unknown.contains("payments and their mails differ in number"), "{unknown}");
    assert!(unknown.contains("paid at the provider, not active with us"), "{unknown}");
    assert!(twice.contains("two live subscriptions at the provider"), "{twice}");
    assert!(twice.contains("the same time was charged twice and kept"), "{twice}");
    provider.recovers().await;
    ledger::eventually_agrees(&provider, &ana).await;
}

/// One by card, one by boleto, one twice at once.
async fn buys_all_ways(provider: &Provider, [card, slip, both]: &[Visitor; 3]) {
    let session = card.opens_checkout("Elite Nível 1", "mensal").await;
    assert_eq!(provider.pays_by_card(&session, GOOD_CARD).await, 200);

    let session = slip.opens_checkout("Elite Nível 2", "semestral").await;
    assert_eq!(provider.asks_for_boleto(&session).await, 200);
    assert_eq!(provider.pays_boleto(&session).await, 200);

    let one = both.opens_checkout("Elite Nível 3", "anual").await;
    let two = both.opens_checkout("Top Afiliado", "anual").await;
    let paid = tokio::join!(provider.pays_by_card(&one, GOOD_CARD), provider.pays_by_card(&two, GOOD_CARD));
    assert!(paid.0 == 200 || paid.1 == 200, "{paid:?}");
}

#[tokio::test]
async fn boleto_emitido_e_pago_sem_evento_nenhum_e_achado() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = somebody(&app).await;
    let session = ana.opens_checkout("Elite PRO 5", "trimestral").await;
    provider.has_fault(json!({ "webhooks": "drop" })).await;

    provider.asks_for_boleto(&session).await;
    provider.advances(11 * 60).await;
    shows_status(&ana, "awaiting_payment").await;
    provider.pays_boleto(&session).await;
    provider.advances(11 * 60).await;

    assert_eq!(ana.becomes_active().await["subscription_plan"], "elite_pro_5");
    ledger::eventually_agrees(&provider, &ana).await;
}
