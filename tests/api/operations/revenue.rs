//! Revenue over two months.

use e2e::{App, Person};
use serde_json::{Value, json};

#[tokio::test]
async fn revenue_counts_purchases_renewals_unpaid_renewals_and_trial_accounts() {
    // The first of October at noon in São Paulo. Renewals are on 31 October and 30 November.
    let app = App::start_with(&[("GARIMPO_SANDBOX_CLOCK", "2026-10-01T15:00:00Z")]).await;
    let provider = app.provider();
    for (card, stays) in [("4242424242424242", true), ("4000000000000341", false)] {
        let who = app.visitor().signs_up(&Person::new()).await;
        let session = who.opens_checkout("Elite Nível 1", "mensal").await;
        assert_eq!(provider.pays_by_card(&session, card).await, 200, "{stays}");
        who.becomes_active().await;
    }
    app.visitor().signs_up(&Person::new()).await;
    provider.advances_days(32).await;

    // The clock's move ends after 30 s, on a busy machine before all events have been processed.
    let rows = e2e::eventually("the renewals", || async {
        let ran = app.admin(&["revenue", "--json"]).await;
        assert_eq!(ran.code, 0, "{ran:?}");
        let rows: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
        let invoiced = rows.iter().map(|row| row["invoiced_centavos"].as_i64().unwrap()).sum::<i64>();
        let lost = rows.iter().any(|row| row["churned_unpaid"] == 1);
        // Three payments, in the row of all plans and in that of the one plan.
        (lost && invoiced == 2 * 3 * 19_790).then_some(rows)
    })
    .await;
    let of = |month: &str, plan: &str| {
        let found = rows.iter().find(|row| row["month"] == month && row["plan"] == plan);
        found.unwrap_or_else(|| panic!("{month} {plan}: {rows:?}")).clone()
    };
    let october = of("2026-10", "all");
    let values_of = |row: &Value, keys: &[&str]| keys.iter().map(|key| row[*key].clone()).collect::<Vec<_>>();
    let keys = ["at_start", "new", "churned_unpaid", "at_end", "sign_ups", "sign_ups_paid"];
    // The subscription whose renewal was not paid on 31 October is lost on that day.
    assert_eq!(values_of(&october, &keys), [0, 2, 1, 1, 3, 2].map(|count| json!(count)), "{october}");
    assert_eq!(
        values_of(&october, &["mrr_centavos", "invoiced_centavos"]),
        [json!(19_790), json!(59_370)],
        "{october}"
    );
    let november = of("2026-11", "elite_nivel_1");
    assert_eq!(
        values_of(&november, &["at_start", "at_end", "mrr_centavos"]),
        [json!(1), json!(1), json!(19_790)]
    );

    let csv = app.admin(&["revenue", "--month", "2026-10", "--csv"]).await;
    let lines: Vec<_> = csv.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{csv:?}");
    assert!(lines[0].starts_with("month,plan,mrr,at_start,"), "{csv:?}");
    assert_eq!(lines[1], "2026-10,all,197.90,0,2,0,0,0,1,0,1,593.70,0.00,3,2,67");
    assert_eq!(lines[2], "2026-10,elite_nivel_1,197.90,0,2,0,0,0,1,0,1,593.70,0.00,,,");
    let table = app.admin(&["revenue", "--month", "2026-10"]).await;
    assert!(table.stdout.contains("R$ 593,70") && table.stdout.contains("2026-10 by plan\n"), "{table:?}");
    for wrong in [&["revenue", "--month", "2026-13"][..], &["revenue", "--month", "2027-01"]] {
        assert_eq!(app.admin(wrong).await.code, 2, "{wrong:?}");
    }
}
