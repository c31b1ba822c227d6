//! Projection of the provider's subscriptions, reduced to the fields that our rules read.

use garimpo_domain::provider_status::SubscriptionStatus;
use garimpo_domain::{
    Centavos, Interval, PaymentMethod, PlanId, Renewal, SubscriptionId, SubscriptionState, Takeback,
    Timestamp, Uid,
};
use serde::ser::SerializeMap;
use strum::{EnumString, IntoStaticStr};

use crate::store::engine::{
    Cells, Column, NonEmpty, OrEmpty as _, Printed, Read, Result, Store, Text as _, Tx, ro, row, text,
    text_or_empty, tx,
};

/// Why another subscription of the account replaced this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Retired {
    /// Both were paid at the same time; this one is refunded.
    Duplicate,
    /// The other one was paid instead of it.
    Replaced,
}

text!(Retired);

/// SQL form of [`Subscription::is_counted_as_paid`] for alias `s`.
macro_rules! is_counted_as_paid {
    () => {
        "s.first_paid_at_us IS NOT NULL AND s.retired <> 'duplicate'"
    };
}
/// SQL form of [`Subscription::is_duplicate`] for alias `s`; NULL (no row) is not a duplicate.
macro_rules! is_duplicate {
    () => {
        "COALESCE(s.retired, '') = 'duplicate'"
    };
}
pub(crate) use {is_counted_as_paid, is_duplicate};

row! {
    "subscriptions" by id, select, printed;

    /// A subscription of an account.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Subscription {
        pub id: SubscriptionId,
        pub uid: Uid,
        pub plan_id: PlanId,
        pub plan_interval: Interval,
        /// Coupon of the first payment, if any.
        pub coupon_id: Option<NonEmpty>,
        /// Promotion code as typed.
        pub promo_code: Option<NonEmpty>,
        /// Regular price of each period.
        pub price_centavos: Centavos,
        /// `None` before a payment began.
        pub payment_method: Option<PaymentMethod>,
        /// State at the provider.
        pub provider_status: SubscriptionStatus,
        /// Whether it holds the account's one place under the unique index.
        pub live: bool,
        /// `None` if no other subscription replaced it.
        pub retired: Option<Retired>,
        /// When the first payment was confirmed.
        pub first_paid_at: Option<Timestamp> as first_paid_at_us,
        /// Start of the last paid period.
        pub paid_from: Option<Timestamp> as paid_from_us,
        /// End of the last paid period.
        pub paid_until: Option<Timestamp> as paid_until_us,
        /// When the first charge is due, for a trial purchase charged at the trial's end.
        pub first_charge_at: Option<Timestamp> as first_charge_at_us,
        /// State of the unpaid invoice of the renewal.
        pub renewal: Renewal = "renewal_at_us, renewal",
        pub cancel_at_period_end: bool,
        /// When it ended.
        pub ended_at: Option<Timestamp> as ended_at_us,
        /// When it was created.
        pub created_at: Timestamp as created_at_us,
        /// Since when the payment of the last paid period is disputed.
        pub disputed_at: Option<Timestamp> as disputed_at_us,
        /// When the payment of the last paid period was refunded or lost, or its refund requested.
        pub returned_at: Option<Timestamp> as returned_at_us,
    }
}

impl Subscription {
    /// The fields that the domain's rules read.
    pub fn state(&self) -> SubscriptionState {
        SubscriptionState {
            plan: self.plan_id,
            first_paid_at: self.first_paid_at,
            paid_until: self.paid_until,
            first_charge_at: self.first_charge_at,
            renewal: self.renewal,
            pays_by_boleto: self.pays_by_boleto(),
            cancels_at_period_end: self.cancel_at_period_end,
            takeback: match (self.returned_at, self.disputed_at) {
                (Some(at), _) => Takeback::Returned { at },
                (None, Some(since)) => Takeback::Disputed { since },
                (None, None) => Takeback::None,
            },
            ended_at: self.ended_at,
        }
    }

