//! Authentication of a payment by the holder of the card, in the browser.

use crate::objects::{Invoice, PaymentIntent, PaymentIntentStatus, PaymentMethod};
use crate::provider::billing::collection;
use crate::provider::money::cards::{Challenge, Verdict, authenticated_charge};
use crate::provider::money::intents;
use crate::provider::{ApiError, events, load};
use crate::state::Tx;

const CODE: Option<&str> = Some("payment_intent_unexpected_state");

/// Checks that the payer can authenticate a payment of an invoice now.
///
/// # Errors
/// `payment_intent_unexpected_state` when it is paid, canceled or waits for a voucher.
pub fn check(intent: &PaymentIntent) -> Result<(), ApiError> {
    let is_waiting = match intent.status {
        PaymentIntentStatus::RequiresAction => intent.open_voucher().is_none(),
        status => status == PaymentIntentStatus::RequiresPaymentMethod,
    };
    if is_waiting && intent.private.invoice.is_some() {
        return Ok(());
    }
    Err(ApiError::state(CODE, "You cannot confirm this PaymentIntent because of its status."))
}

/// Confirms a payment that passed [`check`], with the holder's answer to the bank. Returns the
/// decline, if any.
pub async fn authenticate(
    tx: &mut Tx,
    mut intent: PaymentIntent,
    method: Option<&str>,
    challenge: Challenge,
) -> Result<Option<ApiError>, ApiError> {
    let id = method.or(intent.payment_method.as_deref()).unwrap_or_default();
    let method: Option<PaymentMethod> = tx.load(id).await?;
    let message = "You cannot confirm this PaymentIntent because it's missing a payment method.";
    let method = method.filter(|method| method.customer == intent.customer);
    let method = method.ok_or_else(|| ApiError::state(CODE, message))?;
    let mut invoice: Invoice = load(tx, intent.private.invoice.as_deref().unwrap_or_default()).await?;
    match authenticated_charge(&method.private.number, challenge) {
        Verdict::Declined(why) => {
            intents::decline(tx, &mut intent, &method, &why).await?;
            events::emit(tx, "invoice.payment_failed", &invoice).await?;
            Ok(Some(why))
        }
        Verdict::Paid | Verdict::Challenge => {
            collection::pay(tx, &mut intent, &mut invoice, &method).await?;
            Ok(None)
        }
    }
}
