//! A new card of a customer, stored by the portal.

use serde_json::json;

use crate::objects::{Invoice, InvoiceStatus, Subscription, SubscriptionStatus};
use crate::provider::billing::collection::{Attempt, Collected};
use crate::provider::billing::{collection, subscriptions};
use crate::provider::money::cards::Card;
use crate::provider::money::payment_methods;
use crate::provider::{ApiError, customers, events};
use crate::state::Tx;
use crate::state::behavior::PortalCard;

/// Stores a new card where `portal_card` says, and pays open invoices with it if
/// `portal_pays_open_invoices` is on. Returns whether no such payment was declined.
///
/// The invoice of a pending update is not paid: the provider documents a payment after a new card
/// for `past_due` subscriptions alone, and a pending update leaves its subscription `active`.
pub async fn replace(tx: &mut Tx, customer_id: &str, card: &Card) -> Result<bool, ApiError> {
    let before = customers::live(tx, customer_id, "customer").await?;
    let method = payment_methods::save_card(tx, &before, card).await?;
    events::emit(tx, "payment_method.attached", &method).await?;
    let mut customer = before.clone();
    customer["invoice_settings"]["default_payment_method"] = json!(method.id);
    events::update(tx, "customer.updated", &before, &customer).await?;
    let mut is_paid = true;
    for before in tx.load_by::<Subscription>("customer", customer_id).await? {
        if before.is_over() || before.status == SubscriptionStatus::Incomplete {
            continue;
        }
        if tx.behavior.portal_card == PortalCard::CustomerAndSubscriptions {
            let after = Subscription { default_payment_method: Some(method.id.clone()), ..before.clone() };
            subscriptions::save(tx, &before, &after).await?;
        }
        if !tx.behavior.portal_pays_open_invoices {
            continue;
        }
        for invoice in tx.load_by::<Invoice>(Invoice::SUBSCRIPTION, &before.id).await? {
            let is_held = before.private.held.as_ref().is_some_and(|held| held.invoice == invoice.id);
            if invoice.status == InvoiceStatus::Open && !is_held {
                let by = Attempt::Manual { method: Some(Box::new(method.clone())), off_session: false };
                is_paid &= matches!(collection::attempt(tx, invoice, &by).await?, Collected::Paid);
            }
        }
    }
    Ok(is_paid)
}
