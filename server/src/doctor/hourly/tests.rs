//! The hourly run over a database of its own.

use std::sync::Arc;

use garimpo_domain::subscription::Policy;

use super::*;
use crate::operator::tests::execute_sql;
use crate::tests::clock::TestClock;
use crate::tests::database::Database;

const PARKED: &str = "INSERT INTO jobs (kind, key, payload, state, due_at_us, attempts, generation, priority)
     VALUES ('mail', 'a', '{}', 'parked', 0, 20, 1, 8)";

fn doctor(store: &Store, limits: TimeLimits) -> Doctor {
    Doctor::new(store.clone(), Arc::new(TestClock::at("2026-11-20T12:00:00Z")), Policy::default(), limits)
}

async fn parked(store: &Store) -> DoctorFindings {
    let found = doctor_findings::list(store).await.expect("readable");
    found.into_iter().find(|one| one.invariant == "jobs_parked").expect("it was checked")
}

#[tokio::test]
async fn a_second_run_in_the_same_hour_checks_nothing() {
    let database = Database::new().await;
    let store = database.open().await;
    run(doctor(&store, LIMITS)).await.expect("it runs");
    execute_sql(&database, PARKED).await;

    let again = run(doctor(&store, LIMITS)).await.expect("it runs");

    assert!(matches!(again, JobOutcome::Again(_)));
    assert_eq!(parked(&store).await.findings, 0);
    execute_sql(&database, "UPDATE doctor_findings SET ran_at_us = 1000000").await;
    run(doctor(&store, LIMITS)).await.expect("it runs");
    assert_eq!(parked(&store).await.findings, 1);
}

#[tokio::test]
async fn a_run_without_time_ends_and_keeps_the_previous_finding() {
    let database = Database::new().await;
    let store = database.open().await;
    execute_sql(&database, PARKED).await;
    run(doctor(&store, LIMITS)).await.expect("it runs");
    execute_sql(&database, "UPDATE doctor_findings SET ran_at_us = 1000000").await;

    run(doctor(&store, TimeLimits { each: Duration::ZERO, all: Duration::ZERO })).await.expect("it runs");

    let found = parked(&store).await;
    assert!(!found.is_checked && found.ran_at.as_micros() > 1_000_000, "{found:?}");
    assert_eq!(found.findings, 1, "nothing shows that it is gone");
}
