//! Changes of a customer's balance by a call, and credit notes for open invoices.

use serde_json::{Value, json};

use crate::objects::{Invoice, InvoiceStatus, template};
use crate::provider::billing::{invoice_payments, invoices, subscriptions};
use crate::provider::{ApiError, Call, Listing, Params, Reply, customers, events, load_param};
use crate::state::{Tx, ids, number};

/// `POST /v1/customers/{id}/balance_transactions`: a positive amount is a debt, a negative one is
/// credit.
pub async fn adjust(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    let customer = customers::live(tx, id, "id").await?;
    let amount = params.integer("amount")?.ok_or_else(|| ApiError::missing("amount"))?;
    let ending = number(&customer, "balance") + amount;
    let given = json!({
        "id": ids::new("cbtxn"), "amount": amount, "created": tx.now.seconds(),
        "currency": params.required("currency")?, "customer": id, "description": params.text("description"),
        "ending_balance": ending, "metadata": params.metadata_of(&Value::Null),
    });
    let doc = template("customer_balance_transaction", given);
    tx.insert(&doc).await?;
    customers::set_balance(tx, customer, ending).await?;
    Ok(doc)
}

/// `GET /v1/customers/{id}/balance_transactions`: those made by a call. Invoices have their own
/// fields.
pub async fn list(tx: &mut Tx, call: &Call<'_>, id: &str) -> Reply {
    customers::live(tx, id, "id").await?;
    Listing::of("customer_balance_transaction").is("customer", Some(id)).run(tx, call).await
}

/// `POST /v1/credit_notes`: lowers the amount of an open invoice. An invoice without a rest is
/// paid.
pub async fn credit_note(tx: &mut Tx, params: &Params) -> Reply {
    let mut invoice: Invoice = load_param(tx, params.required("invoice")?, "invoice").await?;
    // The sandbox sends no mails of the provider.
    let email_type = params.text("email_type").unwrap_or("credit_note");
    let message = "Invalid email_type: must be one of credit_note or none";
    ensure!(["credit_note", "none"].contains(&email_type), ApiError::param("email_type", message));
    let amount = params.integer("amount")?.ok_or_else(|| ApiError::missing("amount"))?;
    // The provider can also return money or credit here, which the product does not use.
    let message = "Only open invoices can be credited in this environment.";
    ensure!(invoice.status == InvoiceStatus::Open, ApiError::state(None, message));
    let left = invoice.amount_remaining - amount;
    let message = "The credit note amount must be between 1 and what remains of the invoice.";
    ensure!(amount >= 1 && left >= 0, ApiError::param("amount", message));
    invoice.pre_payment_credit_notes_amount += amount;
    invoice.amount_due -= amount;
    invoice.amount_remaining = left;
    tx.update(&invoice).await?;
    invoice_payments::follow_amount(tx, &invoice).await?;
    let doc = document(tx, params, &invoice, amount);
    events::insert(tx, "credit_note.created", &doc).await?;
    if left == 0 {
        invoice_payments::cancel_open(tx, &invoice.id, "automatic").await?;
        invoices::mark_paid(tx, &mut invoice, false).await?;
        subscriptions::follow_latest_invoice(tx, &invoice.private.subscription).await?;
    }
    Ok(doc)
}

fn document(tx: &Tx, params: &Params, invoice: &Invoice, amount: i64) -> Value {
    let id = ids::new("cn");
    let now = tx.now.seconds();
    let given = json!({
        "id": id, "amount": amount, "created": now, "currency": invoice.currency, "customer": invoice.customer,
        "effective_at": now, "invoice": invoice.id, "lines": {"url": format!("/v1/credit_notes/{id}/lines")},
        "memo": params.text("memo"), "metadata": params.metadata_of(&Value::Null),
        "number": format!("{}-CN-01", invoice.number.as_deref().unwrap_or_default()),
        "pdf": invoice.invoice_pdf, "pre_payment_amount": amount, "reason": params.text("reason"),
        "subtotal": amount, "subtotal_excluding_tax": amount, "total": amount, "total_excluding_tax": amount,
    });
    template("credit_note", given)
}
