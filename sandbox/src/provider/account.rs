//! The account of the key, and its balance.

use serde_json::json;

use crate::provider::{ApiError, Reply};
use crate::state::Tx;
use crate::state::behavior::KeyReads;

/// The account of every sandbox: an empty database is the same account without its data.
const ACCOUNT_ID: &str = "acct_1GarimpoSandbox";
/// The account of a key that was mixed up.
const OTHER_ACCOUNT_ID: &str = "acct_1OutraConta";

/// `GET /v1/account`.
pub fn retrieve(tx: &Tx) -> Reply {
    let id = if tx.behavior.other_account { OTHER_ACCOUNT_ID } else { ACCOUNT_ID };
    match tx.behavior.key_reads {
        KeyReads::Everything => Ok(json!({
            "id": id, "object": "account", "charges_enabled": true, "country": "BR", "default_currency": "brl",
            "details_submitted": true, "email": null, "payouts_enabled": true, "type": "standard",
        })),
        KeyReads::AccountRefusedByName => Err(ApiError::forbidden(format!(
            "The provided key 'rk_test_*********garimpo' does not have the required permissions for this \
             endpoint on account '{id}'. Having the 'rak_accounts_kyc_basic_read' permission would allow \
             this request to continue."
        ))),
        KeyReads::AccountRefused | KeyReads::AccountAndBalanceRefused => Err(refused()),
    }
}

/// `GET /v1/balance`. The sandbox pays nothing out, so both amounts are zero.
pub fn balance(tx: &Tx) -> Reply {
    ensure!(tx.behavior.key_reads != KeyReads::AccountAndBalanceRefused, refused());
    let none = json!([{"amount": 0, "currency": "brl"}]);
    Ok(json!({"object": "balance", "available": none, "livemode": false, "pending": none}))
}

fn refused() -> ApiError {
    ApiError::forbidden("The provided key does not have the required permissions.")
}
