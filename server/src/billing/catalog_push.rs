//! Brings our catalogue to the payment provider: products, prices by lookup key, coupons.
//!
//! Idempotent, and only when what is to be pushed differs from what was pushed last (design section 6). The operator's
//! push compares every object, whatever was pushed last.

use futures::{StreamExt as _, TryStreamExt as _, stream};
use garimpo_domain::catalog;
use garimpo_domain::coupons::Discount;
use garimpo_domain::{Interval, Timestamp};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::Billing;
use crate::error::Error;
use crate::providers::stripe::{Coupon, CouponTerms, Price, PriceOrder};
use crate::queue::{JobError, JobKind, JobOutcome};
use crate::store::catalog_pushes::{PushedPrice, catalog_push_forget_in_tx, catalog_push_in_tx};
use crate::store::{ClaimedJob, NewJob, StoreError, Tx, job_schedule_in_tx};

mod differences;

pub use differences::CatalogDifference;

/// Raise it when this file pushes something else of the same catalogue.
const FORMAT: u32 = 1;
/// Calls at once: a push takes seconds, and stays far below the provider's limit.
const AT_ONCE: usize = 4;

/// One price to be pushed.
struct Row {
    plan_id: &'static str,
    interval: Interval,
    centavos: i64,
}

impl Row {
    fn lookup_key(&self) -> String {
        format!("{}_{}", self.plan_id, self.interval.written())
    }

    fn is_same(&self, price: &Price) -> bool {
        let recurs = price.recurring.as_ref();
        price.unit_amount == Some(self.centavos)
            && recurs.is_some_and(|r| r.interval == "day" && r.interval_count == self.interval.days())
    }
}

impl Billing {
    /// Enqueues the push; it ends at once where nothing changed.
    pub(super) async fn catalog_push_begin(&self) -> Result<(), Error> {
        self.in_tx(move |tx| {
            Box::pin(async move {
                let due_at = Timestamp::from_micros(0);
                job_schedule_in_tx(tx, push_job(due_at)).await
            })
        })
        .await?;
        Ok(())
    }

    /// Has the whole catalogue compared and pushed again, since the provider's differs from what was pushed; at once
    /// where it is pushed by itself, otherwise as soon as the operator does.
    pub(super) async fn catalog_push_again_in_tx(&self, tx: &mut Tx) -> Result<(), StoreError> {
        catalog_push_forget_in_tx(tx).await?;
        if self.settings.pushes_catalog { job_schedule_in_tx(tx, push_job(self.now())).await } else { Ok(()) }
    }

    /// Runs the push.
    pub(super) async fn catalog_push_job(self, _: ClaimedJob) -> Result<JobOutcome, JobError> {
        self.catalog_push().await?;
        Ok(JobOutcome::Done)
    }

    /// Pushes the catalogue where it differs from what was pushed last; answers whether it did.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE; the store's own.
    pub async fn catalog_push(&self) -> Result<bool, Error> {
        if self.store.catalog_push_hash().await? == Some(hash(&rows())) {
            return Ok(false);
        }
        self.catalog_push_whole().await?;
        Ok(true)
    }

    /// Compares every object of the catalogue at the provider, and makes or changes what differs.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE; the store's own.
    pub async fn catalog_push_whole(&self) -> Result<(), Error> {
        let rows = rows();
        let hash = hash(&rows);
        // A key of another run would answer with what that one made, also where it is gone since.
        let run = self.ids.id("push_");
        let products: Vec<_> = catalog()
            .plans_for_sale()
            .map(|plan| self.product_push(plan.id.as_str(), &plan.name, &run))
            .collect();
        some_at_once(products).await?;
        let prices: Vec<_> = rows.iter().map(|row| self.price_push(row, &run)).collect();
        let prices = some_at_once(prices).await?;
        let coupons: Vec<_> = catalog()
            .coupons
            .iter()
            .map(|coupon| self.coupon_push(&coupon.id, &coupon.code, terms(coupon.discount), &run))
            .collect();
        some_at_once(coupons).await?;
        tracing::info!(prices = prices.len(), "the catalogue was pushed to the payment provider");
        let now = self.now();
        self.in_tx(move |tx| {
            let (hash, prices) = (hash.clone(), prices.clone());
            Box::pin(async move { catalog_push_in_tx(tx, &hash, &prices, now).await })
        })
        .await?;
        Ok(())
    }

