//! Sessions of the billing portal. `pages/portal` shows the page that they open.

use serde_json::{Value, json};

use crate::provider::{ApiError, Params, Reply, customers};
use crate::state::{Moment, SECOND, Tx, ids, number, text};

const KIND: &str = "billing_portal.session";
/// A portal link opens within this time.
const LIFE: i64 = 30 * 60 * SECOND;

/// `POST /v1/billing_portal/sessions`.
pub async fn create(tx: &mut Tx, params: &Params) -> Reply {
    params.only("customer return_url locale configuration flow_data on_behalf_of")?;
    let customer = customers::live(tx, params.required("customer")?, "customer").await?;
    let token = ids::random(48);
    let doc = json!({
        "id": ids::new("bps"), "object": KIND, "configuration": "bpc_garimpo", "created": tx.now.seconds(),
        "customer": text(&customer, "id"), "customer_account": null, "flow": null, "livemode": false,
        "locale": params.text("locale"), "on_behalf_of": null, "return_url": params.text("return_url"),
        "url": format!("{}/portal/{token}", tx.url),
    });
    tx.insert_with(&doc, Some(json!({"portal": token}))).await?;
    Ok(doc)
}

/// The session of a link that is still valid.
pub async fn session(tx: &mut Tx, token: &str) -> Result<Option<Value>, ApiError> {
    let rows = tx.find_by_private(KIND, "portal", token).await?;
    let is_live = |doc: &Value| tx.now < Moment::from_seconds(number(doc, "created")).plus(LIFE);
    Ok(rows.into_iter().next().filter(is_live))
}
