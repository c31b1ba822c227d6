//! The plan, regular price and period that each paid invoice pays for, as they were when its
//! payment was first seen.

use std::collections::BTreeMap;

use garimpo_domain::{Centavos, Interval, InvoiceId, PlanId, SubscriptionId, Timestamp, Uid};

use crate::store::engine::{Result, Store, Text as _, Tx, ro, row, tx};

use crate::store::billing::subscriptions::is_duplicate;

row! {
    "paid_periods" by invoice_id, select, nested, printed;

    /// The period of a paid invoice.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PaidPeriod {
        /// The invoice, `in_…`.
        pub invoice_id: InvoiceId,
        pub uid: Uid,
        /// Subscription that the invoice pays for.
        pub subscription_id: SubscriptionId,
        pub plan_id: PlanId,
        pub plan_interval: Interval,
        /// Regular price of such a period; the invoice may have charged another amount.
        pub price_centavos: Centavos,
        /// Start of the paid time.
        pub from: Timestamp as from_us,
        /// End of the paid time.
        pub until: Timestamp as until_us,
    }
}

/// Stores a period. A later call does not overwrite it.
pub async fn insert(tx: &mut Tx, row: &PaidPeriod) -> Result<()> {
    tx!(tx, execute
        "INSERT INTO paid_periods (invoice_id, uid, subscription_id, plan_id, plan_interval, price_centavos, from_us,
           until_us) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (invoice_id) DO NOTHING",
        &row.invoice_id, &row.uid, &row.subscription_id, row.plan_id.text(), row.plan_interval.text(),
        row.price_centavos, row.from, row.until)
}

/// Paid periods of an account, oldest first.
pub async fn by_uid(store: &Store, uid: &Uid) -> Result<Vec<PaidPeriod>> {
    ro!(store, rows select!("WHERE uid = $1 ORDER BY from_us, invoice_id"), uid)
}

/// End of the paid time of each invoice of an account, by invoice id.
pub async fn until_by_invoice(store: &Store, uid: &Uid) -> Result<BTreeMap<InvoiceId, Timestamp>> {
    let rows: Vec<(InvoiceId, Timestamp)> = ro!(store, rows
        "SELECT invoice_id, until_us FROM paid_periods WHERE uid = $1", uid)?;
    Ok(rows.into_iter().collect())
}

row! {
    "paid_periods" by invoice_id;

    /// A paid period with the current state of its subscription and its money.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PeriodSeen {
        pub paid: PaidPeriod,
        /// When it was paid.
        pub paid_at: Timestamp as paid_at_us,
        /// Amount that was paid.
        pub total_centavos: Centavos,
        /// Whether the subscription is the account's live one.
        pub live: bool,
        /// Whether the subscription is a duplicate, which is refunded.
        pub duplicate: bool,
        /// When the subscription ended.
        pub ended_at: Option<Timestamp> as ended_at_us,
        /// When the payment of the subscription's last paid period was refunded or lost.
        pub returned_at: Option<Timestamp> as returned_at_us,
        /// Whether the subscription is cancelled at the end of its period.
        pub cancel_at_period_end: bool,
        /// Amount that was refunded.
        pub refunded_centavos: Centavos,
        /// When it was refunded; for a partial refund made in the provider's dashboard, when it was
        /// paid.
        pub refunded_at: Option<Timestamp> as refunded_at_us,
        /// Whether the account was deleted.
        pub deleted: bool,
    }
}

/// Paid periods ordered by account and time, after `after`, at most `limit`.
pub async fn page(
    store: &Store,
    (uid, from, invoice_id): (&Uid, Timestamp, &InvoiceId),
    limit: i64,
) -> Result<Vec<PeriodSeen>> {
    ro!(store, rows
        concat!("SELECT p.invoice_id, p.uid, p.subscription_id, p.plan_id, p.plan_interval, p.price_centavos, p.from_us,
           p.until_us, COALESCE(i.paid_at_us, p.from_us) AS paid_at_us, COALESCE(i.total_centavos, 0) AS total_centavos,
           COALESCE(s.live, FALSE) AS live, ", is_duplicate!(), " AS duplicate, s.ended_at_us, s.returned_at_us,
           COALESCE(s.cancel_at_period_end, FALSE) AS cancel_at_period_end,
           CASE WHEN r.state = 'paid' THEN r.amount_centavos WHEN r.id IS NULL THEN COALESCE(i.refunded_centavos, 0)
             ELSE 0 END AS refunded_centavos,
           CASE WHEN r.id IS NOT NULL THEN COALESCE(r.ended_at_us, r.created_at_us)
             WHEN COALESCE(i.refunded_centavos, 0) > 0 THEN COALESCE(s.returned_at_us, i.paid_at_us)
             END AS refunded_at_us,
           d.uid IS NOT NULL AS deleted
         FROM (SELECT * FROM paid_periods WHERE (uid, from_us, invoice_id) > ($1, $2, $3)
               ORDER BY uid, from_us, invoice_id LIMIT $4) p
         LEFT JOIN invoices i ON i.id = p.invoice_id
         LEFT JOIN subscriptions s ON s.id = p.subscription_id
         LEFT JOIN refunds r ON r.invoice_id = p.invoice_id
         LEFT JOIN deletions d ON d.uid = p.uid
         ORDER BY p.uid, p.from_us, p.invoice_id"), uid, from, invoice_id, limit)
}
