//! The doctor and the push of the catalogue, beside a running product and without one.

use e2e::{App, Person};
use serde_json::{Value, json};

#[tokio::test]
async fn the_doctor_finds_nothing_in_a_running_product_and_reports_a_refusing_provider() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "semestral").await;
    app.provider().pays_by_card(&session, "4242424242424242").await;
    ana.becomes_active().await;

    let clean = app.admin(&["doctor", "--provider"]).await;
    assert_eq!(clean.code, 0, "{clean:?}");
    assert_eq!(clean.stdout.lines().count(), 1, "{clean:?}");
    assert!(clean.stdout.starts_with("35 invariants asked, 0 findings, "), "{clean:?}");

    app.provider().add_fault(json!({ "path": "/v1/products", "status": 401, "times": 9 })).await;
    let ill = app.admin(&["doctor", "--provider", "--json"]).await;
    assert_eq!(ill.code, 1, "{ill:?}");
    let checked: Vec<Value> = serde_json::from_str(&ill.stdout).unwrap();
    let broken: Vec<_> = checked.iter().filter(|one| one["findings"] != json!([])).collect();
    assert_eq!(broken.len(), 1, "{broken:?}");
    assert_eq!(broken[0]["invariant"], "provider_answers");
    assert!(broken[0]["findings"][0]["mend"].as_str().unwrap().starts_with("garimpo config"), "{broken:?}");
    assert_eq!(app.admin(&["doctor"]).await.code, 0, "without --provider it is not checked");
}

#[tokio::test]
async fn the_doctor_also_runs_without_a_running_product() {
    let mut app = App::start().await;
    app.visitor().signs_up(&Person::new()).await;
    app.kill();

    let found = app.admin(&["doctor"]).await;

    assert_eq!(found.code, 1, "{found:?}");
    assert!(found.stdout.contains("clock_told\n"), "{found:?}");
    assert!(found.stdout.contains(" invariants asked, 1 findings, "), "{found:?}");
}

#[tokio::test]
async fn the_catalogue_at_the_provider_is_compared_and_pushed() {
    let app = App::start().await;
    let provider = app.provider();
    let dry = ["catalog", "push", "--dry-run"];
    e2e::eventually("the first push, which goes by itself", || async {
        (app.admin(&dry).await.code == 0).then_some(())
    })
    .await;

    // A product is renamed and a price is changed in the dashboard.
    provider.changes("/v1/products/top_afiliado", &[("name", "Top")]).await;
    let prices = provider.list("/v1/prices?lookup_keys[]=elite_nivel_1_monthly").await;
    let price = prices[0]["id"].as_str().unwrap();
    provider.changes(&format!("/v1/prices/{price}"), &[("lookup_key", "outra")]).await;
    let dry_run = app.admin(&dry).await;
    assert_eq!(dry_run.code, 1, "{dry_run:?}");
    let rows: Vec<Vec<&str>> = dry_run
        .stdout
        .lines()
        .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
        .collect();
    assert_eq!(rows[1], ["price", "elite_nivel_1_monthly", "R$ 197,90 every 30 days", "-"], "{dry_run:?}");
    assert_eq!(rows[2], ["product", "top_afiliado", "Top Afiliado", "Top"], "{dry_run:?}");
    assert_eq!(rows[4], ["2 differences; nothing was changed: garimpo admin catalog push"]);
    let json: Vec<Value> =
        serde_json::from_str(&app.admin(&[&dry[..], &["--json"]].concat()).await.stdout).unwrap();
    assert_eq!(json.len(), 2, "{json:?}");

    let pushed = app.admin(&["catalog", "push"]).await;

    assert_eq!(
        (pushed.code, pushed.stdout.ends_with("2 differences; all pushed\n")),
        (0, true),
        "{pushed:?}"
    );
    let again = app.admin(&dry).await;
    assert_eq!((again.code, again.stdout.as_str()), (0, "0 differences\n"), "{again:?}");
    assert_eq!(provider.object("/v1/products/top_afiliado").await["name"], "Top Afiliado");
    // New sales use the recreated price.
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 1", "mensal").await;
    assert_eq!(provider.pays_by_card(&session, "4242424242424242").await, 200);
    ana.becomes_active().await;
}

#[tokio::test]
async fn scheduled_doctor_findings_and_unchecked_rules_become_metrics() {
    let app = App::start().await;
    let series = |name: &str, invariant: &str| format!("garimpo_doctor_{name}{{invariant=\"{invariant}\"}}");
    let metric = async |name: &str, invariant: &str| app.metric(&series(name, invariant)).await;
    let becomes = async |name: &str, invariant: &str, value: &str| {
        app.wait_for_metric(&series(name, invariant), value).await;
    };
    // An hour has passed on the clocks of the product and of the machine.
    let runs_again = async || {
        app.executes("UPDATE doctor_findings SET ran_at_us = 1000000").await;
        app.executes("UPDATE jobs SET due_at_us = 0 WHERE kind = 'doctor'").await;
    };
    becomes("findings", "jobs_parked", "0").await;
    assert_eq!(metric("unchecked", "jobs_parked").await.as_deref(), Some("0"));

    app.executes(
        "INSERT INTO jobs (kind, key, payload, state, due_at_us, attempts, generation, priority)
         VALUES ('mail', 'plantado', '{}', 'parked', 0, 20, 1, 8)",
    )
    .await;
    runs_again().await;
    becomes("findings", "jobs_parked", "1").await;
    let last_run = app.metric("garimpo_doctor_last_run_timestamp_seconds").await.unwrap();
    assert!(last_run.parse::<u32>().unwrap() > 1_700_000_000, "{last_run}");
    let log = app.log_text();
    assert!(log.contains("the doctor has findings") && !log.contains("plantado"), "{log}");

    app.loses_table("refunds").await;
    runs_again().await;
    becomes("unchecked", "refund_in_time", "1").await;
    assert_eq!(metric("unchecked", "jobs_parked").await.as_deref(), Some("0"));
    assert_eq!(metric("findings", "jobs_parked").await.as_deref(), Some("1"));
}
