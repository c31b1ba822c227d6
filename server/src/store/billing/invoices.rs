//! Projection of the provider's invoices, with the boleto that is open, if any.

use garimpo_domain::checkout::BOLETO_MIN;
use garimpo_domain::provider_status::{InvoiceReason, InvoiceStatus};
use garimpo_domain::{
    Centavos, Interval, InvoiceId, PaymentIntentId, PaymentMethod, PlanId, SubscriptionId, Timestamp, Uid,
};

use strum::{EnumString, IntoStaticStr};

use crate::store::billing::refunds::Refund;
use crate::store::engine::{
    NonEmpty, OrEmpty as _, Read, Result, Store, Text as _, Tx, ro, row, text, text_or_empty, tx,
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
        pub id: InvoiceId,
        pub uid: Uid,
        /// Subscription that it charges for.
        pub subscription_id: SubscriptionId,
        /// Why the provider created it.
        pub reason: InvoiceReason,
        /// The provider's status.
        pub status: InvoiceStatus,
        /// Total before credit.
        pub total_centavos: Centavos,
        /// `None` before a payment began.
        pub payment_method: Option<PaymentMethod>,
        pub payment_intent_id: Option<PaymentIntentId>,
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
        pub amount_due_centavos: Centavos,
        /// Amount that was refunded, or lost in a dispute.
        pub refunded_centavos: Centavos,
        /// State of the disputes of its payment.
        pub dispute: Option<DisputeState>,
        /// Deadline to answer a dispute or inquiry of its payment, while the bank waits for our
        /// answer.
        pub dispute_answer_by: Option<Timestamp> as dispute_answer_by_us,
        /// Plan that it charges for; `None` for a plan change that was not paid.
        pub plan_id: Option<PlanId>,
        /// Interval that it charges for; `None` for a plan change that was not paid.
        pub plan_interval: Option<Interval>,
        /// Amount that was below the boleto minimum and moved to the next invoice.
        pub carried_centavos: Centavos,
        /// Credit that paid this duplicate purchase and was given back.
        pub credit_returned_centavos: Centavos,
        /// Card whose payment the payer must authenticate.
        pub authentication: Option<NonEmpty>,
        /// The number printed on the receipt; `None` for a draft.
        pub number: Option<NonEmpty>,
        /// Newest charge of its payment, `ch_…` or `py_…`; `None` before the first charge.
        pub charge_id: Option<NonEmpty>,
        /// When the provider next tries to collect it; `None` if no attempt is scheduled.
        pub next_attempt_at: Option<Timestamp> as next_attempt_at_us,
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

    /// Whether money was paid for it and no refund is under way. The invoice of a boleto does not
    /// show a refund by Pix.
    pub fn is_kept(&self, refunds: &[Refund]) -> bool {
        self.money_kept() > Centavos::ZERO && refunds.iter().all(|refund| refund.invoice_id != self.id)
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

/// Invoices with these ids.
pub async fn by_ids(store: &Store, ids: &[InvoiceId]) -> Result<Vec<Invoice>> {
    ro!(store, rows in ids => concat!(select!("WHERE id IN "), "{}"))
}

/// Invoices that these payments paid.
pub async fn by_payments(store: &Store, payments: &[PaymentIntentId]) -> Result<Vec<Invoice>> {
    ro!(store, rows in payments => concat!(select!("WHERE payment_intent_id IN "), "{}"))
}

/// All invoices of an account, oldest first.
pub async fn by_uid(db: impl Read<'_>, uid: &Uid) -> Result<Vec<Invoice>> {
    ro!(db, rows select!("WHERE uid = $1 ORDER BY created_at_us, id"), uid)
}

/// All invoices of a subscription, oldest first.
pub async fn by_subscription(store: &Store, subscription_id: &SubscriptionId) -> Result<Vec<Invoice>> {
    ro!(store, rows select!("WHERE subscription_id = $1 ORDER BY created_at_us, id"), subscription_id)
}

/// The invoice with this id.
pub async fn by_id(tx: &mut Tx, id: &InvoiceId) -> Result<Option<Invoice>> {
    tx!(tx, first select!("WHERE id = $1"), id)
}

/// Records how much of the credit that paid an invoice was given back.
pub async fn set_credit_returned(tx: &mut Tx, id: &InvoiceId, centavos: Centavos) -> Result<()> {
    tx!(tx, execute "UPDATE invoices SET credit_returned_centavos = $2 WHERE id = $1", id, centavos)
}

/// Inserts or updates an invoice. It keeps `credit_returned_centavos`, because the provider does
/// not know it.
pub async fn project(tx: &mut Tx, row: &Invoice) -> Result<()> {
    tx!(tx, execute
        "INSERT INTO invoices (id, uid, subscription_id, reason, status, total_centavos, payment_method,
           payment_intent_id, boleto_line, boleto_due_at_us, boleto_url, receipt_url, paid_at_us, created_at_us,
           amount_due_centavos, refunded_centavos, dispute, plan_id, plan_interval, carried_centavos,
           authentication, dispute_answer_by_us, number, charge_id, next_attempt_at_us)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
           $23, $24, $25)
         ON CONFLICT (id) DO UPDATE SET status = excluded.status, total_centavos = excluded.total_centavos,
           payment_method = excluded.payment_method, payment_intent_id = excluded.payment_intent_id,
           boleto_line = excluded.boleto_line, boleto_due_at_us = excluded.boleto_due_at_us,
           boleto_url = excluded.boleto_url, receipt_url = excluded.receipt_url, paid_at_us = excluded.paid_at_us,
           amount_due_centavos = excluded.amount_due_centavos, refunded_centavos = excluded.refunded_centavos,
           dispute = excluded.dispute, plan_id = excluded.plan_id, plan_interval = excluded.plan_interval,
           carried_centavos = excluded.carried_centavos, authentication = excluded.authentication,
           dispute_answer_by_us = excluded.dispute_answer_by_us, number = excluded.number,
           charge_id = excluded.charge_id, next_attempt_at_us = excluded.next_attempt_at_us",
        &row.id, &row.uid, &row.subscription_id, row.reason.to_string(), row.status.text(),
        row.total_centavos, text_or_empty(row.payment_method), row.payment_intent_id.or_empty(),
        row.boleto_line.or_empty(), row.boleto_due_at, row.boleto_url.or_empty(), row.receipt_url.or_empty(),
        row.paid_at, row.created_at, row.amount_due_centavos, row.refunded_centavos,
        text_or_empty(row.dispute), text_or_empty(row.plan_id), text_or_empty(row.plan_interval),
        row.carried_centavos, row.authentication.or_empty(), row.dispute_answer_by, row.number.or_empty(),
        row.charge_id.or_empty(), row.next_attempt_at)
}
