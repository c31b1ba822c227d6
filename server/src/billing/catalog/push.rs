//! Pushes our catalogue to the payment provider: products, prices by lookup key, coupons.
//!
//! If a percentage coupon would give a fraction of a centavo on a price, a derived coupon with that
//! price's exact amount is pushed ([`garimpo_domain::coupons::Coupon::at_provider_for`]).
//!
//! Idempotent. It runs only if the catalogue differs from the last push, except for the operator's
//! push, which always compares every object.

use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use garimpo_domain::coupons::{Discount, ProviderCoupon};
use garimpo_domain::{Centavos, Interval, PlanId, Timestamp, catalog};
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use crate::billing::catalog::CatalogPush;
use crate::crash::{self, CrashPoint};
use crate::error::{Error, ErrorReason};
use crate::providers::stripe::{Coupon, Price, PriceOrder, StripeError};
use crate::queue::{JobKind, JobOutcome, JobResult};
use crate::store::{
    Checkout, ClaimedJob, NewJob, PushedPrice, Result, Tx, catalog_pushes, checkouts, jobs, transaction,
};

pub(crate) mod differences;

/// Version of the push. Raise it when this file pushes other objects for the same catalogue.
const FORMAT: u32 = 2;
/// Concurrent calls. A push takes seconds and stays far below the provider's rate limit.
const AT_ONCE: usize = 4;

/// Longest wait of a checkout for the first push.
const MAX_ARRIVAL_WAIT: Duration = Duration::from_secs(5);
/// Pause between two checks whether the push is done. Another server may be doing it.
const ARRIVAL_POLL: Duration = Duration::from_millis(100);

/// A price to push.
struct Row {
    plan_id: PlanId,
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

impl CatalogPush {
    /// The provider's price of a plan. Fails until this version's catalogue is pushed.
    pub(crate) async fn pushed_price(
        &self,
        plan: PlanId,
        interval: Interval,
        list_price: Centavos,
    ) -> Result<PushedPrice, Error> {
        let price = catalog_pushes::price(&self.context.store, plan, interval).await?;
        price.filter(|price| price.price_centavos == list_price).ok_or_else(|| {
            Error::refused(ErrorReason::Unavailable, "the catalogue is not at the payment provider yet")
                .retry_after(std::time::Duration::from_secs(1))
        })
    }

    /// Enqueues the push. The job ends at once if nothing changed.
    pub(crate) async fn enqueue(&self) -> Result<(), Error> {
        let due_at = Timestamp::from_micros(0);
        transaction!(self.context, |tx| jobs::reschedule(tx, push_job(due_at)).await)
    }

    /// Schedules a push of the whole catalogue, because the provider's differs from the last push.
    /// If pushes are manual, the operator's next push compares everything.
    pub(crate) async fn enqueue_whole(&self, tx: &mut Tx) -> Result<()> {
        catalog_pushes::forget(tx).await?;
        if self.pushes_catalog {
            jobs::reschedule(tx, push_job(self.context.now())).await?;
        }
        Ok(())
    }

    /// Waits until the catalogue is at the provider, because the push of a first start takes
    /// seconds. After [`MAX_ARRIVAL_WAIT`] it returns, and the caller's own call fails.
    pub(crate) async fn wait_for_catalog(&self) -> Result<()> {
        let deadline = Instant::now() + MAX_ARRIVAL_WAIT;
        while self.pushes_catalog
            && catalog_pushes::hash(&self.context.store).await?.is_none()
            && Instant::now() < deadline
        {
            tokio::time::sleep(ARRIVAL_POLL).await;
        }
        Ok(())
    }

    /// Runs the push job.
    pub(crate) async fn run(self, _: ClaimedJob) -> JobResult {
        self.push().await?;
        Ok(JobOutcome::Done)
    }

    /// Pushes the catalogue if it differs from the last push. Returns whether it did.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE if a call fails, UNAVAILABLE if the database fails.
    pub async fn push(&self) -> Result<bool, Error> {
        if catalog_pushes::hash(&self.context.store).await? == Some(hash(&rows())) {
            return Ok(false);
        }
        self.push_whole().await?;
        Ok(true)
    }

    /// Compares every object of the catalogue at the provider, and creates or changes those that
    /// differ.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE if a call fails, UNAVAILABLE if the database fails.
    pub async fn push_whole(&self) -> Result<(), Error> {
        let rows = rows();
        let hash = hash(&rows);
        // Under the key of an earlier run the provider would return that run's object, even if it
        // was deleted since.
        let run = self.context.ids.id("push_");
        let products: Vec<_> = catalog()
            .plans_for_sale()
            .map(|plan| self.push_product(plan.id.as_str(), &plan.name, &run))
            .collect();
        some_at_once(products).await?;
        let prices: Vec<_> = rows.iter().map(|row| self.push_price(row, &run)).collect();
        let prices = some_at_once(prices).await?;
        let coupons = catalog().provider_coupons();
        some_at_once(coupons.iter().map(|coupon| self.push_coupon(coupon, &run)).collect()).await?;
        let stale = self.stale_coupons().await?;
        some_at_once(stale.iter().map(|coupon| self.remove_coupon(coupon)).collect()).await?;
        tracing::debug!(prices = prices.len(), "the catalogue was pushed to the payment provider");
        let now = self.context.now();
        transaction!(self.context, (hash, prices), |tx| catalog_pushes::save(tx, hash, prices, now).await)
    }

