//! Attempts to pay an open invoice with a new card, each stored before the provider is called.

use garimpo_domain::{InvoiceId, Timestamp, Uid};

use crate::store::engine::{NonEmpty, Result, Store, Tx, ro, row, tx};

row! {
    "card_payments" by invoice_id, printed;

    /// An attempt to pay an invoice with a new card.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CardPayment {
        pub invoice_id: InvoiceId,
        /// The card at the provider, `pm_…`.
        pub payment_method_id: String,
        pub attempt: i64,
        /// `None` before the provider's answer is known.
        pub outcome: Option<NonEmpty>,
        pub created_at: Timestamp as created_at_us,
    }
}

/// Attempts of an account, oldest first.
pub async fn by_uid(store: &Store, uid: &Uid) -> Result<Vec<CardPayment>> {
    ro!(store, rows
        "SELECT p.invoice_id, p.payment_method_id, p.attempt, p.outcome, p.created_at_us
         FROM card_payments p JOIN invoices i ON i.id = p.invoice_id
         WHERE i.uid = $1 ORDER BY p.created_at_us, p.invoice_id", uid)
}

/// The result of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum CardPaymentOutcome {
    /// The invoice is paid.
    Paid,
    /// The bank declined the card.
    Declined,
    /// The payer must authenticate the payment.
    Authentication,
    /// The provider refused the call, for instance because the invoice is paid already.
    Refused,
}

garimpo_domain::named!(CardPaymentOutcome);

/// Whether a new card may have paid an invoice of an account, and its job has not read the result
/// yet.
pub async fn has_unread_result(store: &Store, uid: &Uid) -> Result<bool> {
    ro!(store, exists "SELECT COUNT(*) FROM card_payments p JOIN invoices i ON i.id = p.invoice_id
         WHERE p.outcome IN ('', 'paid') AND i.uid = $1
           AND EXISTS (SELECT 1 FROM jobs WHERE kind = 'card_change' AND key = $1 AND state = 'waiting')",
        uid)
}

/// Number of attempts without a result.
#[cfg(test)]
pub async fn count_pending(store: &Store) -> Result<i64> {
    ro!(store, value "SELECT COUNT(*) FROM card_payments WHERE outcome = ''")
}

/// Claims the attempt to pay an invoice with a card after a change of the default card, and returns
/// its number. Returns `None` if that change's attempt has its result. The same card chosen again
/// by a later change gets a new number, because the provider replays a decline under its key for a
/// day.
pub async fn claim(
    tx: &mut Tx,
    invoice_id: &InvoiceId,
    payment_method_id: &str,
    card_change: i64,
    now: Timestamp,
) -> Result<Option<i64>> {
    tx!(tx, first_value
        "INSERT INTO card_payments (invoice_id, payment_method_id, card_change, attempt, outcome, created_at_us)
         VALUES ($1, $2, $3, 1, '', $4)
         ON CONFLICT (invoice_id, payment_method_id) DO UPDATE SET
           attempt = card_payments.attempt
             + CASE WHEN card_payments.card_change < excluded.card_change THEN 1 ELSE 0 END,
           outcome = '', card_change = excluded.card_change
         WHERE card_payments.card_change < excluded.card_change OR card_payments.outcome = ''
         RETURNING attempt", invoice_id, payment_method_id, card_change, now)
}

/// Raises the attempt, so that the next call has another key: the provider replays an internal
/// error under the old key.
pub async fn next_attempt(
    tx: &mut Tx,
    invoice_id: &InvoiceId,
    payment_method_id: &str,
    attempt: i64,
) -> Result<()> {
    tx!(tx, execute "UPDATE card_payments SET attempt = attempt + 1
         WHERE invoice_id = $1 AND payment_method_id = $2 AND attempt = $3 AND outcome = ''",
        invoice_id, payment_method_id, attempt)
}

/// Stores the result of an attempt. Returns whether this call stored it.
pub async fn set_outcome(
    tx: &mut Tx,
    invoice_id: &InvoiceId,
    payment_method_id: &str,
    attempt: i64,
    outcome: CardPaymentOutcome,
) -> Result<bool> {
    tx!(tx, changed "UPDATE card_payments SET outcome = $4
         WHERE invoice_id = $1 AND payment_method_id = $2 AND attempt = $3 AND outcome = ''",
        invoice_id, payment_method_id, attempt, outcome.name())
}
