//! The calls about what the provider keeps for a customer between invoices. A negative balance is credit, a positive one
//! is asked for by the next invoice.

use serde::Deserialize;

use super::calls::{present, segment};
use super::objects::Metadata;
use super::request::Params;
use super::{Stripe, StripeError};

/// A balance to be moved once.
#[derive(Debug, Clone, Copy)]
pub struct BalanceMove<'a> {
    /// Whose.
    pub customer: &'a str,
    /// By how much.
    pub centavos: i64,
    /// What it is made for once; kept with it.
    pub cause: &'a str,
    /// What the provider's dashboard shows.
    pub description: &'a str,
}

#[derive(Debug, Clone, Deserialize)]
struct BalanceTransaction {
    id: String,
    #[serde(default)]
    metadata: Metadata,
}

impl Stripe {
    /// Takes away what the provider keeps for a customer between invoices; one that is gone keeps nothing.
    pub async fn customer_balance_clear(&self, customer: &str) -> Result<(), StripeError> {
        let path = format!("/v1/customers/{}", segment(customer));
        let params = Params::new().set("balance", 0);
        present(self.post::<serde_json::Value>("customer_balance_clear", path, params, None).await).map(drop)
    }

    /// Moves a customer's balance, once for each cause however often it is asked and after however long: keys of the
    /// provider are forgotten within a day. A customer that is gone has no balance.
    pub async fn customer_balance_move(&self, order: &BalanceMove<'_>, key: &str) -> Result<(), StripeError> {
        let Some(made) = present(self.balance_transactions_all(order.customer).await)? else {
            return Ok(());
        };
        if made.iter().any(|one| one.metadata.get("cause").is_some_and(|cause| cause == order.cause)) {
            return Ok(());
        }
        self.balance_transaction_create(order, key).await
    }

    async fn balance_transactions_all(&self, customer: &str) -> Result<Vec<BalanceTransaction>, StripeError> {
        let path = format!("/v1/customers/{}/balance_transactions", segment(customer));
        let name = "balance_transaction_list";
        self.list(name, &path, Params::new(), |one: &BalanceTransaction| &one.id).await
    }

    async fn balance_transaction_create(
        &self,
        order: &BalanceMove<'_>,
        key: &str,
    ) -> Result<(), StripeError> {
        let path = format!("/v1/customers/{}/balance_transactions", segment(order.customer));
        let params = Params::new()
            .set("amount", order.centavos)
            .set("currency", "brl")
            .set("description", order.description)
            .set("metadata[cause]", order.cause);
        self.post::<serde_json::Value>("balance_transaction_create", path, params, Some(key)).await.map(drop)
    }

    /// Takes something off an open invoice, which is paid once nothing is left of it; one that is not open any more, or
    /// asks for less by now, stays as it is.
    pub async fn credit_note_create(
        &self,
        invoice: &str,
        centavos: i64,
        memo: &str,
        key: &str,
    ) -> Result<(), StripeError> {
        let params = Params::new()
            .set("invoice", invoice)
            .set("amount", centavos)
            .set("memo", memo)
            .set("email_type", "none");
        let path = "/v1/credit_notes".into();
        match self.post::<serde_json::Value>("credit_note_create", path, params, Some(key)).await {
            Err(StripeError::Refused { status: 400 | 404, .. }) | Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