    async fn product_push(&self, id: &str, name: &str, run: &str) -> Result<(), Error> {
        match self.stripe.product_get(id).await? {
            None => Ok(self.stripe.product_create(id, name, &key("product", id, run)).await?),
            Some(product) if product.name == name && product.active => Ok(()),
            Some(_) => Ok(self.stripe.product_update(id, name).await?),
        }
    }

    async fn price_push(&self, row: &Row, run: &str) -> Result<PushedPrice, Error> {
        let lookup_key = row.lookup_key();
        let standing = self.stripe.price_by_lookup_key(&lookup_key).await?;
        let price_id = if let Some(price) = standing.filter(|price| row.is_same(price)) {
            price.id
        } else {
            let order = PriceOrder {
                product: row.plan_id,
                lookup_key: &lookup_key,
                centavos: row.centavos,
                days: row.interval.days(),
                metadata: vec![
                    ("plan", row.plan_id.to_owned()),
                    ("interval", row.interval.written().to_owned()),
                ],
            };
            self.stripe.price_create(&order, &key("price", &lookup_key, run)).await?.id
        };
        Ok(PushedPrice {
            plan_id: row.plan_id.to_owned(),
            plan_interval: row.interval.written().to_owned(),
            price_id,
            price_centavos: row.centavos,
        })
    }

    /// A coupon's terms never change at the provider, so that one with other terms makes way.
    async fn coupon_push(&self, id: &str, code: &str, terms: CouponTerms, run: &str) -> Result<(), Error> {
        match self.stripe.coupon_get(id).await? {
            Some(coupon) if has_terms(&coupon, terms) => return Ok(()),
            Some(_) => self.stripe.coupon_delete(id).await?,
            None => {}
        }
        Ok(self.stripe.coupon_create(id, code, terms, &key("coupon", id, run)).await?)
    }
}

fn push_job(due_at: Timestamp) -> NewJob {
    NewJob { kind: JobKind::CatalogPush, key: "catalog".into(), payload: json!({}), due_at }
}

async fn some_at_once<T>(calls: Vec<impl Future<Output = Result<T, Error>>>) -> Result<Vec<T>, Error> {
    stream::iter(calls).buffer_unordered(AT_ONCE).try_collect().await
}

fn terms(discount: Discount) -> CouponTerms {
    match discount {
        Discount::Percent(percent) => CouponTerms::Percent(percent),
        Discount::Amount(amount) => CouponTerms::Amount(amount.get()),
    }
}

fn rows() -> Vec<Row> {
    let plans = catalog().plans_for_sale();
    plans
        .flat_map(|plan| {
            Interval::ALL.into_iter().filter_map(|interval| {
                let centavos = plan.list_price(interval)?.price.get();
                Some(Row { plan_id: plan.id.as_str(), interval, centavos })
            })
        })
        .collect()
}

fn has_terms(coupon: &Coupon, terms: CouponTerms) -> bool {
    let same = match terms {
        CouponTerms::Percent(percent) => {
            coupon.percent_off == Some(f64::from(percent)) && coupon.amount_off.is_none()
        }
        CouponTerms::Amount(centavos) => coupon.amount_off == Some(centavos) && coupon.percent_off.is_none(),
    };
    same && coupon.duration == "once"
}

fn hash(rows: &[Row]) -> String {
    let mut sum = Sha256::new();
    sum.update(format!("{FORMAT}\n"));
    for plan in catalog().plans_for_sale() {
        sum.update(format!("{} {}\n", plan.id, plan.name));
    }
    for row in rows {
        sum.update(format!("{} {} {}\n", row.lookup_key(), row.centavos, row.interval.days()));
    }
    for coupon in &catalog().coupons {
        sum.update(format!("{} {} {:?}\n", coupon.id, coupon.code, coupon.discount));
    }
    hex::encode(sum.finalize())
}

fn key(kind: &str, id: &str, run: &str) -> String {
    format!("{kind}-{id}-{run}")
}
