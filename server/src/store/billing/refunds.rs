//! Refunds: of cards through the provider, of boletos by Pix, which the operator pays and marks.

use garimpo_domain::{Centavos, InvoiceId, SubscriptionId, Timestamp, Uid};

use strum::{EnumString, IntoStaticStr};

use crate::store::engine::{Read, Result, Store, Text as _, Tx, ro, row, text, tx};

/// How a refund is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum RefundMethod {
    /// By the payment provider, to the card.
    Card,
    /// By the operator, by Pix.
    Pix,
}

/// Why a payment is refunded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum RefundReason {
    /// The person requested it under the guarantee.
    Guarantee,
    /// The account was deleted.
    Deleted,
    /// The payment was the second of two simultaneous purchases.
    Duplicate,
    /// The payment arrived after its subscription had ended.
    AfterEnd,
}

/// Progress of a refund.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum RefundState {
    /// It is not paid yet.
    Requested,
    /// It was paid.
    Paid,
}

text!(RefundMethod, RefundReason, RefundState);

row! {
    "refunds" by id, select, printed;

    /// A refund of one invoice.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Refund {
        /// Our id, `ref_…`.
        pub id: String,
        pub uid: Uid,
        /// Subscription whose payment it refunds.
        pub subscription_id: SubscriptionId,
        /// Invoice that it refunds; an invoice has at most one refund.
        pub invoice_id: InvoiceId,
        pub amount_centavos: Centavos,
        pub method: RefundMethod,
        pub reason: RefundReason,
        pub state: RefundState,
        /// Date until which the operator must pay a Pix.
        pub due_at: Option<Timestamp> as due_at_us,
        /// When it was requested.
        pub created_at: Timestamp as created_at_us,
        /// Email address that serves as Pix key; deleted a week after the payment.
        pub pix_key: Option<String>,
        /// When it was paid.
        pub ended_at: Option<Timestamp> as ended_at_us,
        /// Protocol number that the person was sent; the refunds of one request share it. Refunds
        /// without one use their id.
        pub protocol: Option<String>,
        /// Id that the caller gave its request, if any.
        pub request_id: Option<String>,
        /// The provider's refund of a card payment, `re_…`.
        pub provider_id: Option<String>,
        /// End-to-end id of the Pix, or the operator's note.
        pub paid_note: Option<String>,
    }
}

pub(crate) use select;

impl Refund {
    /// Whether the person requested it under the guarantee.
    pub fn was_asked_for(&self) -> bool {
        self.reason == RefundReason::Guarantee
    }

    /// Whether the provider pays it.
    pub fn goes_by_card(&self) -> bool {
        self.method == RefundMethod::Card
    }

    /// Whether the provider has not paid it yet.
    pub fn waits_for_card(&self) -> bool {
        self.goes_by_card() && self.state == RefundState::Requested
    }
}

/// Number of Pix refunds that the operator must pay.
pub async fn count_due(store: &Store) -> Result<i64> {
    ro!(store, value "SELECT COUNT(*) FROM refunds WHERE method = 'pix' AND state = 'requested'")
}

/// Refunds of an account, oldest first.
pub async fn by_uid(db: impl Read<'_>, uid: &Uid) -> Result<Vec<Refund>> {
    ro!(db, rows select!("WHERE uid = $1 ORDER BY created_at_us, id"), uid)
}

/// Stores a refund, once per invoice. Returns whether it is new.
pub async fn insert(tx: &mut Tx, refund: &Refund) -> Result<bool> {
    tx!(tx, changed
        "INSERT INTO refunds (id, uid, subscription_id, invoice_id, amount_centavos, method, reason, state,
           due_at_us, created_at_us, pix_key, protocol, request_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (invoice_id) DO NOTHING",
        &refund.id, &refund.uid, &refund.subscription_id, &refund.invoice_id, refund.amount_centavos,
        refund.method.text(), refund.reason.text(), refund.state.text(), refund.due_at, refund.created_at,
        &refund.pix_key, &refund.protocol, &refund.request_id)
}

/// Whether we have nothing left to do for the refund of an invoice: it was paid, or the operator
/// must pay a Pix.
pub async fn is_settled(tx: &mut Tx, invoice_id: &InvoiceId) -> Result<bool> {
    tx!(tx, exists
        "SELECT COUNT(*) FROM refunds WHERE invoice_id = $1 AND (state = 'paid' OR method = 'pix')",
        invoice_id)
}

/// Records that the operator paid a Pix refund, with the proof. Returns the refund, and whether
/// this call recorded it. `None` if no such refund is due and none was paid with the same proof.
pub async fn mark_pix_paid(
    tx: &mut Tx,
    id: &str,
    note: &str,
    now: Timestamp,
) -> Result<Option<(bool, Refund)>> {
    let rows = tx!(tx, affected "UPDATE refunds SET state = 'paid', ended_at_us = $3, paid_note = $2
         WHERE id = $1 AND method = 'pix' AND state = 'requested'", id, note, now)?;
    let refund: Option<Refund> = tx!(tx, first
        select!("WHERE id = $1 AND method = 'pix' AND state = 'paid' AND paid_note = $2"), id, note)?;
    Ok(refund.map(|refund| (rows == 1, refund)))
}

/// Turns a failed refund by card into a Pix refund; false if it already was one.
pub async fn turn_into_pix(tx: &mut Tx, id: &str, pix_key: Option<&str>, due_at: Timestamp) -> Result<bool> {
    tx!(tx, changed
        "UPDATE refunds SET method = 'pix', state = 'requested', ended_at_us = NULL, pix_key = $2, due_at_us = $3
         WHERE id = $1 AND method = 'card'", id, pix_key, due_at)
}

/// Whether a refund or a deletion has this protocol number.
pub async fn is_protocol_used(tx: &mut Tx, protocol: &str) -> Result<bool> {
    tx!(tx, exists
        "SELECT (SELECT COUNT(*) FROM refunds WHERE protocol = $1) + (SELECT COUNT(*) FROM deletions WHERE protocol = $1)",
        protocol)
}

/// Marks the refund of an invoice as paid, with the id of the provider's refund.
pub async fn mark_paid(
    tx: &mut Tx,
    invoice_id: &InvoiceId,
    provider_id: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    tx!(tx, execute
        "UPDATE refunds SET state = 'paid', ended_at_us = $2, provider_id = COALESCE($3, provider_id)
         WHERE invoice_id = $1 AND state = 'requested'", invoice_id, now, provider_id)
}
