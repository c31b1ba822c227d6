//! A customer's balance: a negative one is credit, a positive one is added to the next invoice.

use std::collections::BTreeMap;

use garimpo_domain::CustomerId;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::client::Stripe;
use super::errors::{Result, present, unless_settled};
use super::lists::listed;
use super::request::Params;

/// A change of a customer's balance.
#[derive(Debug, Clone, Copy)]
pub struct BalanceMove<'a> {
    pub customer: &'a CustomerId,
    pub centavos: i64,
    /// Stored with the change: a cause changes the balance once.
    pub cause: &'a str,
    /// Text in the provider's dashboard.
    pub description: &'a str,
}

#[derive(Debug, Clone, Deserialize)]
struct BalanceTransaction {
    id: String,
    #[serde(default)]
    metadata: BTreeMap<String, String>,
}

listed!(BalanceTransaction);

impl Stripe {
    /// Sets a customer's balance to zero; a deleted customer has none.
    pub async fn clear_customer_balance(&self, customer: &CustomerId) -> Result<()> {
        let params = Params::new().set("balance", 0);
        present(self.update("customer_balance_clear", &["customers", customer], params).await).map(drop)
    }

    /// Changes a customer's balance once for each cause, however late the call is repeated: the
    /// provider keeps idempotency keys for a day only. A deleted customer has no balance.
    pub async fn move_customer_balance(&self, order: &BalanceMove<'_>, key: &str) -> Result<()> {
        let path = &["customers", order.customer, "balance_transactions"];
        let made = self.list::<BalanceTransaction>("balance_transaction_list", path, Params::new()).await;
        let Some(made) = present(made)? else { return Ok(()) };
        if made.iter().any(|one| one.metadata.get("cause").is_some_and(|cause| cause == order.cause)) {
            return Ok(());
        }
        let params = Params::new()
            .set("amount", order.centavos)
            .set("currency", "brl")
            .set("description", order.description)
            .set("metadata[cause]", order.cause);
        self.post::<IgnoredAny>("balance_transaction_create", path, params, key).await.map(drop)
    }

    /// Takes an amount off an open invoice, which is paid if nothing of it is left. An invoice that
    /// is not open or asks for less stays as it is.
    pub async fn create_credit_note(
        &self,
        invoice: &str,
        centavos: i64,
        memo: &str,
        key: &str,
    ) -> Result<()> {
        let params = Params::new()
            .set("invoice", invoice)
            .set("amount", centavos)
            .set("memo", memo)
            .set("email_type", "none");
        unless_settled(self.post::<IgnoredAny>("credit_note_create", &["credit_notes"], params, key).await)
    }
}
