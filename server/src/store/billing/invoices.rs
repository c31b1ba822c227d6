//! Projection of the provider's invoices, with the boleto that is open, if any.

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
    /// The bank returned the money to the payer.
    Lost,
    /// We keep the money.
    Won,
}

text!(DisputeState);

row! {
    "invoices" by id, select, printed;

    /// An invoice of an account.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Invoice {
        /// The provider's id, `in_…`.
        pub id: String,
        pub uid: String,
        /// Subscription that it charges for.
        pub subscription_id: String,
        /// Why the provider created it.
        pub reason: InvoiceReason,
        /// The provider's status.
        pub status: InvoiceStatus,
        /// Total before credit.
        pub total_centavos: Centavos,
        /// `None` before a payment began.
        pub payment_method: Option<PaymentMethod>,
        /// PaymentIntent of the invoice, `pi_…`, if there is one.
        pub payment_intent_id: Option<NonEmpty>,
        /// The 47 digits of the boleto's digitable line.
        pub boleto_line: Option<NonEmpty>,
        /// When the boleto expires.
        pub boleto_due_at: Option<Timestamp> as boleto_due_at_us,
        /// The provider's page of the boleto.
        pub boleto_url: Option<NonEmpty>,
        /// The provider's page of the receipt.
        pub receipt_url: Option<NonEmpty>,
        /// When it was paid.
        pub paid_at: Option<Timestamp> as paid_at_us,
        /// When it was created.
        pub created_at: Timestamp as created_at_us,
        /// Amount to pay after credit.
        pub amount_due_centavos: Centavos = "COALESCE(amount_due_centavos, total_centavos)",
        /// Amount that was refunded, or lost in a dispute.
        pub refunded_centavos: Centavos,
        /// State of the disputes of its payment.
        pub dispute: Option<DisputeState>,
        /// Plan that it charges for; `None` in rows of an older version.
        pub plan_id: Option<PlanId>,
        /// Interval that it charges for; `None` in rows of an older version.
        pub plan_interval: Option<Interval>,
        /// Amount that was below the boleto minimum and moved to the next invoice.
        pub carried_centavos: Centavos,
        /// Credit that paid this duplicate purchase and was given back.
        pub credit_returned_centavos: Centavos,
        /// Card whose payment the payer must authenticate.
        pub authentication: Option<NonEmpty>,
    }
}

impl Invoice {
    /// Whether the provider still accepts a payment of it.
    pub fn can_be_paid(&self) -> bool {
        matches!(self.status, InvoiceStatus::Open | InvoiceStatus::Uncollectible)
    }

    /// Whether it is paid.
    pub fn is_paid(&self) -> bool {
        self.status == InvoiceStatus::Paid
    }

    /// Whether a dispute of its payment is open.
    pub fn is_disputed(&self) -> bool {
        self.dispute == Some(DisputeState::Open)
    }

    /// Whether a plan change created it.
    pub fn is_of_change(&self) -> bool {
        self.reason == InvoiceReason::SubscriptionUpdate
    }

    /// Whether its amount is below the boleto minimum.
    pub fn is_too_little(&self) -> bool {
        self.status == InvoiceStatus::Open
            && (Centavos::new(1)..BOLETO_MIN).contains(&self.amount_due_centavos)
    }

    /// The money that was paid and not given back. Used credit is no money.
    pub fn money_kept(&self) -> Centavos {
        if self.is_paid() {
            (self.amount_due_centavos - self.refunded_centavos).max(Centavos::ZERO)
        } else {
            Centavos::ZERO
        }
    }

    /// Amount that earlier credit paid; negative if the invoice includes the rest of an earlier
    /// one.
    pub fn credit_used(&self) -> Centavos {
        self.total_centavos - self.amount_due_centavos - self.carried_centavos
    }

    /// Whether the payer must authenticate its payment.
    pub fn waits_for_authentication(&self) -> bool {
        self.status == InvoiceStatus::Open && self.authentication.is_some()
    }

    /// Whether an open boleto can be paid at `now`.
    pub fn boleto_waits(&self, now: Timestamp) -> bool {
        self.status == InvoiceStatus::Open
            && self.boleto_line.is_some()
            && self.boleto_due_at.is_some_and(|due| now <= due)
    }
}

/// Whether the stored rows have the invoice as paid.
pub fn was_paid(known: &[Invoice], id: &str) -> bool {
    known.iter().any(|row| row.id == id && row.is_paid())
}

/// Invoices with these ids.
pub async fn by_ids(store: &Store, ids: &[String]) -> Result<Vec<Invoice>> {
    let statement = many::statement(concat!(select!("WHERE id IN "), "{}"), ids);
    ro!(store, c => many::bound!(sqlx::query_as(AssertSqlSafe(statement.as_str())), ids).fetch_all(c).await)
}

/// Invoices that these payments paid.
pub async fn by_payments(store: &Store, payments: &[String]) -> Result<Vec<Invoice>> {
    let statement = many::statement(concat!(select!("WHERE payment_intent_id IN "), "{}"), payments);
    ro!(store, c => many::bound!(sqlx::query_as(AssertSqlSafe(statement.as_str())), payments).fetch_all(c).await)
}

/// All invoices of an account, oldest first.
pub async fn by_uid(db: impl Read<'_>, uid: &str) -> Result<Vec<Invoice>> {
    ro!(db, c => sqlx::query_as(select!("WHERE uid = $1 ORDER BY created_at_us, id"))
        .bind(uid).fetch_all(c).await)
}

/// All invoices of a subscription, oldest first.
pub async fn by_subscription(store: &Store, subscription_id: &str) -> Result<Vec<Invoice>> {
    ro!(store, c => sqlx::query_as(select!("WHERE subscription_id = $1 ORDER BY created_at_us, id"))
        .bind(subscription_id).fetch_all(c).await)
}

/// The invoice with this id.
pub async fn by_id(tx: &mut Tx, id: &str) -> Result<Option<Invoice>> {
    tx!(tx, c => sqlx::query_as(select!("WHERE id = $1")).bind(id).fetch_optional(c).await)
}

/// Records how much of the credit that paid an invoice was given back.
pub async fn set_credit_returned(tx: &mut Tx, id: &str, centavos: Centavos) -> Result<()> {
    tx!(tx, c => sqlx::query("UPDATE invoices SET credit_returned_centavos = $2 WHERE id = $1")
        .bind(id).bind(centavos).execute(c).await.map(drop))
}

/// Inserts or updates an invoice. It keeps `credit_returned_centavos`, because the provider does
/// not know it.
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
