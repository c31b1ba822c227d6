//! The invariants that the doctor checks (`doctor.rs`), and its other queries.

use garimpo_domain::{Centavos, PaymentIntentId, Timestamp, Uid};

use crate::clock::system_now;
use crate::store::billing::subscriptions::is_duplicate;
use crate::store::engine::{Db, Result, Statement, Store, only, ro, row, statement};
use crate::store::jobs::JobState;
use crate::store::jobs::kind::Priority;

/// A row that violates an invariant.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Violation {
    /// Its id, as commands accept it.
    pub subject: String,
    /// Its account; empty without one.
    pub uid: String,
    /// Description of the violation.
    pub what: String,
}

row! {
    "jobs" by key;

    /// The scheduled job at an account's next change of rights.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ScheduledRightsChange {
        /// The job's key: the uid.
        pub key: String,
        pub state: JobState,
        pub due_at: Timestamp as due_at_us,
    }
}

row! {
    "invoices" by id;

    /// A payment whose dispute or inquiry waits for our answer.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct DisputeToAnswer {
        pub payment_intent_id: PaymentIntentId,
        pub uid: Uid,
        pub amount_due_centavos: Centavos,
        pub answer_by: Timestamp as dispute_answer_by_us,
    }
}

/// An invariant that one query checks.
#[derive(Debug)]
pub struct Invariant {
    /// Its name in reports and metrics.
    pub name: &'static str,
    /// The query for violations. Its parameters are `binds`, then the most rows.
    sql: Statement,
    binds: &'static [Bind],
    /// The command that repairs or explains a violation, with `{subject}` and `{uid}` of its row.
    repair: &'static str,
}

/// A parameter of a query.
#[derive(Debug)]
enum Bind {
    Now,
    HoursAgo(i64),
    DaysAgo(i64),
    /// Real time, which leases use.
    RealSecondsAgo(i64),
    Number(i64),
}

impl Bind {
    fn value(&self, now: Timestamp) -> i64 {
        match *self {
            Self::Now => now.as_micros(),
            Self::HoursAgo(hours) => now.plus_hours(-hours).as_micros(),
            Self::DaysAgo(days) => now.plus_days(-days).as_micros(),
            Self::RealSecondsAgo(seconds) => system_now().plus_seconds(-seconds).as_micros(),
            Self::Number(number) => number,
        }
    }
}

impl Invariant {
    /// At most `limit` violations.
    pub async fn violations(&self, store: &Store, now: Timestamp, limit: i64) -> Result<Vec<Violation>> {
        let values: Vec<i64> = self.binds.iter().map(|bind| bind.value(now)).chain([limit]).collect();
        ro!(store, rows registered self.sql, each &values)
    }

    /// The command that repairs or explains a violation.
    pub fn repair(&self, violation: &Violation) -> String {
        self.repair.replace("{subject}", &violation.subject).replace("{uid}", &violation.uid)
    }

    #[cfg(test)]
    pub(crate) fn named(name: &str) -> &'static Self {
        INVARIANTS.iter().find(|invariant| invariant.name == name).expect("an invariant")
    }
}

/// Jobs and events that are younger are not late yet.
pub const GRACE_HOURS: i64 = 1;
/// A command that syncs the account with the provider.
const RECONCILE: &str = "garimpo admin reconcile --uid {uid}";

