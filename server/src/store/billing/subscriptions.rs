//! The projection of subscriptions: what the provider last said of each, reduced to what our rules
//! read.

use garimpo_domain::provider_status::SubscriptionStatus;
use garimpo_domain::{
    Centavos, Interval, PaymentMethod, PlanId, Renewal, SubscriptionState, Takeback, Timestamp,
};
use serde::ser::SerializeMap;
use sqlx::AssertSqlSafe;
use strum::{EnumString, IntoStaticStr};

use crate::store::engine::{
    Cells, Column, NonEmpty, OrEmpty as _, Printed, Read, Result, Store, Text as _, Tx, many, ro, row, text,
    text_or_empty, tx,
};

/// Why another subscription of the account won over this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Retired {
    /// Both were paid at the same time: this one is refunded.
    Duplicate,
    /// The other one was paid in its place.
    Replaced,
}

text!(Retired);

/// The same rule as [`Subscription::counts_as_paid`], of the subscription `s`.
macro_rules! counts_as_paid {
    () => {
        "s.first_paid_at_us IS NOT NULL AND s.retired <> 'duplicate'"
    };
}
/// The same rule as [`Subscription::is_duplicate`], of the subscription `s`; one that is missing is
/// none.
macro_rules! is_duplicate {
    () => {
        "COALESCE(s.retired, '') = 'duplicate'"
    };
}
pub(crate) use {counts_as_paid, is_duplicate};

row! {
    "subscriptions" by id, select, printed;

    /// One subscription of an account.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Subscription {
        /// The provider's id, `sub_…`.
        pub id: String,
        /// Account.
        pub uid: String,
        /// Plan.
        pub plan_id: PlanId,
        /// Interval.
        pub plan_interval: Interval,
        /// Coupon of the first payment.
        pub coupon_id: Option<NonEmpty>,
        /// Promotion code.
        pub promo_code: Option<NonEmpty>,
        /// Regular price of each period.
        pub price_centavos: Centavos,
        /// `None` before a payment was begun.
        pub payment_method: Option<PaymentMethod>,
        /// State at the provider.
        pub provider_status: SubscriptionStatus,
        /// Whether it holds the account's one place under the unique index.
        pub live: bool,
        /// `None` while no other subscription won over it.
        pub retired: Option<Retired>,
        /// When the first payment was confirmed.
        pub first_paid_at: Option<Timestamp> as first_paid_at_us,
        /// Start of the last paid period.
        pub paid_from: Option<Timestamp> as paid_from_us,
        /// End of the last paid period.
        pub paid_until: Option<Timestamp> as paid_until_us,
        /// When the first charge falls, for a purchase charged at the trial's end.
        pub first_charge_at: Option<Timestamp> as first_charge_at_us,
        /// What is known of the invoice that is not paid.
        pub renewal: Renewal = "renewal_at_us, renewal",
        /// Whether it ends with its paid period.
        pub cancel_at_period_end: bool,
        /// When it ended.
        pub ended_at: Option<Timestamp> as ended_at_us,
        /// When it was made.
        pub created_at: Timestamp as created_at_us,
        /// Since when the payment of the last paid period is disputed.
        pub disputed_at: Option<Timestamp> as disputed_at_us,
        /// When the payment of the last paid period was given back or lost, or when that was asked
        /// for.
        pub returned_at: Option<Timestamp> as returned_at_us,
    }
}