    /// Name of the renewal's state as stored: `open`, `failed` or `voucher`.
    pub fn renewal_name(&self) -> &'static str {
        columns_of(self.renewal).0
    }

    /// Whether its last or next payment is by boleto.
    pub fn pays_by_boleto(&self) -> bool {
        self.payment_method == Some(PaymentMethod::Boleto)
    }

    /// Whether another subscription replaced it.
    pub fn is_replaced(&self) -> bool {
        self.retired.is_some()
    }

    /// Whether it has not been replaced and has not ended.
    pub fn is_running(&self) -> bool {
        !self.is_replaced() && self.ended_at.is_none()
    }

    /// Whether it runs and is not refunded. A refunded one ends at the provider as soon as its job
    /// has run.
    pub fn is_running_and_kept(&self) -> bool {
        self.is_running() && self.returned_at.is_none()
    }

    /// Whether its payment makes the person a former payer. A duplicate's does not, because it is
    /// refunded. One that the guarantee refunded does.
    pub fn is_counted_as_paid(&self) -> bool {
        self.first_paid_at.is_some() && !self.is_duplicate()
    }

    /// Whether it was paid in addition to another one and is refunded.
    pub fn is_duplicate(&self) -> bool {
        self.retired == Some(Retired::Duplicate)
    }

    /// Whether another rule refunds its payments: those of a duplicate, and of a returned
    /// subscription.
    pub fn is_refunded_otherwise(&self) -> bool {
        self.is_duplicate() || self.returned_at.is_some()
    }
}

/// The columns of a renewal: its name, and the instant of the first failed attempt or of the
/// voucher's expiry.
fn columns_of(renewal: Renewal) -> (&'static str, Option<Timestamp>) {
    match renewal {
        Renewal::Open => ("open", None),
        Renewal::Failed { at } => ("failed", Some(at)),
        Renewal::Voucher { due_at } => ("voucher", Some(due_at)),
    }
}

impl Column for Renewal {
    fn read(row: &impl Cells, column: &str) -> Result<Option<Self>, sqlx::Error> {
        let at = row.cell::<Option<Timestamp>>("renewal_at_us")?;
        Ok(match (row.cell::<String>(column)?.as_str(), at) {
            ("open", _) => Some(Self::Open),
            ("failed", Some(at)) => Some(Self::Failed { at }),
            ("voucher", Some(due_at)) => Some(Self::Voucher { due_at }),
            _ => None,
        })
    }
}

impl Printed for Renewal {
    fn write<M: SerializeMap>(&self, column: &'static str, json: &mut M) -> Result<(), M::Error> {
        let (name, at) = columns_of(*self);
        json.serialize_entry(column, name)?;
        json.serialize_entry("renewal_at_us", &at)
    }
}

/// Query of all subscriptions of several accounts, oldest first.
pub(crate) const BY_UIDS: &str = concat!(select!("WHERE uid IN "), "{} ORDER BY created_at_us, id");

/// All subscriptions of an account, oldest first.
pub async fn by_uid(db: impl Read<'_>, uid: &Uid) -> Result<Vec<Subscription>> {
    ro!(db, rows select!("WHERE uid = $1 ORDER BY created_at_us, id"), uid)
}

/// All subscriptions of several accounts, oldest first.
pub async fn by_uids(store: &Store, uids: &[Uid]) -> Result<Vec<Subscription>> {
    ro!(store, rows in uids => BY_UIDS)
}

/// Subscriptions with these ids.
pub async fn by_ids(store: &Store, ids: &[SubscriptionId]) -> Result<Vec<Subscription>> {
    ro!(store, rows in ids => concat!(select!("WHERE id IN "), "{}"))
}

/// The subscription with this id.
pub async fn by_id(db: impl Read<'_>, id: &SubscriptionId) -> Result<Option<Subscription>> {
    ro!(db, first select!("WHERE id = $1"), id)
}

