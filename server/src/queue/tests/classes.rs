//! Each class has its own places, and a better priority is claimed first.

use crate::store::{jobs, transaction};
use std::sync::Mutex;

use super::*;

/// A queue whose handlers never return, and the jobs that they began.
struct Stalled {
    store: Store,
    clock: Arc<TestClock>,
    queue: Arc<Queue>,
    began: Arc<Mutex<Vec<(JobKind, String)>>>,
    _database: Database,
}

impl Stalled {
    async fn new() -> Self {
        let database = Database::new().await;
        let store = database.open().await;
        let clock = Arc::new(TestClock::at("2026-11-20T12:00:00Z"));
        let began: Arc<Mutex<Vec<_>>> = Arc::default();
        let mut handlers = Handlers::default();
        for kind in JobKind::ALL {
            let began = began.clone();
            handlers.on(kind, move |job| {
                began.lock().expect("no test panicked").push((job.kind, job.key));
                std::future::pending()
            });
        }
        let queue = Queue::new(store.clone(), clock.clone(), Ids::seeded(1), handlers);
        Self { store, clock, queue, began, _database: database }
    }

    /// Enqueues jobs of a kind that are due, 500 in one transaction.
    async fn enqueue(&self, kind: JobKind, keys: std::ops::Range<usize>) {
        let due_at = self.clock.now();
        let keys: Vec<_> = keys.collect();
        for page in keys.chunks(500) {
            let jobs: Vec<_> = page
                .iter()
                .map(|key| NewJob { kind, key: key.to_string(), payload: json!({}), due_at })
                .collect();
            let written = transaction!(self.store, (jobs), |tx| {
                for job in jobs {
                    jobs::enqueue_if_absent(tx, job.clone()).await?;
                }
                Ok::<_, StoreError>(())
            });
            written.expect("the jobs are stored");
        }
    }

    fn run(&self) -> tokio::task::JoinHandle<()> {
        tokio::spawn(self.queue.clone().run())
    }

    fn began(&self, kind: JobKind) -> usize {
        let began = self.began.lock().expect("no test panicked");
        began.iter().filter(|(of, _)| *of == kind).count()
    }

    async fn begins(&self, kind: JobKind, count: usize) {
        let reached = async {
            while self.began(kind) < count {
                tokio::task::yield_now().await;
            }
        };
        let reached = tokio::time::timeout(IN_TIME, reached).await;
        assert!(reached.is_ok(), "{} of {count} {} began", self.began(kind), kind.name());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_and_payment_jobs_do_not_wait_for_the_reconciliation_of_five_thousand_customers() {
    let stalled = Stalled::new().await;
    stalled.enqueue(JobKind::Reconcile, 0..5_000).await;
    let running = stalled.run();
    stalled.begins(JobKind::Reconcile, 2).await;

    stalled.enqueue(JobKind::Mail, 0..1).await;
    stalled.enqueue(JobKind::PaymentEvent, 0..1).await;

    stalled.begins(JobKind::Mail, 1).await;
    stalled.begins(JobKind::PaymentEvent, 1).await;
    assert_eq!(stalled.began(JobKind::Reconcile), 2, "housekeeping has two places");
    running.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rights_change_does_not_wait_for_full_other_classes() {
    let stalled = Stalled::new().await;
    stalled.enqueue(JobKind::Mail, 0..20).await;
    stalled.enqueue(JobKind::Reconcile, 0..20).await;
    let running = stalled.run();
    stalled.begins(JobKind::Mail, 8).await;
    stalled.begins(JobKind::Reconcile, 2).await;

    stalled.enqueue(JobKind::RightsChange, 0..1).await;

    stalled.begins(JobKind::RightsChange, 1).await;
    assert_eq!(stalled.began(JobKind::Mail), 8, "no other job has a place more");
    running.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_reset_runs_before_mails_that_were_due_earlier() {
    let stalled = Stalled::new().await;
    stalled.enqueue(JobKind::Mail, 0..20).await;
    stalled.clock.advance_seconds(60);
    stalled.enqueue(JobKind::PasswordReset, 0..1).await;

    let running = stalled.run();

    stalled.begins(JobKind::Mail, 7).await;
    stalled.begins(JobKind::PasswordReset, 1).await;
    assert_eq!(stalled.began(JobKind::Mail), 7, "eight places, one of them for the better priority");
    running.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn recoveries_and_payment_mails_go_before_confirmations_that_were_due_earlier() {
    let stalled = Stalled::new().await;
    stalled.enqueue(JobKind::EmailConfirmation, 0..500).await;
    stalled.clock.advance_seconds(60);
    stalled.enqueue(JobKind::PasswordReset, 0..1).await;
    stalled.enqueue(JobKind::Mail, 0..3).await;

    let running = stalled.run();

    // The jobs of one claim begin in any order.
    stalled.begins(JobKind::PasswordReset, 1).await;
    stalled.begins(JobKind::Mail, 3).await;
    stalled.begins(JobKind::EmailConfirmation, 4).await;
    assert_eq!((stalled.began(JobKind::PasswordReset), stalled.began(JobKind::Mail)), (1, 3));
    assert_eq!(stalled.began(JobKind::EmailConfirmation), 4, "eight places");
    running.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn payment_mail_and_report_jobs_do_not_wait_for_each_other() {
    let (payments, mails, reports) = (JobKind::PaymentEvent, JobKind::PasswordReset, JobKind::Conversion);
    for (full, others) in
        [(payments, [mails, reports]), (JobKind::Mail, [payments, reports]), (reports, [payments, mails])]
    {
        let stalled = Stalled::new().await;
        stalled.enqueue(full, 0..100).await;
        let running = stalled.run();
        stalled.begins(full, full.class().slots()).await;

        for other in others {
            stalled.enqueue(other, 0..1).await;
            stalled.begins(other, 1).await;
        }
        assert_eq!(stalled.began(full), full.class().slots(), "{} has no place more", full.name());
        running.abort();
    }
}
