//! The balance of the account.

use serde::Serialize;

use crate::control::behavior::KeyReads;
use crate::provider::Reply;
use crate::provider::error::ApiError;
use crate::state::store::Tx;

/// `balance`. The sandbox pays nothing out, so both amounts are zero.
#[derive(Debug, Serialize)]
pub struct Balance {
    object: &'static str,
    available: [Amount; 1],
    pending: [Amount; 1],
    livemode: bool,
}

/// An amount of one currency.
#[derive(Debug, Serialize)]
struct Amount {
    amount: i64,
    currency: &'static str,
}

/// `GET /v1/balance`.
pub fn retrieve(tx: &Tx) -> Reply {
    if tx.behavior.key_reads == KeyReads::AccountAndBalanceRefused {
        return Err(ApiError::forbidden(
            "The provided key does not have the required permissions.".to_owned(),
        ));
    }
    let none = || [Amount { amount: 0, currency: "brl" }];
    let balance = Balance { object: "balance", available: none(), pending: none(), livemode: false };
    Ok(serde_json::to_value(balance).expect("a balance is JSON"))
}