/// Stores all rows of an account. `live` is first cleared, because the unique index allows one live
/// row.
pub async fn project(tx: &mut Tx, uid: &Uid, rows: &[Subscription]) -> Result<()> {
    tx!(tx, execute "UPDATE subscriptions SET live = FALSE WHERE uid = $1 AND live", uid)?;
    for row in rows {
        upsert(tx, row).await?;
    }
    Ok(())
}

/// Marks the payment of a subscription as to be refunded, which ends its rights.
pub async fn mark_returned(tx: &mut Tx, id: &SubscriptionId, at: Timestamp) -> Result<()> {
    tx!(tx, execute "UPDATE subscriptions SET live = FALSE, returned_at_us = $2 WHERE id = $1", id, at)
}

/// Query of returned subscriptions of an account whose credit from plan changes has not ended.
macro_rules! returned_with_credit {
    () => {
        "SELECT s.id FROM subscriptions s
         WHERE s.uid = $1 AND s.returned_at_us IS NOT NULL AND s.credit_ended_at_us IS NULL AND s.retired <> 'duplicate'
           AND EXISTS (SELECT 1 FROM invoices i WHERE i.subscription_id = s.id AND i.status = 'paid'
             AND i.reason = 'subscription_update' AND i.total_centavos < 0)
         ORDER BY s.id"
    };
}

/// Returned subscriptions of an account whose credit from plan changes has not ended.
pub async fn returned_with_credit(db: impl Read<'_>, uid: &Uid) -> Result<Vec<SubscriptionId>> {
    ro!(db, values returned_with_credit!(), uid)
}

/// Records that the credit of a returned subscription has ended: no plan change can create more of
/// it.
pub async fn mark_credit_ended(tx: &mut Tx, id: &SubscriptionId, at: Timestamp) -> Result<()> {
    tx!(tx, execute
        "UPDATE subscriptions SET credit_ended_at_us = $2 WHERE id = $1 AND credit_ended_at_us IS NULL",
        id, at)
}

async fn upsert(tx: &mut Tx, row: &Subscription) -> Result<()> {
    let (renewal, renewal_at) = columns_of(row.renewal);
    tx!(tx, execute
        "INSERT INTO subscriptions (id, uid, plan_id, plan_interval, coupon_id, promo_code, price_centavos,
           payment_method, provider_status, live, retired, first_paid_at_us, paid_from_us, paid_until_us,
           first_charge_at_us, renewal, renewal_at_us, cancel_at_period_end, ended_at_us, created_at_us,
           disputed_at_us, returned_at_us)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
         ON CONFLICT (id) DO UPDATE SET plan_id = excluded.plan_id, plan_interval = excluded.plan_interval,
           price_centavos = excluded.price_centavos, payment_method = excluded.payment_method,
           provider_status = excluded.provider_status, live = excluded.live, retired = excluded.retired,
           first_paid_at_us = excluded.first_paid_at_us, paid_from_us = excluded.paid_from_us,
           paid_until_us = excluded.paid_until_us, first_charge_at_us = excluded.first_charge_at_us,
           renewal = excluded.renewal, renewal_at_us = excluded.renewal_at_us,
           cancel_at_period_end = excluded.cancel_at_period_end, ended_at_us = excluded.ended_at_us,
           disputed_at_us = excluded.disputed_at_us, returned_at_us = excluded.returned_at_us",
        &row.id, &row.uid, row.plan_id.text(), row.plan_interval.text(), row.coupon_id.or_empty(),
        row.promo_code.or_empty(), row.price_centavos, text_or_empty(row.payment_method),
        row.provider_status.to_string(), row.live, text_or_empty(row.retired), row.first_paid_at,
        row.paid_from, row.paid_until, row.first_charge_at, renewal, renewal_at, row.cancel_at_period_end,
        row.ended_at, row.created_at, row.disputed_at, row.returned_at)
}
