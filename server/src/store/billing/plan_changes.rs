//! Plan changes: previewed, claimed, and their results.

use crate::store::engine::{
    NonEmpty, OrEmpty as _, Read, Result, Statement, Store, Text as _, Tx, purge, ro, row, text, tx,
};
use garimpo_domain::{Centavos, Interval, InvoiceId, PlanId, SubscriptionId, Timestamp, Uid};
use strum::{EnumString, IntoStaticStr};

use crate::store::identity::sessions::TokenHash;

/// Progress of a plan change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum PlanChangeState {
    /// The preview can be confirmed.
    Previewed,
    /// A call has confirmed it and is applying it.
    Claimed,
    /// The bank wants the payer to confirm the payment. The provider applies it when it is paid.
    Confirming,
    /// The payment was declined. It can be confirmed again.
    Declined,
    /// It was applied.
    Done,
    /// It can no longer be confirmed.
    Expired,
}

text!(PlanChangeState);

row! {
    "plan_changes" by id, select, printed;

    /// A previewed plan change.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PlanChange {
        /// Our id, `plc_…`.
        pub id: String,
        pub uid: Uid,
        /// Request id of the call that claimed it.
        pub request_id: Option<String>,
        pub subscription_id: SubscriptionId,
        /// Item of the subscription at the provider, `si_…`.
        pub item_id: String,
        /// The provider's price before the change.
        pub from_price_id: String,
        /// Start of the subscription's period at the preview.
        pub from_period_start_at: Timestamp as from_period_start_at_us,
        /// End of that period.
        pub from_period_end_at: Timestamp as from_period_end_at_us,
        /// The customer's balance at the preview; negative is credit.
        pub from_balance_centavos: Centavos,
        /// Whether the subscription was cancelled at the end of that period.
        pub from_cancels: bool,
        /// Plan to change to.
        pub plan_id: PlanId,
        /// Interval to change to.
        pub plan_interval: Interval,
        /// The provider's price of that plan and interval.
        pub price_id: String,
        /// Whether the change undoes a cancellation at the end of the period.
        pub renews_again: bool,
        /// Instant from which unused and remaining time are prorated.
        pub counts_from_at: Timestamp as counts_from_at_us,
        /// Total of the change's invoice.
        pub total_centavos: Centavos,
        /// Amount of it that is charged.
        pub due_centavos: Centavos,
        pub state: PlanChangeState,
        /// Number of the attempt at the provider; part of the idempotency key.
        pub attempt: i64,
        /// The bank's reason for the last decline.
        pub decline_code: Option<NonEmpty>,
        /// The invoice that the change created.
        pub invoice_id: Option<InvoiceId>,
        /// Amount that this invoice charged.
        pub charged_centavos: Option<Centavos>,
        /// When it was previewed.
        pub created_at: Timestamp as created_at_us,
        /// When the preview expires.
        pub expires_at: Timestamp as expires_at_us,
        /// Until when the payer can confirm the payment at the bank.
        pub confirm_until: Option<Timestamp> as confirm_until_us,
    }
}

impl PlanChange {
    /// Idempotency key of the call that applies the change.
    pub fn idempotency_key(&self) -> String {
        format!("{}-{}", self.id, self.attempt)
    }
}

/// Changes and previews of an account, oldest first.
pub async fn by_uid(db: impl Read<'_>, uid: &Uid) -> Result<Vec<PlanChange>> {
    ro!(db, rows select!("WHERE uid = $1 ORDER BY created_at_us, id"), uid)
}

/// The change with this id.
pub async fn by_id(db: impl Read<'_>, id: &str) -> Result<Option<PlanChange>> {
    ro!(db, first select!("WHERE id = $1"), id)
}

/// The change of an account with this preview token.
pub async fn by_token(store: &Store, uid: &Uid, token_hash: &TokenHash) -> Result<Option<PlanChange>> {
    ro!(store, first select!("WHERE uid = $1 AND token_hash = $2"), uid, token_hash.as_slice())
}

/// The change of an account that a request claimed.
pub async fn by_request(db: impl Read<'_>, uid: &Uid, request_id: &str) -> Result<Option<PlanChange>> {
    ro!(db, first select!("WHERE uid = $1 AND request_id = $2"), uid, request_id)
}

