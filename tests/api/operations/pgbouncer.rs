//! The product on PostgreSQL behind PgBouncer in transaction mode.

use e2e::pgbouncer::PgBouncer;
use e2e::{App, Person, postgres};

const GOOD_CARD: &str = "4242424242424242";
const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

#[tokio::test(flavor = "multi_thread")]
async fn purchase_renewal_and_sign_in_work_behind_pgbouncer_in_transaction_mode() {
    let Some(direct) = postgres::fresh().await else { return println!("no PostgreSQL in this run") };
    let bouncer = PgBouncer::start(&direct).await;
    let pooled = bouncer.url_of(&direct);
    let settings = [
        ("GARIMPO_DATABASE_URL", pooled.as_str()),
        ("GARIMPO_DATABASE_POOLER", "transaction"),
        ("GARIMPO_DATABASE_MIGRATION_URL", direct.as_str()),
    ];
    let app = App::start_with(&settings).await;
    let provider = app.provider();

    // Many at once, so that several clients share the two connections of PgBouncer.
    let people: Vec<_> = (0..8).map(|_| Person::new()).collect();
    let visitors = people.iter().map(|person| app.visitor().signs_up(person));
    let mut visitors = futures::future::join_all(visitors).await.into_iter();
    let (ana, rui) = (visitors.next().expect("Ana"), visitors.next().expect("Rui"));

    let session = ana.opens_checkout("Top Afiliado", "mensal").await;
    assert_eq!(provider.pays_by_card(&session, GOOD_CARD).await, 200);
    let bought = ana.becomes_active().await;
    assert_eq!(bought["subscription_plan"], "top_afiliado");

    let session = rui.opens_checkout("Elite Nível 2", "mensal").await;
    assert_eq!(provider.asks_for_boleto(&session).await, 200);
    rui.becomes("awaiting_payment").await;
    assert_eq!(provider.pays_boleto(&session).await, 200);
    assert_eq!(rui.becomes_active().await["subscription_plan"], "elite_nivel_2");

    let ends = bought["subscription_end"].as_i64().expect("an instant");
    provider.goes_to(ends + HOUR + MINUTE).await;
    e2e::eventually("the renewal", || async {
        (ana.record().await["subscription_end"] == ends + 30 * DAY).then_some(())
    })
    .await;

    futures::future::join_all(people.iter().map(|person| app.visitor().signs_in(person))).await;
    let doctor = app.admin(&["doctor"]).await;
    assert!(doctor.code < 2 && doctor.stderr.is_empty(), "{doctor:?}");
    let log = app.log_text();
    assert!(!log.contains("prepared statement"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_pgbouncer_migrate_names_the_missing_setting() {
    let Some(direct) = postgres::fresh().await else { return println!("no PostgreSQL in this run") };
    let bouncer = PgBouncer::start(&direct).await;
    let app = App::start().await;

    let pooled = bouncer.url_of(&direct);
    let refused = app.runs_with(&["migrate"], &[("GARIMPO_DATABASE_URL", &pooled)]).await;
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("GARIMPO_DATABASE_POOLER=transaction"), "{refused:?}");
    let settings = [("GARIMPO_DATABASE_URL", pooled.as_str()), ("GARIMPO_DATABASE_POOLER", "transaction")];
    let refused = app.runs_with(&["migrate"], &settings).await;
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("GARIMPO_DATABASE_MIGRATION_URL"), "{refused:?}");
}
