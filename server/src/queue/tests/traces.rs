//! A job keeps the trace of its cause.

use garimpo_telemetry::TraceContext;

use super::*;
use crate::request_id;

const CAUSE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const UNRECORDED: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

/// Enqueues a job in a trace.
async fn enqueue_in(queue: &Fixture, key: &str, traceparent: &str) {
    let enqueueing = queue.enqueue(key, queue.clock.now());
    let trace = TraceContext::parse(traceparent);
    assert!(request_id::within("req_1".to_owned(), trace, enqueueing).await);
}

/// The stored trace of a job.
async fn stored(queue: &Fixture, key: &str) -> Option<String> {
    claims::traceparent_of(&queue.store, JobKind::Mail, key).await.expect("readable")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_job_runs_again_in_the_trace_of_its_cause() {
    let queue = Fixture::new(|_| Err(JobError::Retry("later".to_owned()))).await;
    enqueue_in(&queue, "a", CAUSE).await;
    enqueue_in(&queue, "b", UNRECORDED).await;
    queue.settles().await;

    assert_eq!(stored(&queue, "a").await.as_deref(), Some(CAUSE));
    assert_eq!(stored(&queue, "b").await, None, "a trace that is not recorded is not stored");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeating_job_does_not_extend_the_trace_of_its_cause() {
    let queue = Fixture::new(|_| Ok(JobOutcome::Again(Timestamp::from_micros(i64::MAX)))).await;
    enqueue_in(&queue, "a", CAUSE).await;
    queue.settles().await;

    assert_eq!(stored(&queue, "a").await, None);
    let job = Fixture::job("a", queue.clock.now().plus_days(1));
    let again = async { transaction!(queue.store, (job), |tx| jobs::reschedule(tx, job.clone()).await) };
    request_id::within("req_2".to_owned(), TraceContext::parse(CAUSE), again).await.expect("stored");
    assert_eq!(stored(&queue, "a").await.as_deref(), Some(CAUSE), "a new cause has a new trace");
}
