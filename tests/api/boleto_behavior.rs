//! Purchase, renewal and recovery by boleto under each undocumented behaviour of the provider.

use e2e::{App, Person, Visitor, ledger};
use serde_json::{Value, json};

const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

fn behaviors() -> [Value; 6] {
    [
        json!({ "boleto_incomplete": "after_23_hours" }),
        json!({ "boleto_without_reissue": true }),
        json!({ "boleto_confirmation": "next_business_day" }),
        json!({ "boleto_confirmation": "next_business_day_after_expiry" }),
        json!({ "boleto_confirmation": "next_business_day_after_expiry", "boleto_without_reissue": true }),
        json!({ "search_delay_ms": 60_000, "events_omit_test_clocks": true }),
    ]
}

#[tokio::test]
async fn purchase_renewal_and_recovery_by_boleto_work_under_each_provider_behavior() {
    let app = App::start().await;
    let provider = app.provider();
    for behavior in behaviors() {
        provider.behaves(behavior.clone()).await;

        let punctual = somebody(&app).await;
        let first = buys(&app, &punctual).await;
        assert_eq!(provider.pays_boleto(&first).await, 200, "{behavior}");
        let late = somebody(&app).await;
        let second = buys(&app, &late).await;
        assert_eq!(provider.pays_boleto(&second).await, 200, "{behavior}");
        // A confirmation takes one business day: with a weekend and a holiday at most five days.
        provider.goes_to(provider.now().await + 5 * DAY).await;
        let ends = punctual.becomes_active().await["subscription_end"].as_i64().expect("an end");
        let ends = ends.max(late.becomes_active().await["subscription_end"].as_i64().expect("an end"));

        provider.goes_to(ends + HOUR + MINUTE).await;
        let due = wait_for_due_date(&punctual).await;
        assert_eq!(provider.pays_boleto(&first).await, 200, "{behavior}");
        assert_eq!(wait_for_due_date(&late).await, due, "{behavior}");
        provider.goes_to(due - MINUTE).await;
        // The last minute of the last day.
        assert_eq!(provider.pays_boleto(&second).await, 200, "{behavior}");
        provider.goes_to(due + 5 * DAY + HOUR).await;
        for who in [&punctual, &late] {
            let record = who.becomes_active().await;
            assert!(record["subscription_end"].as_i64() > Some(ends), "{behavior}: {record}");
            assert_eq!(
                who.get_subscription().await.boleto,
                None,
                "{behavior}: the paid boleto is not offered again"
            );
            ledger::eventually_agrees(&provider, who).await;
        }

        let again = late.record().await["subscription_end"].as_i64().expect("an end");
        provider.goes_to(again + HOUR + 9 * DAY).await;
        e2e::eventually("the end of unpaid access", || async {
            (late.record().await["subscription_active"] == false).then_some(())
        })
        .await;
        let new = late.opens_checkout("Elite Nível 1", "mensal").await;
        assert_eq!(provider.pays_by_card(&new, "4242424242424242").await, 200);
        assert_eq!(late.becomes_active().await["subscription_plan"], "elite_nivel_1", "{behavior}");
        ledger::eventually_agrees(&provider, &late).await;
    }
}

async fn somebody(app: &App) -> Visitor {
    app.visitor().signs_up(&Person::new()).await
}

async fn buys(app: &App, who: &Visitor) -> String {
    let session = who.opens_checkout("Top Afiliado", "mensal").await;
    assert_eq!(app.provider().asks_for_boleto(&session).await, 200);
    session
}

/// Due date of the pending boleto.
async fn wait_for_due_date(who: &Visitor) -> i64 {
    let boleto =
        e2e::eventually("a boleto that waits", || async { who.get_subscription().await.boleto }).await;
    boleto.due_at.expect("a due date").seconds
}
