//! Products, prices and coupons.

use std::collections::BTreeMap;

use garimpo_domain::coupons::{Discount, ProviderCoupon};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::client::Stripe;
use super::errors::{Result, present};
use super::lists::{Page, listed};
use super::request::Params;

/// A product of the provider's catalogue: one plan of ours.
#[derive(Debug, Clone, Deserialize)]
pub struct Product {
    pub name: String,
    /// Whether it can be bought.
    pub active: bool,
}

/// Stripe's recurring `Price`, with the fields that we read.
#[derive(Debug, Clone, Deserialize)]
pub struct Price {
    /// `price_…`.
    pub id: String,
    /// Regular price of each period.
    pub unit_amount: Option<i64>,
    pub recurring: Option<Recurring>,
    /// Plan and interval.
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
}

/// The period of a price.
#[derive(Debug, Clone, Deserialize)]
pub struct Recurring {
    /// `day` for every price of ours.
    pub interval: String,
    pub interval_count: u32,
}

/// Stripe's `Coupon`, with the fields that we read.
#[derive(Debug, Clone, Deserialize)]
pub struct Coupon {
    /// Chosen by us.
    pub id: String,
    pub percent_off: Option<f64>,
    /// Centavos off.
    pub amount_off: Option<i64>,
    /// `once` for every coupon of ours.
    pub duration: String,
    /// `derived_from` on a derived coupon.
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
}

listed!(Price, Coupon);

impl Coupon {
    /// The discount on a price in centavos; half a centavo is rounded up.
    pub fn off(&self, price_centavos: i64) -> i64 {
        let percent = self.percent_off.map(|percent| {
            let hundredths = (percent * 100.0).round() as i64;
            (price_centavos * hundredths + 5_000) / 10_000
        });
        self.amount_off.or(percent).unwrap_or_default().min(price_centavos)
    }
}

/// A price to create.
#[derive(Debug, Clone)]
pub struct PriceOrder<'a> {
    pub product: &'a str,
    pub lookup_key: &'a str,
    pub centavos: i64,
    /// Length of the period.
    pub days: u32,
    pub metadata: Vec<(&'a str, String)>,
}

/// The parameters of a coupon for one invoice.
pub(super) fn coupon_params(discount: Discount) -> Params {
    let params = Params::new().set("duration", "once");
    match discount {
        Discount::Percent(percent) => params.set("percent_off", percent),
        Discount::Amount(amount) => params.set("amount_off", amount.get()).set("currency", "brl"),
    }
}

/// The parameters of a price that is charged every so many days.
pub(super) fn price_params(product: &str, centavos: i64, days: u32) -> Params {
    Params::new()
        .set("currency", "brl")
        .set("product", product)
        .set("unit_amount", centavos)
        .set("recurring[interval]", "day")
        .set("recurring[interval_count]", days)
}

impl Stripe {
    /// Reads a product, `None` if it does not exist.
    pub async fn get_product(&self, id: &str) -> Result<Option<Product>> {
        present(self.get("product_get", &["products", id], Params::new()).await)
    }

    /// Creates a product under an id of ours.
    pub async fn create_product(&self, id: &str, name: &str, key: &str) -> Result<()> {
        let params = Params::new().set("id", id).set("name", name).set("metadata[plan]", id);
        self.post::<IgnoredAny>("product_create", &["products"], params, key).await.map(drop)
    }

    /// Renames a product and puts it on sale.
    pub async fn update_product(&self, id: &str, name: &str) -> Result<()> {
        let params = Params::new().set("name", name).set("active", true);
        self.update("product_update", &["products", id], params).await
    }

    /// Reads the active price of a lookup key.
    pub async fn get_price_by_lookup_key(&self, lookup_key: &str) -> Result<Option<Price>> {
        let params = Params::new().list("lookup_keys", [lookup_key]).set("active", true);
        let page: Page<Price> = self.get("price_list", &["prices"], params).await?;
        Ok(page.data.into_iter().next())
    }

    /// Creates a price and moves the lookup key to it.
    pub async fn create_price(&self, order: &PriceOrder<'_>, key: &str) -> Result<Price> {
        let params = price_params(order.product, order.centavos, order.days)
            .set("lookup_key", order.lookup_key)
            .set("transfer_lookup_key", true)
            .map("metadata", &order.metadata);
        self.post("price_create", &["prices"], params, key).await
    }

    /// Reads a coupon, `None` if it does not exist.
    pub async fn get_coupon(&self, id: &str) -> Result<Option<Coupon>> {
        present(self.get("coupon_get", &["coupons", id], Params::new()).await)
    }

    /// Reads every coupon.
    pub async fn list_coupons(&self) -> Result<Vec<Coupon>> {
        self.list("coupon_list", &["coupons"], Params::new()).await
    }

    /// Creates a coupon for first invoices under an id of ours.
    pub async fn create_coupon(&self, coupon: &ProviderCoupon, key: &str) -> Result<()> {
        let params = coupon_params(coupon.discount)
            .set("id", &coupon.id)
            .set("name", &coupon.name)
            .set_some("metadata[derived_from]", coupon.derived_from.as_deref());
        self.post::<IgnoredAny>("coupon_create", &["coupons"], params, key).await.map(drop)
    }

    /// Deletes a coupon; discounts that use it stay.
    pub async fn delete_coupon(&self, id: &str) -> Result<()> {
        self.delete("coupon_delete", &["coupons", id]).await
    }
}
