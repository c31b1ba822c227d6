//! The account of the key.

use reqwest::Method;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::client::Stripe;
use super::errors::{Result, StripeError, present};
use super::request::{Call, Params};

/// The account of the key. A part is `None` if the key may not read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountMark {
    /// `acct_…`.
    pub account_id: Option<String>,
    /// Whether money is real.
    pub livemode: Option<bool>,
}

/// How the id of the key's account was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountReading {
    /// The key may read its account.
    Read(String),
    /// The key may not read its account, but the text of the refusal has the id.
    Named(String),
    Refused,
}

impl Stripe {
    /// Reads the account and the mode of the key.
    pub async fn read_account_mark(&self) -> Result<AccountMark> {
        let account_id = match self.read_account().await? {
            AccountReading::Read(id) | AccountReading::Named(id) => Some(id),
            AccountReading::Refused => None,
        };
        let livemode = match self.is_live().await {
            Ok(is_live) => Some(is_live),
            Err(StripeError::Refused { status: 403 | 404, .. }) => self.mode_of_key(),
            Err(error) => return Err(error),
        };
        Ok(AccountMark { account_id, livemode })
    }

    /// Reads the id of the key's account. A restricted key often may not read it.
    pub async fn read_account(&self) -> Result<AccountReading> {
        #[derive(Deserialize)]
        struct Account {
            id: String,
        }
        match self.get_unguarded::<Account>("account_get", &["account"]).await {
            Ok(account) => Ok(AccountReading::Read(account.id)),
            Err(StripeError::Refused { status: 403 | 404, message, .. }) => {
                Ok(named_account(&message).map_or(AccountReading::Refused, AccountReading::Named))
            }
            Err(error) => Err(error),
        }
    }

    /// Whether the key works with real money. The account has no mode, but its balance has.
    pub async fn is_live(&self) -> Result<bool> {
        #[derive(Deserialize)]
        struct Balance {
            livemode: bool,
        }
        let balance: Balance = self.get_unguarded("balance_get", &["balance"]).await?;
        Ok(balance.livemode)
    }

    /// Whether the product that marks an account exists.
    pub async fn has_marker(&self, id: &str) -> Result<bool> {
        let read = self.get_unguarded::<IgnoredAny>("product_get", &["products", id]).await;
        Ok(present(read)?.is_some())
    }

    /// Creates the product that marks an account; nobody can buy it.
    pub async fn create_marker(&self, id: &str) -> Result<()> {
        let params = Params::new()
            .set("id", id)
            .set("name", "Garimpo: marca desta conta, não apagar")
            .set("active", false)
            .set("metadata[garimpo]", "account_marker");
        let (name, method, path) = ("product_create", Method::POST, &["products"]);
        let call = Call { name, method, path, params, idempotency_key: Some(id) };
        self.send_unguarded::<IgnoredAny>(call, 1).await.map(drop)
    }

    /// Tries once, because the caller that waits for the guard repeats it.
    async fn get_unguarded<T: DeserializeOwned>(&self, name: &'static str, path: &[&str]) -> Result<T> {
        let (method, params) = (Method::GET, Params::new());
        self.send_unguarded(Call { name, method, path, params, idempotency_key: None }, 1).await
    }

    fn mode_of_key(&self) -> Option<bool> {
        match self.secret_key().split('_').nth(1) {
            Some("live") => Some(true),
            Some("test") => Some(false),
            _ => None,
        }
    }
}

/// The account in the text of a refusal.
fn named_account(message: &str) -> Option<String> {
    let (_, after) = message.split_once("acct_")?;
    let id: String = after.chars().take_while(char::is_ascii_alphanumeric).collect();
    (!id.is_empty()).then(|| format!("acct_{id}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_account_id_is_read_from_the_text_of_the_refusal() {
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