/// The unfinished change of an account: it waits for the bank, or it is claimed and its preview
/// expired after an instant.
pub async fn claimed(db: impl Read<'_>, uid: &Uid, ended_after: Timestamp) -> Result<Option<PlanChange>> {
    ro!(db, first
        select!("WHERE uid = $1 AND (state = 'confirming' OR (state = 'claimed' AND expires_at_us > $2))
         ORDER BY created_at_us, id LIMIT 1"),
        uid, ended_after)
}

/// The change of an account that waits for the payer's confirmation at the bank.
pub async fn confirming(db: impl Read<'_>, uid: &Uid) -> Result<Option<PlanChange>> {
    ro!(db, first select!("WHERE uid = $1 AND state = 'confirming' ORDER BY created_at_us, id LIMIT 1"), uid)
}

/// The unfinished change of an account that undoes a cancellation. A cancellation that was
/// requested after the preview stays.
pub async fn renewing(db: impl Read<'_>, uid: &Uid) -> Result<Option<PlanChange>> {
    ro!(db, first
        select!("WHERE uid = $1 AND state IN ('claimed', 'confirming') AND renews_again
           AND NOT EXISTS (SELECT 1 FROM cancellations c WHERE c.subscription_id = plan_changes.subscription_id
                           AND c.created_at_us >= plan_changes.created_at_us)
         ORDER BY created_at_us, id LIMIT 1"),
        uid)
}

/// Stores a preview; earlier previews expire. The caller has checked under the account's lock that
/// no change is claimed, because a claimed one may be at the provider already and must stay visible
/// until it is finished.
pub async fn insert(tx: &mut Tx, row: &PlanChange, token_hash: &TokenHash) -> Result<()> {
    tx!(tx, execute "UPDATE plan_changes SET state = 'expired'
         WHERE uid = $1 AND state IN ('previewed', 'declined')", &row.uid)?;
    tx!(tx, execute
        "INSERT INTO plan_changes (id, uid, token_hash, request_id, subscription_id, item_id, from_price_id,
           from_period_start_at_us, from_period_end_at_us, from_balance_centavos, from_cancels, plan_id,
           plan_interval, price_id, renews_again, counts_from_at_us, total_centavos, due_centavos, state, attempt,
           decline_code, invoice_id, charged_centavos, created_at_us, expires_at_us, confirm_until_us)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
           $23, $24, $25, $26)",
        &row.id, &row.uid, token_hash.as_slice(), &row.request_id, &row.subscription_id, &row.item_id,
        &row.from_price_id, row.from_period_start_at, row.from_period_end_at, row.from_balance_centavos,
        row.from_cancels, row.plan_id.text(), row.plan_interval.text(), &row.price_id, row.renews_again,
        row.counts_from_at, row.total_centavos, row.due_centavos, row.state.text(), row.attempt,
        row.decline_code.or_empty(), &row.invoice_id, row.charged_centavos, row.created_at, row.expires_at,
        row.confirm_until)
}

/// Claims a valid preview; false if it has expired or another call has claimed it.
pub async fn claim(tx: &mut Tx, id: &str, request_id: Option<&str>, now: Timestamp) -> Result<bool> {
    tx!(tx, changed "UPDATE plan_changes SET state = 'claimed', request_id = $2, decline_code = ''
         WHERE id = $1 AND state IN ('previewed', 'declined') AND expires_at_us > $3", id, request_id, now)
}

/// Raises the attempt, so that the next call has another key, because the response to this attempt
/// is lost.
pub async fn next_attempt(tx: &mut Tx, id: &str, attempt: i64) -> Result<()> {
    tx!(tx, execute
        "UPDATE plan_changes SET attempt = attempt + 1 WHERE id = $1 AND attempt = $2 AND state = 'claimed'",
        id, attempt)
}

/// Records that the change waits until `until` for the payer's confirmation at the bank.
pub async fn mark_confirming(tx: &mut Tx, id: &str, invoice_id: &InvoiceId, until: Timestamp) -> Result<()> {
    tx!(tx, execute "UPDATE plan_changes SET state = 'confirming', invoice_id = $2, confirm_until_us = $3
         WHERE id = $1 AND state IN ('claimed', 'confirming')", id, invoice_id, until)
}

/// Records that an attempt was declined. The preview can be confirmed again.
pub async fn mark_declined(tx: &mut Tx, id: &str, attempt: i64, decline_code: &str) -> Result<()> {
    tx!(tx, execute "UPDATE plan_changes SET state = 'declined', decline_code = $3, attempt = attempt + 1
         WHERE id = $1 AND attempt = $2 AND state IN ('claimed', 'confirming')", id, attempt, decline_code)
}

/// Marks a change as expired.
pub async fn mark_expired(tx: &mut Tx, id: &str) -> Result<()> {
    tx!(tx, execute "UPDATE plan_changes SET state = 'expired' WHERE id = $1 AND state <> 'done'", id)
}

/// Stores the result of a change; a later call does not overwrite it.
pub async fn mark_done(
    tx: &mut Tx,
    id: &str,
    invoice_id: Option<&InvoiceId>,
    charged_centavos: Centavos,
) -> Result<()> {
    tx!(tx, execute "UPDATE plan_changes SET state = 'done', invoice_id = $2, charged_centavos = $3
         WHERE id = $1 AND state <> 'done'", id, invoice_id, charged_centavos)
}

/// Removes previews that came to nothing, made before `$1`; at most `$2`.
pub const PURGE: Statement =
    purge!("plan_changes", "id", "created_at_us < $1 AND state NOT IN ('claimed', 'confirming', 'done')");