    async fn push_product(&self, id: &str, name: &str, run: &str) -> Result<(), Error> {
        match self.stripe.get_product(id).await? {
            None => pushed(self.stripe.create_product(id, name, &key("product", id, run))).await,
            Some(product) if product.name == name && product.active => Ok(()),
            Some(_) => pushed(self.stripe.update_product(id, name)).await,
        }
    }

    async fn push_price(&self, row: &Row, run: &str) -> Result<PushedPrice, Error> {
        let lookup_key = row.lookup_key();
        let standing = self.stripe.get_price_by_lookup_key(&lookup_key).await?;
        let price_id = if let Some(price) = standing.filter(|price| row.is_same(price)) {
            price.id
        } else {
            let order = PriceOrder {
                product: row.plan_id.as_str(),
                lookup_key: &lookup_key,
                centavos: row.centavos,
                days: row.interval.days(),
                metadata: vec![
                    ("plan", row.plan_id.as_str().to_owned()),
                    ("interval", row.interval.written().to_owned()),
                ],
            };
            pushed(self.stripe.create_price(&order, &key("price", &lookup_key, run))).await?.id
        };
        Ok(PushedPrice {
            plan_id: row.plan_id,
            plan_interval: row.interval,
            price_id,
            price_centavos: Centavos::new(row.centavos),
        })
    }

    /// A coupon's terms never change at the provider, so a coupon with other terms is replaced.
    async fn push_coupon(&self, ours: &ProviderCoupon, run: &str) -> Result<(), Error> {
        match self.stripe.get_coupon(&ours.id).await? {
            Some(coupon) if has_discount(&coupon, ours.discount) => return Ok(()),
            Some(_) => pushed(self.stripe.delete_coupon(&ours.id)).await?,
            None => {}
        }
        pushed(self.stripe.create_coupon(ours, &key("coupon", &ours.id, run))).await
    }

    async fn remove_coupon(&self, coupon: &Coupon) -> Result<(), Error> {
        tracing::info!(coupon.id, "a derived coupon that no price needs is removed at the payment provider");
        pushed(self.stripe.delete_coupon(&coupon.id)).await
    }

    /// Derived coupons at the provider that neither the catalogue nor an open checkout needs.
    ///
    /// Those of open checkouts are kept, because it is not documented whether the provider
    /// completes a session whose coupon was deleted.
    async fn stale_coupons(&self) -> Result<Vec<Coupon>, Error> {
        let needed = catalog().provider_coupons();
        let mut held = self.stripe.list_coupons().await?;
        held.retain(|coupon| coupon.metadata.contains_key("derived_from"));
        held.retain(|coupon| !needed.iter().any(|other| other.id == coupon.id));
        if held.is_empty() {
            return Ok(held);
        }
        // Read after the list, because a checkout that opens later uses a coupon of the catalogue.
        let open = checkouts::open_with_coupon(&self.context.store).await?;
        held.retain(|coupon| {
            !open.iter().any(|checkout| provider_coupon(checkout) == Some(coupon.id.clone()))
        });
        Ok(held)
    }
}

/// Id of the coupon at the provider that a checkout uses; `None` without a coupon.
///
/// The id depends on the stored row alone, so that a repeated call names the same coupon. A coupon
/// that has left the catalogue keeps its id.
pub(crate) fn provider_coupon(checkout: &Checkout) -> Option<String> {
    let id = checkout.coupon_id.as_deref()?;
    let held = catalog().coupon(id).map(|coupon| coupon.at_provider_for(checkout.price_centavos).id);
    Some(held.unwrap_or_else(|| id.to_owned()))
}

fn push_job(due_at: Timestamp) -> NewJob {
    NewJob::new(JobKind::CatalogPush, "catalog", json!({}), due_at)
}

async fn some_at_once<T>(calls: Vec<impl Future<Output = Result<T, Error>>>) -> Result<Vec<T>, Error> {
    stream::iter(calls).buffer_unordered(AT_ONCE).try_collect().await
}

/// Creates or changes an object at the provider.
async fn pushed<T>(call: impl Future<Output = Result<T, StripeError>>) -> Result<T, Error> {
    let answer = call.await?;
    crash::point(CrashPoint::CatalogPushed);
    Ok(answer)
}

fn rows() -> Vec<Row> {
    let plans = catalog().plans_for_sale();
    plans
        .flat_map(|plan| {
            Interval::ALL.into_iter().filter_map(|interval| {
                let centavos = plan.list_price(interval)?.price.get();
                Some(Row { plan_id: plan.id, interval, centavos })
            })
        })
        .collect()
}

/// Whether a coupon at the provider has_discount exactly this discount, once.
fn has_discount(coupon: &Coupon, discount: Discount) -> bool {
    let terms = match discount {
        Discount::Percent(percent) => (Some(f64::from(percent)), None),
        Discount::Amount(amount) => (None, Some(amount.get())),
    };
    (coupon.percent_off, coupon.amount_off) == terms && coupon.duration == "once"
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
    for coupon in catalog().provider_coupons() {
        sum.update(format!("{} {} {:?}\n", coupon.id, coupon.name, coupon.discount));
    }
    hex::encode(sum.finalize())
}

fn key(kind: &str, id: &str, run: &str) -> String {
    format!("{kind}-{id}-{run}")
}
