//! Money to give back: by card through the provider, a boleto's by Pix, which the operator pays and marks.

use garimpo_domain::instant::Timestamp;

use super::{Store, StoreError, Tx, ro, tx};

/// One amount to give back.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Refund {
    /// Our id, `ref_…`; the protocol number.
    pub id: String,
    /// Account.
    pub uid: String,
    /// Subscription that it ends.
    pub subscription_id: String,
    /// Invoice that it gives back; at most one refund each.
    pub invoice_id: String,
    /// Amount.
    pub amount_centavos: i64,
    /// `card` or `pix`.
    pub method: String,
    /// `duplicate` for the second of two purchases paid at the same time.
    pub reason: String,
    /// `requested` or `paid`.
    pub state: String,
    /// Until when the operator pays it, for Pix.
    pub due_at_us: Option<i64>,
    /// When it was asked for.
    pub created_at_us: i64,
}

macro_rules! select {
    ($tail:literal) => {
        concat!(
            "SELECT id, uid, subscription_id, invoice_id, amount_centavos, method, reason, state, due_at_us,
               created_at_us FROM refunds ",
            $tail
        )
    };
}

impl Store {
    /// Refunds that wait, the most urgent first, for the operator.
    pub async fn refunds_requested(&self) -> Result<Vec<Refund>, StoreError> {
        ro!(self, c => sqlx::query_as(select!("WHERE state = 'requested' ORDER BY due_at_us, id"))
            .fetch_all(c).await)
    }

    /// Refunds of an account, oldest first.
    pub async fn refunds_by_uid(&self, uid: &str) -> Result<Vec<Refund>, StoreError> {
        ro!(self, c => sqlx::query_as(select!("WHERE uid = $1 ORDER BY created_at_us, id"))
            .bind(uid).fetch_all(c).await)
    }
}

/// Stores a refund, once per invoice; answers whether it is new.
pub async fn refund_insert_in_tx(tx: &mut Tx, refund: &Refund) -> Result<bool, StoreError> {
    let rows = tx!(tx, c => sqlx::query(
        "INSERT INTO refunds (id, uid, subscription_id, invoice_id, amount_centavos, method, reason, state,
           due_at_us, created_at_us)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (invoice_id) DO NOTHING")
        .bind(&refund.id).bind(&refund.uid).bind(&refund.subscription_id).bind(&refund.invoice_id)
        .bind(refund.amount_centavos).bind(&refund.method).bind(&refund.reason).bind(&refund.state)
        .bind(refund.due_at_us).bind(refund.created_at_us).execute(c).await.map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Marks the refund of an invoice as paid.
pub async fn refund_paid_in_tx(tx: &mut Tx, invoice_id: &str, now: Timestamp) -> Result<(), StoreError> {
    tx!(tx, c => sqlx::query(
        "UPDATE refunds SET state = 'paid', ended_at_us = $2 WHERE invoice_id = $1 AND state = 'requested'")
        .bind(invoice_id).bind(now.as_micros()).execute(c).await.map(drop))
}
