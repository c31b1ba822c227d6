//! Sessions of the billing portal. `pages/portal` shows the page that they open.

use serde_json::{Value, json};

use crate::objects::template;
use crate::provider::{ApiError, Params, Reply, customers};
use crate::state::{Moment, SECOND, Tx, ids, number};

const KIND: &str = "billing_portal.session";
/// A portal link opens within this time.
const LIFE: i64 = 30 * 60 * SECOND;

/// `POST /v1/billing_portal/sessions`.
pub async fn create(tx: &mut Tx, params: &Params) -> Reply {
    let customer = customers::live(tx, params.required("customer")?, "customer").await?;
    let url = url(tx, &ids::random(48));
    let given = json!({
        "id": ids::new("bps"), "created": tx.now.seconds(), "customer": customer["id"],
        "locale": params.text("locale"), "return_url": params.text("return_url"),
        "url": url,
    });
    let doc = template(KIND, given);
    tx.insert(&doc).await?;
    Ok(doc)
}

fn url(tx: &Tx, token: &str) -> String {
    format!("{}/portal/{token}", tx.url)
}

/// The session of a link that is still valid.
pub async fn session(tx: &mut Tx, token: &str) -> Result<Option<Value>, ApiError> {
    let rows = tx.find_by(KIND, "url", &url(tx, token)).await?;
    let is_live = |doc: &Value| tx.now < Moment::from_seconds(number(doc, "created")).plus(LIFE);
    Ok(rows.into_iter().next().filter(is_live))
}
