//! The projection of invoices, with the boleto that waits where one does.

use garimpo_domain::checkout::BOLETO_MIN;
use garimpo_domain::provider_status::{InvoiceReason, InvoiceStatus};
use garimpo_domain::{Centavos, Interval, PaymentMethod, PlanId, Timestamp};

use sqlx::AssertSqlSafe;
use strum::{EnumString, IntoStaticStr};

use crate::store::engine::{
    NonEmpty, OrEmpty as _, Read, Result, Store, Text as _, Tx, many, ro, row, text, text_or_empty, tx,
};

/// State of the disputes of a payment. Those that move no money do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum DisputeState {
    /// The bank has not decided.
    Open,
    /// The bank gave the money to the payer.
    Lost,
    /// The bank left the money with us.
    Won,
}

text!(DisputeState);

row! {
    "invoices" by id, select, printed;

    /// One invoice of an account.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Invoice {
        /// The provider's id, `in_…`.
        pub id: String,
        /// Account.
        pub uid: String,
        /// Subscription that it charges for.
        pub subscription_id: String,
        /// Why the provider made it.
        pub reason: InvoiceReason,
        /// The provider's status.
        pub status: InvoiceStatus,
        /// Amount.
        pub total_centavos: Centavos,
        /// `None` before a payment was begun.
        pub payment_method: Option<PaymentMethod>,
        /// The provider's payment, if one was begun.
        pub payment_intent_id: Option<NonEmpty>,
        /// 47 digits of the boleto's line.
        pub boleto_line: Option<NonEmpty>,
        /// When the boleto is due.
        pub boleto_due_at: Option<Timestamp> as boleto_due_at_us,
        /// The provider's page with the slip.
        pub boleto_url: Option<NonEmpty>,
        /// The provider's page with the receipt.
        pub receipt_url: Option<NonEmpty>,
        /// When it was paid.
        pub paid_at: Option<Timestamp> as paid_at_us,
        /// When it was made.
        pub created_at: Timestamp as created_at_us,
        /// What is charged after credit.
        pub amount_due_centavos: Centavos = "COALESCE(amount_due_centavos, total_centavos)",
        /// What of it the provider gave back, or lost to the payer's bank.
        pub refunded_centavos: Centavos,
        /// State of the disputes of its payment.
        pub dispute: Option<DisputeState>,
        /// Plan that it charges for; `None` if an older program stored it.
        pub plan_id: Option<PlanId>,
        /// Interval that it charges for; `None` if an older program stored it.
        pub plan_interval: Option<Interval>,
        /// What of it was too little to be charged and waits for the next invoice.
        pub carried_centavos: Centavos,
        /// Credit that it used and that was given back, since it was the second of two purchases.
        pub credit_returned_centavos: Centavos,
        /// The card whose payment the payer must authenticate.
        pub authentication: Option<NonEmpty>,
    }
}

impl Invoice {
    /// Whether the provider would still take money for it.
    pub fn can_be_paid(&self) -> bool {
        matches!(self.status, InvoiceStatus::Open | InvoiceStatus::Uncollectible)
    }

    /// Whether it is paid.
    pub fn is_paid(&self) -> bool {
        self.status == InvoiceStatus::Paid
    }

    /// Whether the payer's bank has still to decide about its payment.
    pub fn is_disputed(&self) -> bool {
        self.dispute == Some(DisputeState::Open)
    }

    /// Whether a change of plan made it.
    pub fn is_of_change(&self) -> bool {
        self.reason == InvoiceReason::SubscriptionUpdate
    }

    /// Whether what it asks for is too little for a boleto.
    pub fn is_too_little(&self) -> bool {
        self.status == InvoiceStatus::Open
            && (Centavos::new(1)..BOLETO_MIN).contains(&self.amount_due_centavos)
    }

    /// The money that was paid for it and not given back: credit that it used is none.
    pub fn money_kept(&self) -> Centavos {
        if self.is_paid() {
            (self.amount_due_centavos - self.refunded_centavos).max(Centavos::ZERO)
        } else {
            Centavos::ZERO
        }
    }

    /// What of it earlier credit paid; negative where it asked for what an earlier invoice had
    /// left.
    pub fn credit_used(&self) -> Centavos {
        self.total_centavos - self.amount_due_centavos - self.carried_centavos
    }

    /// Whether the payer must authenticate its payment.
    pub fn waits_for_authentication(&self) -> bool {
        self.status == InvoiceStatus::Open && self.authentication.is_some()
    }

