//! Money to give back: by card through the provider, a boleto's by Pix, which the operator pays and
//! marks.

use garimpo_domain::{Centavos, Timestamp};

use strum::{EnumString, IntoStaticStr};

use crate::store::engine::{Read, Result, Store, Text as _, Tx, ro, row, text, tx};

/// How money goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum RefundMethod {
    /// By the payment provider, to the card.
    Card,
    /// By the operator.
    Pix,
}

/// Why a payment is refunded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum RefundReason {
    /// Its person asked for it under the guarantee.
    Guarantee,
    /// Its account was deleted.
    Deleted,
    /// It is the second of two purchases that were paid at the same time.
    Duplicate,
    /// It arrived after its subscription had ended.
    AfterEnd,
}

/// Progress of a refund.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum RefundState {
    /// It is still to be paid.
    Requested,
    /// It was paid.
    Paid,
}

text!(RefundMethod, RefundReason, RefundState);

row! {
    "refunds" by id, select, printed;

    /// One amount to give back.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Refund {
        /// Our id, `ref_…`.
        pub id: String,
        /// Account.
        pub uid: String,
        /// Subscription that it ends.
        pub subscription_id: String,
        /// Invoice that it gives back; at most one refund each.
        pub invoice_id: String,
        /// Amount.
        pub amount_centavos: Centavos,
        /// How it goes back.
        pub method: RefundMethod,
        /// Why it goes back.
        pub reason: RefundReason,
        /// Whether it was paid.
        pub state: RefundState,
        /// Until when the operator pays it, for Pix.
        pub due_at: Option<Timestamp> as due_at_us,
        /// When it was asked for.
        pub created_at: Timestamp as created_at_us,
        /// Email to pay to, for a Pix; removed a week after it is paid.
        pub pix_key: Option<String>,
        /// When it was paid.
        pub ended_at: Option<Timestamp> as ended_at_us,
        /// Number that its person was told; the payments of one request share it. The id where
        /// there is none.
        pub protocol: Option<String>,
        /// The request that asked for it, where it named itself.
        pub request_id: Option<String>,
        /// The provider's id, for a card.
        pub provider_id: Option<String>,
        /// The Pix end-to-end id, or the operator's note.
        pub paid_note: Option<String>,
    }
}

pub(crate) use select;

impl Refund {
    /// Whether the guarantee gives it back, and its person asked for it.
    pub fn was_asked_for(&self) -> bool {
        self.reason == RefundReason::Guarantee
    }

    /// Whether the provider gives it back.
    pub fn goes_by_card(&self) -> bool {
        self.method == RefundMethod::Card
    }

    /// Whether the provider is still to give it back.
    pub fn waits_for_card(&self) -> bool {
        self.goes_by_card() && self.state == RefundState::Requested
    }
}

/// How many Pix requests wait for the operator.
pub async fn count_due(store: &Store) -> Result<i64> {
    ro!(store, c => sqlx::query_scalar(
        "SELECT COUNT(*) FROM refunds WHERE method = 'pix' AND state = 'requested'").fetch_one(c).await)
}

/// Refunds of an account, oldest first.
pub async fn by_uid(db: impl Read<'_>, uid: &str) -> Result<Vec<Refund>> {
    ro!(db, c => sqlx::query_as(select!("WHERE uid = $1 ORDER BY created_at_us, id"))
        .bind(uid).fetch_all(c).await)
}

/// Stores a refund, once per invoice; answers whether it is new.
pub async fn insert(tx: &mut Tx, refund: &Refund) -> Result<bool> {
    tx!(tx, c => sqlx::query(
        "INSERT INTO refunds (id, uid, subscription_id, invoice_id, amount_centavos, method, reason, state,
           due_at_us, created_at_us, pix_key, protocol, request_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (invoice_id) DO NOTHING")
        .bind(&refund.id).bind(&refund.uid).bind(&refund.subscription_id).bind(&refund.invoice_id)
        .bind(refund.amount_centavos).bind(refund.method.text()).bind(refund.reason.text()).bind(refund.state.text())
        .bind(refund.due_at).bind(refund.created_at).bind(&refund.pix_key)
        .bind(&refund.protocol).bind(&refund.request_id).execute(c).await.map(|done| done.rows_affected() == 1))
}

/// Whether nothing is left for us to do about giving an invoice back: it was, or the operator was
/// asked for a Pix.
pub async fn is_settled(tx: &mut Tx, invoice_id: &str) -> Result<bool> {
    tx!(tx, c => sqlx::query_scalar::<_, i64>(
        "SELECT COUNT(*) FROM refunds WHERE invoice_id = $1 AND (state = 'paid' OR method = 'pix')")
        .bind(invoice_id).fetch_one(c).await.map(|count| count > 0))
}

/// Stores that the operator paid a Pix request, with the proof; returns whether this call did it,
/// and the refund. `None` when no such request waits and none was stored as paid with the same
/// proof.
pub async fn mark_pix_paid(
    tx: &mut Tx,
    id: &str,
    note: &str,
    now: Timestamp,
) -> Result<Option<(bool, Refund)>> {
    let rows = tx!(tx, c => sqlx::query(
        "UPDATE refunds SET state = 'paid', ended_at_us = $3, paid_note = $2
         WHERE id = $1 AND method = 'pix' AND state = 'requested'")
        .bind(id).bind(note).bind(now).execute(c).await.map(|done| done.rows_affected()))?;
    let refund: Option<Refund> = tx!(tx, c => sqlx::query_as(select!(
        "WHERE id = $1 AND method = 'pix' AND state = 'paid' AND paid_note = $2"))
        .bind(id).bind(note).fetch_optional(c).await)?;
    Ok(refund.map(|refund| (rows == 1, refund)))
}

/// Turns a refund by card that came to nothing into a Pix request; false when it was turned
/// already.
pub async fn turn_into_pix(tx: &mut Tx, id: &str, pix_key: Option<&str>, due_at: Timestamp) -> Result<bool> {
    tx!(tx, c => sqlx::query(
        "UPDATE refunds SET method = 'pix', state = 'requested', ended_at_us = NULL, pix_key = $2, due_at_us = $3
         WHERE id = $1 AND method = 'card'")
        .bind(id).bind(pix_key).bind(due_at).execute(c).await.map(|done| done.rows_affected() == 1))
}

/// Whether a protocol number was given out.
pub async fn is_protocol_used(tx: &mut Tx, protocol: &str) -> Result<bool> {
    tx!(tx, c => sqlx::query_scalar::<_, i64>("SELECT COUNT(*) FROM refunds WHERE protocol = $1")
        .bind(protocol).fetch_one(c).await.map(|count| count > 0))
}

/// Marks the refund of an invoice as paid, by the provider's refund of this id.
pub async fn mark_paid(
    tx: &mut Tx,
    invoice_id: &str,
    provider_id: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    tx!(tx, c => sqlx::query(
        "UPDATE refunds SET state = 'paid', ended_at_us = $2, provider_id = COALESCE($3, provider_id)
         WHERE invoice_id = $1 AND state = 'requested'")
        .bind(invoice_id).bind(now).bind(provider_id).execute(c).await.map(drop))
}
