//! Sessions of the billing portal; the page that they open is `pages/portal.rs`.

use serde_json::json;

use crate::provider::params::Params;
use crate::provider::{Reply, customers};
use crate::state::ids;
use crate::state::moment::{Moment, SECOND};
use crate::state::store::{Tx, text};

/// A portal link opens within that time.
pub const LIFE: i64 = 30 * 60 * SECOND;

/// `POST /v1/billing_portal/sessions`.
pub async fn create(tx: &mut Tx, params: &Params) -> Reply {
    params.only(&["customer", "return_url", "locale", "configuration", "flow_data", "on_behalf_of"])?;
    let customer = customers::live(tx, params.required("customer")?, "customer").await?;
    let token = ids::random(48);
    let doc = json!({
        "id": ids::new("bps"), "object": "billing_portal.session", "configuration": "bpc_garimpo",
        "created": tx.now.seconds(), "customer": text(&customer, "id"), "flow": null, "livemode": false,
        "locale": params.text("locale"), "on_behalf_of": null, "return_url": params.text("return_url"),
        "url": format!("{}/portal/{token}", tx.url), "_voucher": format!("portal_{token}"),
    });
    tx.insert(&doc).await?;
    Ok(doc)
}

/// Whether a portal session made then may still be used now.
pub fn is_live(created_seconds: i64, now: Moment) -> bool {
    now.0 < Moment::from_seconds(created_seconds).plus(LIFE).0
}