    /// Whether a boleto waits for payment at `now`.
    pub fn boleto_waits(&self, now: Timestamp) -> bool {
        self.status == InvoiceStatus::Open
            && self.boleto_line.is_some()
            && self.boleto_due_at.is_some_and(|due| now <= due)
    }
}

/// Whether an invoice was paid before, as our rows know it.
pub fn was_paid(known: &[Invoice], id: &str) -> bool {
    known.iter().any(|row| row.id == id && row.is_paid())
}

/// Invoices of these ids.
pub async fn by_ids(store: &Store, ids: &[String]) -> Result<Vec<Invoice>> {
    let statement = many::statement(concat!(select!("WHERE id IN "), "{}"), ids);
    ro!(store, c => many::bound!(sqlx::query_as(AssertSqlSafe(statement.as_str())), ids).fetch_all(c).await)
}

/// Invoices that these payments collected.
pub async fn by_payments(store: &Store, payments: &[String]) -> Result<Vec<Invoice>> {
    let statement = many::statement(concat!(select!("WHERE payment_intent_id IN "), "{}"), payments);
    ro!(store, c => many::bound!(sqlx::query_as(AssertSqlSafe(statement.as_str())), payments).fetch_all(c).await)
}

/// Every invoice of an account, oldest first.
pub async fn by_uid(db: impl Read<'_>, uid: &str) -> Result<Vec<Invoice>> {
    ro!(db, c => sqlx::query_as(select!("WHERE uid = $1 ORDER BY created_at_us, id"))
        .bind(uid).fetch_all(c).await)
}

/// Every invoice of a subscription, oldest first.
pub async fn by_subscription(store: &Store, subscription_id: &str) -> Result<Vec<Invoice>> {
    ro!(store, c => sqlx::query_as(select!("WHERE subscription_id = $1 ORDER BY created_at_us, id"))
        .bind(subscription_id).fetch_all(c).await)
}

/// One invoice.
pub async fn by_id(tx: &mut Tx, id: &str) -> Result<Option<Invoice>> {
    tx!(tx, c => sqlx::query_as(select!("WHERE id = $1")).bind(id).fetch_optional(c).await)
}

/// Notes that the credit that paid an invoice is there again.
pub async fn set_credit_returned(tx: &mut Tx, id: &str, centavos: Centavos) -> Result<()> {
    tx!(tx, c => sqlx::query("UPDATE invoices SET credit_returned_centavos = $2 WHERE id = $1")
        .bind(id).bind(centavos).execute(c).await.map(drop))
}

/// Writes an invoice as it is now; what we gave back of its credit is not the provider's to tell.
pub async fn project(tx: &mut Tx, row: &Invoice) -> Result<()> {
    tx!(tx, c => sqlx::query(
        "INSERT INTO invoices (id, uid, subscription_id, reason, status, total_centavos, payment_method,
           payment_intent_id, boleto_line, boleto_due_at_us, boleto_url, receipt_url, paid_at_us, created_at_us,
           amount_due_centavos, refunded_centavos, dispute, plan_id, plan_interval, carried_centavos,
           authentication)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
         ON CONFLICT (id) DO UPDATE SET status = excluded.status, total_centavos = excluded.total_centavos,
           payment_method = excluded.payment_method, payment_intent_id = excluded.payment_intent_id,
           boleto_line = excluded.boleto_line, boleto_due_at_us = excluded.boleto_due_at_us,
           boleto_url = excluded.boleto_url, receipt_url = excluded.receipt_url, paid_at_us = excluded.paid_at_us,
           amount_due_centavos = excluded.amount_due_centavos, refunded_centavos = excluded.refunded_centavos,
           dispute = excluded.dispute, plan_id = excluded.plan_id, plan_interval = excluded.plan_interval,
           carried_centavos = excluded.carried_centavos, authentication = excluded.authentication")
        .bind(&row.id).bind(&row.uid).bind(&row.subscription_id).bind(row.reason.to_string()).bind(row.status.text())
        .bind(row.total_centavos).bind(text_or_empty(row.payment_method)).bind(row.payment_intent_id.or_empty())
        .bind(row.boleto_line.or_empty()).bind(row.boleto_due_at).bind(row.boleto_url.or_empty()).bind(row.receipt_url.or_empty()).bind(row.paid_at)
        .bind(row.created_at).bind(row.amount_due_centavos).bind(row.refunded_centavos).bind(text_or_empty(row.dispute))
        .bind(text_or_empty(row.plan_id)).bind(text_or_empty(row.plan_interval)).bind(row.carried_centavos).bind(row.authentication.or_empty()).execute(c).await.map(drop))
}
