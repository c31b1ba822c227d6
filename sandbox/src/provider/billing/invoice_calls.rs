//! Calls that change, pay and list invoices.

use serde_json::json;

use crate::objects::{Invoice, InvoiceStatus};
use crate::provider::billing::collection::{Attempt, Collected};
use crate::provider::billing::{collection, invoice_payments, invoices, pending_updates, subscriptions};
use crate::provider::{ApiError, Call, Listing, Params, Reply, customers, get, load};
use crate::state::{Document, Tx};

/// `POST /v1/invoices/{id}`: whether it is collected automatically, and its metadata.
pub async fn update(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    let mut invoice: Invoice = load(tx, id).await?;
    invoice.metadata = params.metadata(&invoice.metadata);
    tx.update(&invoice).await?;
    let Some(is_on) = params.boolean("auto_advance")? else { return Ok(invoice.document()) };
    let is_editable = matches!(invoice.status, InvoiceStatus::Draft | InvoiceStatus::Open);
    let message = "auto_advance can be changed on draft and open invoices only.";
    ensure!(is_editable, ApiError::state(Some("invoice_not_editable"), message));
    Ok(invoices::set_auto_advance(tx, invoice, is_on).await?.document())
}

/// `POST /v1/invoices/{id}/pay`: one more attempt, with a method of the caller's choice.
/// `paid_out_of_band` records money that the provider did not receive.
///
/// # Errors
/// 402 when the attempt is declined, with `invoice_payment_intent_requires_action` when the bank
/// wants the holder's authentication. 400 when the invoice is paid or void.
pub async fn pay(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    let mut invoice: Invoice = load(tx, id).await?;
    let off_session = params.boolean("off_session")?.unwrap_or(true);
    let is_out_of_band = params.boolean("paid_out_of_band")?.unwrap_or(false);
    let method = match params.text("payment_method").filter(|_| !is_out_of_band) {
        Some(method) => {
            let method = customers::own_method(tx, &invoice.customer, method, "payment_method").await?;
            Some(Box::new(method))
        }
        None => None,
    };
    match invoice.status {
        InvoiceStatus::Draft => drop(invoices::finalize(tx, &mut invoice, None).await?),
        InvoiceStatus::Open | InvoiceStatus::Uncollectible => {}
        InvoiceStatus::Paid => {
            return Err(ApiError::state(Some("invoice_already_paid"), "Invoice is already paid"));
        }
        InvoiceStatus::Void => {
            return Err(ApiError::state(Some("invoice_not_editable"), "This invoice cannot be paid."));
        }
    }
    if invoice.amount_remaining == 0 {
        invoices::mark_paid(tx, &mut invoice, false).await?;
        return Ok(invoice.document());
    }
    if is_out_of_band {
        let message = "You cannot pass payment_method with paid_out_of_band.";
        ensure!(!params.has("payment_method"), ApiError::param("payment_method", message));
        invoice_payments::cancel_open(tx, id, "automatic").await?;
        invoices::mark_paid_out_of_band(tx, &mut invoice).await?;
        pending_updates::apply_paid(tx, &invoice).await?;
        subscriptions::follow_latest_invoice(tx, &invoice.private.subscription).await?;
        return get(tx, "invoice", id).await;
    }
    match collection::attempt(tx, invoice, &Attempt::Manual { method, off_session }).await? {
        Collected::Paid | Collected::Waiting => get(tx, "invoice", id).await,
        Collected::Declined(mut why) => {
            if why.code() == "authentication_required" {
                why.error["code"] = json!("invoice_payment_intent_requires_action");
            }
            Err(why)
        }
    }
}

/// `GET /v1/invoices`.
pub async fn list(tx: &mut Tx, call: &Call<'_>) -> Reply {
    customers::check_listed(tx, call).await?;
    Listing::of("invoice")
        .by(&["customer", "status"])
        .is(Invoice::SUBSCRIPTION, call.params.text("subscription"))
        .without_test_clocks(call, &["customer", "subscription"])
        .run(tx, call)
        .await
}