/// The invariants that one query checks. Each query reads at most one table completely and looks up
/// other rows by key.
pub static INVARIANTS: &[Invariant] = &[
    // Jobs whose lease ended before an instant of real time and that no worker has claimed again.
    // A lease lasts seconds, so a server without renewal for this long is dead.
    Invariant {
        name: "jobs_abandoned",
        sql: statement!("SELECT kind || ' ' || key AS subject, '' AS uid, 'its lease has ended and no server claimed it' AS what FROM jobs
         WHERE state = 'waiting' AND leased_until_us < $1 ORDER BY kind, key LIMIT $2"),
        binds: &[Bind::RealSecondsAgo(60)],
        repair: "start garimpo: no server runs that takes it over (/readyz)",
    },
    // Jobs that were due before an instant and have no valid lease. Jobs enqueued at a start have
    // no due instant and are left out. So are jobs of the daily sweep, which are enqueued at once
    // and may take hours.
    Invariant {
        name: "jobs_late",
        sql: statement!("SELECT kind || ' ' || key AS subject, '' AS uid, 'due, and not running' AS what FROM jobs
         WHERE state = 'waiting' AND due_at_us > 0 AND due_at_us < $1 AND leased_until_us IS NULL AND priority <> $2
         ORDER BY due_at_us, kind, key LIMIT $3"),
        binds: &[Bind::HoursAgo(GRACE_HOURS), Bind::Number(Priority::Sweep as i64)],
        repair: "start garimpo: no server runs that does it (/readyz)",
    },
    // Waiting conversions with at least this many failed runs. Only their age ends the retries.
    // A conversion that failed this often has waited for an hour or two.
    Invariant {
        name: "conversions_leave",
        sql: statement!("SELECT key AS subject, '' AS uid, attempts || ' runs, ' || COALESCE(last_error, 'no reason kept') AS what
         FROM jobs WHERE state = 'waiting' AND kind || '' = 'conversion' AND attempts >= $1
         ORDER BY due_at_us, key LIMIT $2"),
        binds: &[Bind::Number(12)],
        repair: "garimpo config: GARIMPO_META_ACCESS_TOKEN, _PIXEL_ID, _API_VERSION; else wait: each is tried for 7 days",
    },
    // Accounts with more than one live subscription.
    Invariant {
        name: "one_live_subscription",
        sql: statement!("SELECT uid AS subject, uid, COUNT(*) || ' live subscriptions' AS what FROM subscriptions WHERE live
         GROUP BY uid HAVING COUNT(*) > 1 ORDER BY uid LIMIT $1"),
        binds: &[],
        repair: RECONCILE,
    },
    // Paid invoices of subscriptions without a row.
    Invariant {
        name: "paid_invoice_has_subscription",
        sql: statement!("SELECT i.id AS subject, i.uid, i.total_centavos || ' centavos paid for ' || i.subscription_id
           || ', which we do not have' AS what
         FROM invoices i LEFT JOIN subscriptions s ON s.id = i.subscription_id
         WHERE i.status = 'paid' AND s.id IS NULL ORDER BY i.id LIMIT $1"),
        binds: &[],
        repair: RECONCILE,
    },
    // Subscriptions without our metadata that were created at the provider for our customers. They
    // give no rights.
    Invariant {
        name: "subscription_has_account",
        sql: statement!("SELECT made_by_hand AS subject, uid, 'created at the provider by hand: it charges and gives no access' AS what
         FROM customers WHERE made_by_hand <> '' ORDER BY uid LIMIT $1"),
        binds: &[],
        repair: "end it at the provider, or write `uid` {uid} into its metadata there; then: garimpo admin reconcile --uid {uid}",
    },
    // Duplicate payments from before an instant whose money or credit was not returned.
    Invariant {
        name: "duplicate_given_back",
        sql: statement!(concat!("SELECT s.id AS subject, s.uid, 'a second payment that is not refunded' AS what FROM subscriptions s
         WHERE ", is_duplicate!(), " AND EXISTS (SELECT 1 FROM invoices i
           WHERE i.subscription_id = s.id AND i.status = 'paid' AND i.paid_at_us < $1
             AND i.paid_at_us = (SELECT MAX(paid_at_us) FROM invoices WHERE subscription_id = s.id AND status = 'paid')
             AND (i.total_centavos > i.amount_due_centavos + i.carried_centavos
                  AND i.credit_returned_centavos = 0
               OR i.amount_due_centavos > 0
                  AND NOT EXISTS (SELECT 1 FROM refunds r WHERE r.uid = s.uid AND r.subscription_id = s.id)))
         ORDER BY s.id LIMIT $2")),
        binds: &[Bind::HoursAgo(GRACE_HOURS)],
        repair: RECONCILE,
    },
    // Charges of plan changes that were not refunded, although the subscription's payment was
    // refunded at the provider before an instant.
    Invariant {
        name: "difference_given_back",
        sql: statement!("SELECT i.id AS subject, i.uid, (i.amount_due_centavos - i.refunded_centavos)
           || ' centavos of a plan change were not refunded, but its period was' AS what
         FROM subscriptions s JOIN invoices i ON i.subscription_id = s.id
         WHERE s.returned_at_us < $1 AND s.retired = '' AND i.status = 'paid' AND i.reason = 'subscription_update'
           AND i.paid_at_us >= s.paid_from_us
           AND i.amount_due_centavos > i.refunded_centavos
           AND NOT EXISTS (SELECT 1 FROM refunds r WHERE r.invoice_id = i.id)
           AND NOT EXISTS (SELECT 1 FROM invoices l WHERE l.subscription_id = s.id AND l.dispute = 'lost')
         ORDER BY i.id LIMIT $2"),
        binds: &[Bind::HoursAgo(GRACE_HOURS)],
        repair: "refund it at the provider too: garimpo admin subscriber {subject} shows its PAYMENT; then: garimpo admin reconcile --uid {uid}",
    },
    // Subscriptions returned before an instant whose credit from plan changes is still at the
    // provider.
    Invariant {
        name: "credit_ended_with_refund",
        sql: statement!("SELECT s.id AS subject, s.uid, -c.balance_centavos
           || ' centavos of credit are left, but its payment was refunded' AS what
         FROM subscriptions s JOIN customers c ON c.uid = s.uid
         WHERE s.returned_at_us < $1 AND s.credit_ended_at_us IS NULL AND s.retired <> 'duplicate'
           AND c.balance_centavos < 0
           AND EXISTS (SELECT 1 FROM invoices i WHERE i.subscription_id = s.id AND i.status = 'paid'
             AND i.reason = 'subscription_update' AND i.total_centavos < 0)
         ORDER BY s.id LIMIT $2"),
        binds: &[Bind::HoursAgo(GRACE_HOURS)],
        repair: RECONCILE,
    },
    // Refunds whose due date is before an instant.
    Invariant {
        name: "refund_in_time",
        sql: statement!("SELECT id AS subject, uid, amount_centavos || ' centavos by Pix, overdue' AS what FROM refunds
         WHERE state = 'requested' AND due_at_us < $1 ORDER BY due_at_us, id LIMIT $2"),
        binds: &[Bind::Now],
        repair: "pay it, then: garimpo admin refunds paid {subject} --pix E…",
    },
    // Refunds by card that were requested before an instant and not made. Those of a disputed
    // payment are left out, because the provider refuses them until the bank has decided.
    // A card refund is one call to the provider, so it takes less than a day.
    Invariant {
        name: "card_refund_made",
        sql: statement!("SELECT id AS subject, uid, amount_centavos || ' centavos by card, not made yet' AS what FROM refunds
         WHERE state = 'requested' AND method = 'card' AND created_at_us < $1
           AND NOT EXISTS (SELECT 1 FROM invoices i WHERE i.id = refunds.invoice_id AND i.dispute = 'open')
         ORDER BY created_at_us, id LIMIT $2"),
        binds: &[Bind::DaysAgo(1)],
        repair: RECONCILE,
    },
    // Checkouts that should have ended: open after they expired, or complete and unpaid for too
    // long.
    // A boleto can be paid for days, and the provider ends its checkout some days later.
    Invariant {
        name: "checkout_settles",
        sql: statement!("SELECT id AS subject, uid, status || ', ' || payment_status || ', and not settled' AS what FROM checkouts
         WHERE NOT settled AND ((status = 'open' AND COALESCE(expires_at_us, created_at_us) < $1)
           OR (status = 'complete' AND created_at_us < $2)) ORDER BY created_at_us, id LIMIT $3"),
        binds: &[Bind::HoursAgo(GRACE_HOURS), Bind::DaysAgo(10)],
        repair: RECONCILE,
    },
    // Checkouts stored before an instant without a response of the provider.
    // After a day the provider has dropped an intent's key, and the daily retention ends the
    // intent.
    Invariant {
        name: "intent_answered",
        sql: statement!("SELECT id AS subject, uid, 'no response of the provider' AS what FROM checkouts
         WHERE NOT settled AND status = 'intent' AND created_at_us < $1 ORDER BY created_at_us, id LIMIT $2"),
        binds: &[Bind::DaysAgo(2)],
        repair: "garimpo admin jobs show retention daily: it ends such an intent each day",
    },
    // Checkouts that began after an instant and whose session has another amount than our price.
    Invariant {
        name: "checkout_price_is_ours",
        sql: statement!("SELECT id AS subject, uid, 'ours ' || quoted_centavos || ', the provider ' || first_payment_centavos || ' centavos' AS what
         FROM checkouts
         WHERE created_at_us > $1 AND quoted_centavos <> first_payment_centavos AND status IN ('open', 'complete')
         ORDER BY created_at_us DESC, id LIMIT $2"),
        binds: &[Bind::DaysAgo(7)],
        repair: "garimpo admin catalog push --dry-run: it compares prices and coupons",
    },
    // Plan changes that were claimed before an instant, or could be confirmed at the bank until
    // then, and have not finished.
    Invariant {
        name: "plan_change_finished",
        sql: statement!("SELECT id AS subject, uid, 'a change to ' || plan_id || ' is unfinished' AS what
         FROM plan_changes
         WHERE (state = 'claimed' AND created_at_us < $1) OR (state = 'confirming' AND confirm_until_us < $1)
         ORDER BY created_at_us, id LIMIT $2"),
        binds: &[Bind::HoursAgo(GRACE_HOURS)],
        repair: "garimpo admin jobs show plan_change {subject}; then: garimpo admin jobs replay plan_change {subject}",
    },
    // Cancellations requested within a span that the provider does not have, and whose subscription
    // still runs.
    // Older ones are not reported: the subscription was renewed, and the person saw it.
    Invariant {
        name: "cancellation_told",
        sql: statement!("SELECT c.id AS subject, c.uid, 'cancellation requested, but not sent to the provider' AS what
         FROM cancellations c JOIN subscriptions s ON s.id = c.subscription_id
         WHERE NOT c.told AND c.created_at_us > $1 AND c.created_at_us < $2
           AND s.ended_at_us IS NULL AND NOT s.cancel_at_period_end ORDER BY c.created_at_us, c.id LIMIT $3"),
        binds: &[Bind::DaysAgo(30), Bind::HoursAgo(GRACE_HOURS)],
        repair: RECONCILE,
    },
    // Boletos of first payments that expired before an instant and whose subscription has not
    // ended.
    // The provider voids an unpaid boleto on the day after its due date.
    Invariant {
        name: "boleto_lapses",
        sql: statement!("SELECT i.id AS subject, i.uid, 'a boleto is open after it expired' AS what
         FROM invoices i JOIN subscriptions s ON s.id = i.subscription_id
         WHERE i.status IN ('draft', 'open') AND i.boleto_due_at_us < $1
           AND s.first_paid_at_us IS NULL AND s.ended_at_us IS NULL ORDER BY i.boleto_due_at_us, i.id LIMIT $2"),
        binds: &[Bind::DaysAgo(2)],
        repair: RECONCILE,
    },
    // Customer ids that several accounts have.
    Invariant {
        name: "customer_unique",
        sql: statement!("SELECT customer_id AS subject, MIN(uid) AS uid, COUNT(*) || ' accounts: ' || MIN(uid) || ', ' || MAX(uid) AS what
         FROM customers WHERE customer_id IS NOT NULL
         GROUP BY customer_id HAVING COUNT(*) > 1 ORDER BY customer_id LIMIT $1"),
        binds: &[],
        repair: "garimpo admin subscriber {subject}: the provider's customer says whose it is",
    },
    // Sessions of deleted accounts.
    Invariant {
        name: "session_has_account",
        sql: statement!("SELECT s.uid AS subject, s.uid, COUNT(*) || ' sessions of a deleted account' AS what
         FROM sessions s LEFT JOIN accounts a ON a.uid = s.uid WHERE a.uid IS NULL
         GROUP BY s.uid ORDER BY s.uid LIMIT $1"),
        binds: &[],
        repair: "garimpo admin sessions end {subject}",
    },
];

/// Parked jobs. The repair depends on the job.
pub static JOBS_PARKED: Invariant = Invariant {
    name: "jobs_parked",
    sql: statement!("SELECT kind || ' ' || key AS subject, '' AS uid, COALESCE(last_error, 'no reason kept') AS what FROM jobs
         WHERE state = 'parked' ORDER BY kind, key LIMIT $1"),
    binds: &[],
    repair: "garimpo admin jobs show {subject}; after the repair: garimpo admin jobs replay {subject}",
};

/// Events of these types, received within a span, without a job. The types are constants. An event
/// that reconciliation found has no body, because its account is synced instead.
pub async fn events_without_job(
    store: &Store,
    kinds: &[&str],
    (after_us, before_us): (i64, i64),
    limit: i64,
) -> Result<Vec<Violation>> {
    let statement = events_without_job_of(kinds);
    ro!(store, rows built statement.as_str(), after_us, before_us, limit)
}

/// The statement of [`events_without_job`].
pub(crate) fn events_without_job_of(kinds: &[&str]) -> String {
    let kinds: Vec<_> = kinds.iter().map(|kind| format!("'{kind}'")).collect();
    format!(
        "SELECT e.id AS subject, COALESCE(c.uid, '') AS uid, e.kind || ' was received and has no job' AS what
         FROM events e LEFT JOIN customers c ON c.customer_id = e.customer_id
         WHERE e.received_at_us > $1 AND e.received_at_us < $2 AND length(e.body) > 0 AND (e.kind = '' OR e.kind IN ({}))
           AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = 'payment_event' AND j.key = e.id)
         ORDER BY e.received_at_us, e.id LIMIT $3",
        kinds.join(", ")
    )
}

/// Invoices with a dispute that waits for our answer: the subject is the payment. The one that is
/// due first comes first.
pub async fn disputes_to_answer(store: &Store, limit: i64) -> Result<Vec<DisputeToAnswer>> {
    ro!(store, rows
        "SELECT payment_intent_id, uid, amount_due_centavos, dispute_answer_by_us FROM invoices
         WHERE dispute_answer_by_us IS NOT NULL AND dispute IN ('open', 'lost')
         ORDER BY dispute_answer_by_us, id LIMIT $1", limit)
}

/// The same of inquiries. No dispute that waits for an answer leaves its payment undisputed or won,
/// so an inquiry waits there.
pub async fn inquiries_to_answer(store: &Store, limit: i64) -> Result<Vec<DisputeToAnswer>> {
    ro!(store, rows
        "SELECT payment_intent_id, uid, amount_due_centavos, dispute_answer_by_us FROM invoices
         WHERE dispute_answer_by_us IS NOT NULL AND dispute NOT IN ('open', 'lost')
         ORDER BY dispute_answer_by_us, id LIMIT $1", limit)
}

/// Newest instant stored in any row.
pub async fn newest_instant(store: &Store) -> Result<Option<i64>> {
    ro!(store, value "SELECT MAX(at_us) FROM (SELECT MAX(received_at_us) AS at_us FROM events
           UNION ALL SELECT MAX(at_us) FROM audit_events
           UNION ALL SELECT MAX(ended_at_us) FROM jobs WHERE ended_at_us IS NOT NULL) AS newest")
}

/// Accounts with a subscription, ordered by uid, after `after`.
pub async fn subscribers_page(store: &Store, after: &str, limit: i64) -> Result<Vec<Uid>> {
    ro!(store, values "SELECT DISTINCT uid FROM subscriptions WHERE uid > $1 ORDER BY uid LIMIT $2",
        after, limit)
}

/// The scheduled jobs at the next change of rights of several accounts.
pub async fn scheduled_rights_changes(store: &Store, uids: &[Uid]) -> Result<Vec<ScheduledRightsChange>> {
    ro!(store, rows in uids =>
        "SELECT key, state, due_at_us FROM jobs WHERE kind = 'rights_change' AND key IN {}")
}

/// Microseconds by which PostgreSQL's clock is ahead of this machine's; `None` for an embedded
/// database. Differences within the time of the query count as zero.
pub async fn clock_skew_us(store: &Store) -> Result<Option<i64>> {
    let before = system_now().as_micros();
    let Some(there) = database_now_us(store).await? else { return Ok(None) };
    let after = system_now().as_micros();
    let (least, most) = (there - after, there - before);
    Ok(Some(if least > 0 { least } else { most.min(0) }))
}

/// PostgreSQL's clock in microseconds since 1970; `None` for an embedded database.
async fn database_now_us(store: &Store) -> Result<Option<i64>> {
    match store.db() {
        Db::Sqlite { .. } => Ok(None),
        Db::Pg(server) => {
            let mut session = server.read().await?;
            let now = only!(Postgres, &mut session.executor(), value
                "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint")?;
            Ok(Some(now))
        }
    }
}
