//! The account of the key.

use serde::Serialize;

use crate::control::behavior::KeyReads;
use crate::provider::Reply;
use crate::provider::error::ApiError;
use crate::state::store::Tx;

/// The account of every sandbox: an empty database is the same account without its data.
const ACCOUNT_ID: &str = "acct_1GarimpoSandbox";
/// Another account, for a key that was mixed up.
const OTHER_ACCOUNT_ID: &str = "acct_1OutraConta";

/// `account`, as far as an own account shows itself.
#[derive(Debug, Serialize)]
pub struct Account {
    id: &'static str,
    object: &'static str,
    country: &'static str,
    default_currency: &'static str,
    charges_enabled: bool,
    payouts_enabled: bool,
    details_submitted: bool,
    #[serde(rename = "type")]
    kind: &'static str,
}

/// `GET /v1/account`.
pub fn retrieve(tx: &Tx) -> Reply {
    let id = if tx.behavior.other_account { OTHER_ACCOUNT_ID } else { ACCOUNT_ID };
    match tx.behavior.key_reads {
        KeyReads::Everything => {}
        KeyReads::AccountRefusedByName => {
            return Err(ApiError::forbidden(format!(
                "The provided key 'rk_test_*********garimpo' does not have the required permissions for this endpoint on \
                 account '{id}'. Having the 'rak_accounts_kyc_basic_read' permission would allow this request to continue."
            )));
        }
        KeyReads::AccountRefused | KeyReads::AccountAndBalanceRefused => {
            return Err(ApiError::forbidden(
                "The provided key does not have the required permissions.".to_owned(),
            ));
        }
    }
    let account = Account {
        id,
        object: "account",
        country: "BR",
        default_currency: "brl",
        charges_enabled: true,
        payouts_enabled: true,
        details_submitted: true,
        kind: "standard",
    };
    Ok(serde_json::to_value(account).expect("an account is JSON"))
}
