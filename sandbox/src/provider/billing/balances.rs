//! What a customer's balance is told by hand, and notes that take something off an open invoice.

use serde_json::{Value, json};

use crate::provider::billing::{invoice_payments, invoices, subscriptions};
use crate::provider::catalog::get_param;
use crate::provider::error::ApiError;
use crate::provider::listing::list;
use crate::provider::params::Params;
use crate::provider::{Call, Reply, customers, events};
use crate::state::ids;
use crate::state::store::{Tx, number, text};

/// `POST /v1/customers/{id}/balance_transactions`: a positive amount is owed from now on, a negative one is credit.
pub async fn adjust(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    params.only(&["amount", "currency", "description", "metadata"])?;
    let customer = customers::live(tx, id, "id").await?;
    let amount = params.integer("amount")?.ok_or_else(|| ApiError::missing("amount"))?;
    let ending = number(&customer, "balance") + amount;
    let doc = json!({
        "id": ids::new("cbtxn"), "object": "customer_balance_transaction", "amount": amount,
        "created": tx.now.seconds(), "currency": params.required("currency")?, "customer": id,
        "description": params.text("description"), "ending_balance": ending, "invoice": null, "livemode": false,
        "metadata": params.metadata("metadata", None), "type": "adjustment",
    });
    tx.insert(&doc).await?;
    customers::set_balance(tx, customer, ending).await?;
    Ok(doc)
}

/// `GET /v1/customers/{id}/balance_transactions`: those made by hand; what invoices took stands on the invoices.
pub async fn all(tx: &mut Tx, call: &Call<'_>, id: &str) -> Reply {
    customers::live(tx, id, "id").await?;
    let of_customer = ("customer", vec![id.to_owned()]);
    list(tx, call, "customer_balance_transaction", &[], &[of_customer]).await
}

/// `POST /v1/credit_notes`: asks for less than an open invoice did; once nothing of it is left, it is paid.
pub async fn note(tx: &mut Tx, params: &Params) -> Reply {
    params.only(&["invoice", "amount", "memo", "reason", "metadata", "email_type"])?;
    let mut invoice = get_param(tx, "invoice", params.required("invoice")?, "invoice").await?;
    let amount = params.integer("amount")?.ok_or_else(|| ApiError::missing("amount"))?;
    if invoice["status"] != "open" {
        // The provider lets money or credit go back here, which nobody of ours asks for.
        return Err(ApiError::state(None, "Only open invoices can be credited in this environment."));
    }
    let left = number(&invoice, "amount_remaining") - amount;
    if amount < 1 || left < 0 {
        let message = "The credit note amount must be between 1 and what remains of the invoice.";
        return Err(ApiError::invalid(Some("amount"), None, message));
    }
    let noted = number(&invoice, "pre_payment_credit_notes_amount") + amount;
    invoice["pre_payment_credit_notes_amount"] = json!(noted);
    invoice["amount_due"] = json!(number(&invoice, "amount_due") - amount);
    invoice["amount_remaining"] = json!(left);
    tx.update(&invoice).await?;
    invoice_payments::follow_amount(tx, &invoice).await?;
    let doc = written(tx, params, &invoice, amount);
    tx.insert(&doc).await?;
    events::emit(tx, "credit_note.created", &doc, None).await?;
    if left == 0 {
        settled(tx, &mut invoice).await?;
    }
    Ok(doc)
}

fn written(tx: &Tx, params: &Params, invoice: &Value, amount: i64) -> Value {
    let id = ids::new("cn");
    json!({
        "id": id, "object": "credit_note", "amount": amount, "created": tx.now.seconds(),
        "currency": invoice["currency"], "customer": invoice["customer"], "effective_at": tx.now.seconds(),
        "invoice": invoice["id"],
        "lines": {"object": "list", "data": [], "has_more": false, "url": format!("/v1/credit_notes/{id}/lines")},
        "livemode": false, "memo": params.text("memo"), "metadata": params.metadata("metadata", None),
        "number": format!("{}-CN-01", text(invoice, "number")), "pdf": invoice["invoice_pdf"],
        "post_payment_amount": 0, "pre_payment_amount": amount, "reason": params.text("reason"),
        "status": "issued", "subtotal": amount, "subtotal_excluding_tax": amount, "total": amount,
        "total_excluding_tax": amount, "type": "pre_payment",
    })
}

/// Nothing of an open invoice is left to be paid.
async fn settled(tx: &mut Tx, invoice: &mut Value) -> Result<(), ApiError> {
    invoice_payments::cancel_open(tx, text(invoice, "id"), "automatic").await?;
    invoices::mark_paid(tx, invoice, false).await?;
    subscriptions::follow_latest_invoice(tx, text(invoice, "_subscription")).await
}