impl Subscription {
    /// What the rules read of this row.
    pub fn state(&self) -> SubscriptionState {
        SubscriptionState {
            plan: self.plan_id,
            interval: self.plan_interval,
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

    /// The stored name of its renewal: `open`, `failed` or `voucher`.
    pub fn renewal_name(&self) -> &'static str {
        columns_of(self.renewal).0
    }

    /// Whether it was last paid by boleto, or is to be.
    pub fn pays_by_boleto(&self) -> bool {
        self.payment_method == Some(PaymentMethod::Boleto)
    }

    /// Whether no other subscription won over it.
    pub fn stands(&self) -> bool {
        self.retired.is_none()
    }

    /// Whether it stands and has not ended.
    pub fn runs(&self) -> bool {
        self.stands() && self.ended_at.is_none()
    }

    /// Whether it runs and its money stays: what is given back ends as soon as the provider is
    /// told.
    pub fn goes_on(&self) -> bool {
        self.runs() && self.returned_at.is_none()
    }

    /// Whether its payment makes its person one who has paid. The second of two payments is given
    /// back and makes nobody that; one that was given back by the guarantee does.
    pub fn counts_as_paid(&self) -> bool {
        self.first_paid_at.is_some() && !self.is_duplicate()
    }

    /// Whether it was paid beside another one and is given back.
    pub fn is_duplicate(&self) -> bool {
        self.retired == Some(Retired::Duplicate)
    }

    /// Whether another rule gives its payments back: those of a duplicate, and of a subscription
    /// that was returned.
    pub fn goes_back_otherwise(&self) -> bool {
        self.is_duplicate() || self.returned_at.is_some()
    }
}

/// The columns of a renewal: its name, and when the first attempt failed or when the voucher is
/// due.
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

/// Every subscription of several accounts, oldest first.
pub(crate) const BY_UIDS: &str = concat!(select!("WHERE uid IN "), "{} ORDER BY created_at_us, id");

/// Every subscription of an account, oldest first.
pub async fn by_uid(db: impl Read<'_>, uid: &str) -> Result<Vec<Subscription>> {
    ro!(db, c => sqlx::query_as(select!("WHERE uid = $1 ORDER BY created_at_us, id"))
        .bind(uid).fetch_all(c).await)
}

/// Every subscription of several accounts, oldest first.
pub async fn by_uids(store: &Store, uids: &[String]) -> Result<Vec<Subscription>> {
    let statement = many::statement(BY_UIDS, uids);
    ro!(store, c => many::bound!(sqlx::query_as(AssertSqlSafe(statement.as_str())), uids).fetch_all(c).await)
}

/// Subscriptions of these ids.
pub async fn by_ids(store: &Store, ids: &[String]) -> Result<Vec<Subscription>> {
    let statement = many::statement(concat!(select!("WHERE id IN "), "{}"), ids);
    ro!(store, c => many::bound!(sqlx::query_as(AssertSqlSafe(statement.as_str())), ids).fetch_all(c).await)
}

/// One subscription.
pub async fn by_id(db: impl Read<'_>, id: &str) -> Result<Option<Subscription>> {
    ro!(db, c => sqlx::query_as(select!("WHERE id = $1")).bind(id).fetch_optional(c).await)
}

/// Writes all rows of an account; the place of the live one is freed first, since only one may hold
/// it.
pub async fn project(tx: &mut Tx, uid: &str, rows: &[Subscription]) -> Result<()> {
    tx!(tx, c => sqlx::query("UPDATE subscriptions SET live = FALSE WHERE uid = $1 AND live")
        .bind(uid).execute(c).await.map(drop))?;
    for row in rows {
        upsert(tx, row).await?;
    }
    Ok(())
}

/// Notes that the money of a subscription is to be given back: it gives nothing from here on.
pub async fn mark_returned(tx: &mut Tx, id: &str, at: Timestamp) -> Result<()> {
    tx!(tx, c => sqlx::query("UPDATE subscriptions SET live = FALSE, returned_at_us = $2 WHERE id = $1")
        .bind(id).bind(at).execute(c).await.map(drop))
}

/// Returned subscriptions of an account whose plan changes made credit that was not ended yet.
macro_rules! returned_with_credit {
    () => {
        "SELECT s.id FROM subscriptions s
         WHERE s.uid = $1 AND s.returned_at_us IS NOT NULL AND s.credit_ended_at_us IS NULL AND s.retired <> 'duplicate'
           AND EXISTS (SELECT 1 FROM invoices i WHERE i.subscription_id = s.id AND i.status = 'paid'
             AND i.reason = 'subscription_update' AND i.total_centavos < 0)
         ORDER BY s.id"
    };
}

/// Returned subscriptions of an account whose plan changes made credit that was not ended yet.
pub async fn returned_with_credit(db: impl Read<'_>, uid: &str) -> Result<Vec<String>> {
    ro!(db, c => sqlx::query_scalar(returned_with_credit!()).bind(uid).fetch_all(c).await)
}

/// Records that the credit of a returned subscription has ended: no plan change can make more of
/// it.
pub async fn mark_credit_ended(tx: &mut Tx, id: &str, at: Timestamp) -> Result<()> {
    tx!(tx, c => sqlx::query(
        "UPDATE subscriptions SET credit_ended_at_us = $2 WHERE id = $1 AND credit_ended_at_us IS NULL")
        .bind(id).bind(at).execute(c).await.map(drop))
}

async fn upsert(tx: &mut Tx, row: &Subscription) -> Result<()> {
    let (renewal, renewal_at) = columns_of(row.renewal);
    tx!(tx, c => sqlx::query(
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
           disputed_at_us = excluded.disputed_at_us, returned_at_us = excluded.returned_at_us")
        .bind(&row.id).bind(&row.uid).bind(row.plan_id.text()).bind(row.plan_interval.text())
        .bind(row.coupon_id.or_empty()).bind(row.promo_code.or_empty()).bind(row.price_centavos)
        .bind(text_or_empty(row.payment_method)).bind(row.provider_status.to_string())
        .bind(row.live).bind(text_or_empty(row.retired)).bind(row.first_paid_at).bind(row.paid_from)
        .bind(row.paid_until).bind(row.first_charge_at).bind(renewal).bind(renewal_at)
        .bind(row.cancel_at_period_end).bind(row.ended_at).bind(row.created_at)
        .bind(row.disputed_at).bind(row.returned_at).execute(c).await.map(drop))
}
