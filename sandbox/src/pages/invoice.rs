//! The page of an invoice (`hosted_invoice_url`).

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::Value;

use crate::guard::Frames;
use crate::moment::Moment;
use crate::pages::html::{Page, back_to, band, escape, failed, missing};
use crate::payments::amounts::reais;
use crate::payments::error::ApiError;
use crate::store::{number, text};
use crate::world::World;

/// The invoice's page.
pub fn routes() -> Router<Arc<World>> {
    Router::new().route("/invoices/{token}", get(show)).route(
        "/invoices/{token}/pdf",
        get(|Path(token): Path<String>| async move { back_to(&format!("/invoices/{token}")) }),
    )
}

async fn show(State(world): State<Arc<World>>, Path(token): Path<String>) -> Response {
    let found = async {
        let mut tx = world.read().await?;
        let Some(invoice) = tx.find_by("invoice", "_page", &token).await?.into_iter().next() else {
            return Ok(None);
        };
        let intents = tx.find_by("payment_intent", "_invoice", text(&invoice, "id")).await?;
        let voucher = intents.into_iter().find(|intent| intent["status"] == "requires_action");
        Ok::<_, ApiError>(Some((invoice, voucher)))
    };
    match found.await {
        Ok(Some((invoice, voucher))) => page(&invoice, voucher.as_ref()),
        Ok(None) => missing(),
        Err(error) => failed(&error),
    }
}

/// An invoice's state, as people read it.
pub fn state_in_words(invoice: &Value) -> &'static str {
    match text(invoice, "status") {
        "paid" => "Paga",
        "open" => "Em aberto",
        "void" => "Anulada",
        "draft" => "Em preparo",
        _ => "Não recebida",
    }
}

fn page(invoice: &Value, voucher: Option<&Value>) -> Response {
    let link = voucher
        .map(|intent| text(&intent["next_action"]["boleto_display_details"], "hosted_voucher_url"))
        .map(|url| format!(r#"<p><a class="primary" href="{}">Ver boleto</a></p>"#, escape(url)))
        .unwrap_or_default();
    let body = format!(
        r#"{band}<main class="sheet"><h1>Fatura {number}</h1><p class="state {class}">{state}</p>
<dl class="facts"><div><dt>Valor</dt><dd>{total}</dd></div><div><dt>Emitida em</dt><dd>{date}</dd></div>
<div><dt>Cliente</dt><dd>{customer}</dd></div></dl>{link}</main>"#,
        band = band("Fatura"),
        number = escape(text(invoice, "number")),
        class = if invoice["status"] == "paid" { "paid" } else { "waiting" },
        state = state_in_words(invoice),
        total = reais(number(invoice, "total")),
        date = Moment::from_seconds(number(invoice, "created")).date_br(),
        customer = escape(text(invoice, "customer_email")),
    );
    Page { title: "Fatura", layout: "alone", script: None, body: &body, frames: Frames::Nobody }
        .into_response()
}
