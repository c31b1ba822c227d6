//! The operator's marks on Pix refunds: paid, with a proof, and corrections of wrong marks.

use crate::store::billing::refunds::{Refund, RefundReason, select};
use crate::store::engine::{Result, Statement, Store, ro, statement, text_or_empty, transaction, tx};

/// Refunds for the operator: unpaid ones first, by due date, at most `limit`. Only those with this
/// reason, if one is given.
pub async fn list(store: &Store, reason: Option<RefundReason>, limit: i64) -> Result<Vec<Refund>> {
    ro!(store, rows select!("WHERE $1 = '' OR reason = $1
         ORDER BY CASE state WHEN 'requested' THEN 0 ELSE 1 END, COALESCE(due_at_us, created_at_us), id LIMIT $2"),
        text_or_empty(reason), limit)
}

/// Removes the mark that a Pix was paid; false if no such refund is marked.
pub async fn mark_pix_unpaid(store: &Store, id: &str) -> Result<bool> {
    transaction!(
        store,
        (id = id.to_owned()),
        |tx| tx!(tx, changed "UPDATE refunds SET state = 'requested', ended_at_us = NULL, paid_note = NULL
         WHERE id = $1 AND method = 'pix' AND state = 'paid'", id)
    )
}

/// Forgets where a Pix went that was paid before `$1`; at most `$2`.
pub const PURGE_PIX_KEYS: Statement = statement!(
    "UPDATE refunds SET pix_key = NULL WHERE id IN (SELECT id FROM refunds
       WHERE pix_key IS NOT NULL AND state = 'paid' AND ended_at_us < $1 LIMIT $2)"
);
