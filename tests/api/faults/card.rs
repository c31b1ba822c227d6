//! Cards that require authentication, are declined, or have insufficient funds.

use e2e::{App, ledger};

use super::{GOOD_CARD, asks, session_of, somebody};

const ASKS_FOR_CONSENT: &str = "4000000000003220";
const WITHOUT_MONEY: &str = "4000000000009995";
const CONSENT_THEN_WITHOUT_MONEY: &str = "4000008260003178";

#[tokio::test]
async fn a_refused_authentication_charges_nothing_and_an_accepted_one_activates() {
    let app = App::start().await;
    let ana = somebody(&app).await;
    let session = ana.opens_checkout("Elite Nível 2", "semestral").await;

    let refused = app.provider().pays_by_card_without_consent(&session, ASKS_FOR_CONSENT).await;

    assert_eq!((refused.0, refused.1["error"]["code"].as_str()), (402, Some("authentication_required")));
    assert_eq!(session_of(&app.provider(), &session).await["status"], "open");
    assert!(ana.record().await["subscription_active"].is_null());
    ledger::agrees(&app.provider(), &ana).await;
    assert_eq!(app.provider().pays_by_card(&session, ASKS_FOR_CONSENT).await, 200);
    assert_eq!(ana.becomes_active().await["subscription_plan"], "elite_nivel_2");
    ledger::eventually_agrees(&app.provider(), &ana).await;
}

#[tokio::test]
async fn insufficient_funds_charge_nothing_and_another_card_pays_the_same_session() {
    let app = App::start().await;
    let ana = somebody(&app).await;
    let session = ana.opens_checkout("Top Afiliado", "anual").await;

    for card in [WITHOUT_MONEY, CONSENT_THEN_WITHOUT_MONEY] {
        assert_eq!(app.provider().pays_by_card(&session, card).await, 402, "{card}");
    }

    ledger::agrees(&app.provider(), &ana).await;
    let again = asks(&ana, "Top Afiliado", "anual").await;
    assert!(
        again.body["clientSecret"].as_str().is_some_and(|secret| secret.starts_with(&session)),
        "{again:?}"
    );
    assert_eq!(app.provider().pays_by_card(&session, GOOD_CARD).await, 200);
    assert_eq!(ana.becomes_active().await["subscription_plan"], "top_afiliado");
    ledger::eventually_agrees(&app.provider(), &ana).await;
}
