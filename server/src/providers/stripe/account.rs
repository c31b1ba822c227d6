//! The account that the key belongs to.

use reqwest::Method;
use secrecy::ExposeSecret;
use serde::Deserialize;

use super::calls::present;
use super::request::Params;
use super::{Call, Product, Stripe, StripeError};

/// Decides whether calls may reach the account of the key.
#[tonic::async_trait]
pub trait AccountGuard: std::fmt::Debug + Send + Sync {
    /// Allows calls, or says why not. It is asked before every call.
    async fn check(&self, stripe: &Stripe) -> Result<(), StripeError>;
}

/// What is known of the account of the key. Each part is `None` where the key may not read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountMark {
    /// `acct_…`.
    pub account_id: Option<String>,
    /// Whether money is real.
    pub livemode: Option<bool>,
}

/// How the id of the key's account is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountReading {
    /// The key may read it.
    Read(String),
    /// The key may not read it, and the refusal names it.
    Named(String),
    /// The key may not read it.
    Refused,
}

#[derive(Deserialize)]
struct Account {
    id: String,
}

#[derive(Deserialize)]
struct Balance {
    livemode: bool,
}

impl Stripe {
    /// Reads the account of the key. A restricted key often may not: the text of that refusal names the account.
    ///
    /// # Errors
    /// When the provider does not answer, or refuses the key altogether.
    pub async fn account_mark(&self) -> Result<AccountMark, StripeError> {
        let account_id = match self.account_reading().await? {
            AccountReading::Read(id) | AccountReading::Named(id) => Some(id),
            AccountReading::Refused => None,
        };
        // The Account object has no mode; the Balance object has.
        let livemode = match self.unchecked_get::<Balance>("balance_get", "/v1/balance").await {
            Ok(balance) => Some(balance.livemode),
            Err(StripeError::Refused { status: 403 | 404, .. }) => self.mode_of_key(),
            Err(error) => return Err(error),
        };
        Ok(AccountMark { account_id, livemode })
    }

    /// Reads the id of the key's account.
    ///
    /// # Errors
    /// When the provider does not answer, or refuses the key altogether.
    pub async fn account_reading(&self) -> Result<AccountReading, StripeError> {
        match self.unchecked_get::<Account>("account_get", "/v1/account").await {
            Ok(account) => Ok(AccountReading::Read(account.id)),
            Err(StripeError::Refused { status: 403 | 404, message, .. }) => {
                Ok(named_account(&message).map_or(AccountReading::Refused, AccountReading::Named))
            }
            Err(error) => Err(error),
        }
    }

    /// Whether the product that marks an account is there.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn marker_is_there(&self, id: &str) -> Result<bool, StripeError> {
        let path = format!("/v1/products/{}", super::calls::segment(id));
        Ok(present(self.unchecked_get::<Product>("product_get", &path).await)?.is_some())
    }

    /// Creates the product that marks an account; nobody can buy it.
    ///
    /// # Errors
    /// When it cannot be created.
    pub async fn marker_create(&self, id: &str) -> Result<(), StripeError> {
        let params = Params::new()
            .set("id", id)
            .set("name", "Garimpo: marca desta conta, não apagar")
            .set("active", false)
            .set("metadata[garimpo]", "account_marker");
        let call = Call {
            name: "product_create",
            method: Method::POST,
            path: "/v1/products".to_owned(),
            params,
            idempotency_key: Some(id),
        };
        self.send_unchecked::<Product>(call, 1).await.map(drop)
    }

    async fn unchecked_get<T: serde::de::DeserializeOwned>(
        &self,
        name: &'static str,
        path: &str,
    ) -> Result<T, StripeError> {
        let (method, path) = (Method::GET, path.to_owned());
        // One try: whoever waits for the check makes the next one.
        let call = Call { name, method, path, params: Params::new(), idempotency_key: None };
        self.send_unchecked(call, 1).await
    }

    fn mode_of_key(&self) -> Option<bool> {
        let key = self.settings.secret_key.expose_secret();
        match key.split('_').nth(1) {
            Some("live") => Some(true),
            Some("test") => Some(false),
            _ => None,
        }
    }
}

/// The account that a refusal names.
fn named_account(message: &str) -> Option<String> {
    let (_, after) = message.split_once("acct_")?;
    let id: String = after.chars().take_while(char::is_ascii_alphanumeric).collect();
    (!id.is_empty()).then(|| format!("acct_{id}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conta_sai_do_texto_da_recusa() {
        for (message, named) in [
            (
                "The provided key 'rk_test_***' does not have the required permissions for this endpoint on account 'acct_1Nv0FGQ9RKHgCVdK'.",
                Some("acct_1Nv0FGQ9RKHgCVdK"),
            ),
            ("on account acct_ABC.", Some("acct_ABC")),
            ("no account is named: acct_", None),
            ("", None),
        ] {
            assert_eq!(named_account(message).as_deref(), named, "{message}");
        }
    }
}
