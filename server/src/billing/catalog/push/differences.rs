//! Lists the objects that a push would create or change at the provider. Changes nothing.

use crate::store::catalog_pushes;
use garimpo_domain::coupons::Discount;
use garimpo_domain::{Centavos, catalog};
use serde::Serialize;

use crate::billing::catalog::CatalogPush;
use crate::billing::catalog::push::{Row, has_discount, rows, some_at_once};
use crate::error::Result;
use crate::providers::stripe::{Coupon, Price};

/// An object that differs between our catalogue and the provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CatalogDifference {
    /// `product`, `price` or `coupon`.
    pub object: &'static str,
    /// Id of the product or coupon, or lookup key of the price.
    pub id: String,
    /// Value in our catalogue.
    pub ours: String,
    /// Value at the provider; `None` if the object is missing.
    pub theirs: Option<String>,
}

impl CatalogPush {
    /// Compares the catalogue with the provider's, object by object. Changes nothing.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE if a call fails, UNAVAILABLE if the database fails.
    pub async fn find_differences(&self) -> Result<Vec<CatalogDifference>> {
        let products: Vec<_> = catalog()
            .plans_for_sale()
            .map(|plan| self.compare_product(plan.id.as_str(), &plan.name))
            .collect();
        let held = catalog().provider_coupons();
        let coupons: Vec<_> =
            held.iter().map(|coupon| self.compare_coupon(&coupon.id, coupon.discount)).collect();
        let rows = rows();
        let prices: Vec<_> = rows.iter().map(|row| self.compare_price(row)).collect();
        let mut found = some_at_once(products).await?;
        found.extend(some_at_once(prices).await?);
        found.extend(some_at_once(coupons).await?);
        let mut found: Vec<_> = found.into_iter().flatten().collect();
        found.extend(self.stale_coupons().await?.iter().map(|coupon| CatalogDifference {
            object: "coupon",
            id: coupon.id.clone(),
            ours: "none".to_owned(),
            theirs: Some(coupon_in_words(coupon)),
        }));
        found.sort_by(|one, other| (one.object, &one.id).cmp(&(other.object, &other.id)));
        Ok(found)
    }

    /// Checks that the provider replies and accepts our key, by reading the first product.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE if it does not.
    pub(crate) async fn provider_answers(&self) -> Result<()> {
        let first = catalog().plans_for_sale().next();
        self.stripe.get_product(first.map_or("", |plan| plan.id.as_str())).await?;
        Ok(())
    }

    async fn compare_product(&self, id: &str, name: &str) -> Result<Option<CatalogDifference>> {
        let theirs = self.stripe.get_product(id).await?;
        if theirs.as_ref().is_some_and(|product| product.name == name && product.active) {
            return Ok(None);
        }
        let theirs = theirs
            .map(|product| format!("{}{}", product.name, if product.active { "" } else { ", not on sale" }));
        Ok(Some(CatalogDifference { object: "product", id: id.to_owned(), ours: name.to_owned(), theirs }))
    }

    /// A price also differs if we sell by another price object than the one with its lookup key.
    async fn compare_price(&self, row: &Row) -> Result<Option<CatalogDifference>> {
        let id = row.lookup_key();
        let theirs = self.stripe.get_price_by_lookup_key(&id).await?;
        let known = catalog_pushes::price(&self.context.store, row.plan_id, row.interval).await?;
        let is_sold = |price: &Price| {
            known.as_ref().is_some_and(|k| k.price_id == price.id && k.price_centavos.get() == row.centavos)
        };
        if theirs.as_ref().is_some_and(|price| row.is_same(price) && is_sold(price)) {
            return Ok(None);
        }
        let mut ours = recurring(row.centavos, "day", row.interval.days());
        // The amounts are equal, but we sell by another object.
        if theirs.as_ref().is_some_and(|price| row.is_same(price)) {
            let sold = known.map_or_else(|| "none".to_owned(), |price| price.price_id);
            ours = format!("{ours} (sold by {sold})");
        }
        let theirs = theirs.map(|price| match &price.recurring {
            Some(r) => {
                let text = recurring(price.unit_amount.unwrap_or_default(), &r.interval, r.interval_count);
                format!("{text} ({})", price.id)
            }
            None => format!("paid once ({})", price.id),
        });
        Ok(Some(CatalogDifference { object: "price", id, ours, theirs }))
    }

    async fn compare_coupon(&self, id: &str, discount: Discount) -> Result<Option<CatalogDifference>> {
        let theirs = self.stripe.get_coupon(id).await?;
        if theirs.as_ref().is_some_and(|coupon| has_discount(coupon, discount)) {
            return Ok(None);
        }
        let ours = match discount {
            Discount::Percent(percent) => format!("{percent}% once"),
            Discount::Amount(amount) => format!("{amount} once"),
        };
        let theirs = theirs.map(|coupon| coupon_in_words(&coupon));
        Ok(Some(CatalogDifference { object: "coupon", id: id.to_owned(), ours, theirs }))
    }
}

fn recurring(centavos: i64, interval: &str, count: u32) -> String {
    format!("{} every {count} {interval}s", Centavos::new(centavos))
}

fn coupon_in_words(coupon: &Coupon) -> String {
    match (coupon.percent_off, coupon.amount_off) {
        (Some(percent), _) => format!("{percent}% {}", coupon.duration),
        (None, Some(centavos)) => format!("{} {}", Centavos::new(centavos), coupon.duration),
        (None, None) => coupon.duration.clone(),
    }
}
