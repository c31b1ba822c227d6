//! Deletion of a customer.

use serde_json::{Value, json};

use crate::objects::Subscription;
use crate::provider::billing::subscriptions;
use crate::provider::{Reply, customers, events};
use crate::state::Tx;

/// `DELETE /v1/customers/{id}`: cancels its subscriptions at once.
pub async fn delete(tx: &mut Tx, id: &str) -> Reply {
    let before = customers::live(tx, id, "id").await?;
    for subscription in tx.load_by::<Subscription>("customer", id).await? {
        if !subscription.is_over() {
            subscriptions::cancel_now(tx, subscription, "cancellation_requested").await?;
        }
    }
    let mut deleted = before.clone();
    deleted["deleted"] = json!(true);
    deleted["email"] = Value::Null;
    tx.update(&deleted).await?;
    events::emit(tx, "customer.deleted", &before).await?;
    Ok(json!({"id": id, "object": "customer", "deleted": true}))
}
