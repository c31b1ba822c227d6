//! A row that this program cannot read is parked alone.

use super::*;
use crate::operator::tests::execute_sql;
use crate::store::jobs::JobState;
use crate::store::operator::job_queries;

/// Stores a waiting row as no version of this program would.
async fn insert(queue: &Fixture, kind: &str, key: &str, payload: &str) {
    let due_at_us = queue.clock.now().as_micros();
    let row = format!(
        "INSERT INTO jobs (kind, key, payload, state, due_at_us, attempts, generation)
         VALUES ('{kind}', '{key}', '{payload}', 'waiting', {due_at_us}, 0, 1)"
    );
    execute_sql(&queue.database, &row).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_with_an_unreadable_payload_is_parked_alone_and_the_others_run() {
    let queue = Fixture::new(|_| Ok(JobOutcome::Done)).await;
    insert(&queue, "mail", "estragado", "{\"n\":").await;
    for key in 0..7 {
        queue.enqueue(&key.to_string(), queue.clock.now()).await;
    }

    queue.settles().await;

    assert_eq!(queue.runs(), 7);
    let parked = parked(&queue.store).await;
    assert_eq!(parked.len(), 1, "{parked:?}");
    assert_eq!(parked[0].key, "estragado");
    assert_eq!(parked[0].last_error.as_deref(), Some("the payload is not readable"));
    for key in 0..7 {
        let job = job_queries::by_key(&queue.store, JobKind::Mail, &key.to_string()).await.expect("readable");
        assert_eq!(job.map(|job| (job.state, job.attempts)), Some((JobState::Done, 1)));
    }
}

/// More than are parked in the time that the queue has to come to rest, where each claim of them
/// waits for the next look.
const MANY: usize = 160;

#[tokio::test(flavor = "multi_thread")]
async fn unreadable_rows_do_not_block_the_rows_behind_them() {
    let queue = Fixture::new(|_| Ok(JobOutcome::Done)).await;
    for key in 0..MANY {
        insert(&queue, "mail", &format!("estragado {key}"), "{\"n\":").await;
    }
    queue.clock.advance_seconds(1);
    queue.enqueue("bom", queue.clock.now()).await;

    queue.settles().await;

    assert_eq!(queue.runs(), 1);
    assert_eq!(parked(&queue.store).await.len(), MANY);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_job_kind_is_parked_an_hour_after_it_is_due() {
    let queue = Fixture::new(|_| Ok(JobOutcome::Done)).await;
    insert(&queue, "de_outra_versao", "a", "{}").await;
    insert(&queue, "de_outra_versao", "b", "{}").await;
    queue.enqueue("conhecido", queue.clock.now()).await;
    queue.settles().await;
    let park = async || {
        let parking = crate::queue::unreadable::park_unknown_kinds(&queue.store, queue.clock.now());
        parking.await.expect("it is looked for");
    };

    park().await;
    assert!(parked(&queue.store).await.is_empty(), "a newer server may know it");
    queue.clock.advance_seconds(3_601);
    park().await;

    assert_eq!(queue.runs(), 1);
    let parked = parked(&queue.store).await;
    let why: Vec<_> = parked.iter().map(|job| (job.key.as_str(), job.last_error.as_deref())).collect();
    assert_eq!(why, ["a", "b"].map(|key| (key, Some("the kind is not readable"))));
}
