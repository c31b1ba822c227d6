//! Clock differences between the database and the servers.

use e2e::fleet::Fleet;

use super::fleet;

#[tokio::test(flavor = "multi_thread")]
async fn clock_skew_to_the_database_is_measured_logged_and_reported_by_the_doctor() {
    let mut fleet = fleet!(Fleet::start_with(1, &[]));
    let skew = async |fleet: &Fleet, server: usize| {
        fleet.nodes[server].gauge("garimpo_database_clock_skew_seconds").await
    };
    assert_eq!(skew(&fleet, 0).await, Some(0.0));

    // The same PostgreSQL with a clock that is 30 s ahead, for connections from now on.
    for statement in [
        "CREATE SCHEMA adiantado",
        "CREATE FUNCTION adiantado.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
           $$ SELECT pg_catalog.clock_timestamp() + interval '30 seconds' $$",
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, adiantado, pg_catalog',
           current_database()); END $$",
    ] {
        fleet.executes(statement).await;
    }
    fleet.starts_a_node().await;

    let seen =
        e2e::eventually("the skew", || async { skew(&fleet, 1).await.filter(|seconds| *seconds != 0.0) })
            .await;
    assert!((29.0..31.0).contains(&seen), "{seen}");
    e2e::eventually("the warning", || async {
        let log = fleet.nodes[1].process.log_text();
        log.contains("the database's clock and this machine's differ").then_some(())
    })
    .await;
    let doctor = fleet.admin(&["doctor"]).await;
    assert_eq!(doctor.code, 1, "{doctor:?}");
    assert!(
        doctor.stdout.contains("PostgreSQL's clock is ") && doctor.stdout.contains("allowed are 2 s"),
        "{doctor:?}"
    );
}
