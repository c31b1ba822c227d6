//! The page of an invoice (`hosted_invoice_url`): what was bought, what it cost and how it was paid, to be read
//! and to be printed.

use std::fmt::Write;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::Value;

use crate::control::guard::Frames;
use crate::objects::charge::Charge;
use crate::pages::html::{Page, back_to, band, escape, failed, missing, site_of};
use crate::provider::checkout::amounts::{interval_in_words, reais};
use crate::provider::error::ApiError;
use crate::state::moment::Moment;
use crate::state::store::{Tx, number, text};
use crate::state::world::World;

/// The invoice's page.
pub fn routes() -> Router<Arc<World>> {
    Router::new().route("/invoices/{token}", get(show)).route(
        "/invoices/{token}/pdf",
        get(|Path(token): Path<String>| async move { back_to(&format!("/invoices/{token}")) }),
    )
}

/// An invoice with what its page tells besides.
struct Receipt {
    invoice: Value,
    /// What, its terms, how much.
    lines: Vec<(String, String, i64)>,
    /// Name and amount of each discount.
    discounts: Vec<(String, i64)>,
    /// How it was paid, or is to be.
    method: String,
    refunded: i64,
    voucher_url: String,
    site: Option<String>,
}

async fn show(State(world): State<Arc<World>>, Path(token): Path<String>) -> Response {
    let found = async {
        let mut tx = world.read().await?;
        match tx.find_by("invoice", "_page", &token).await?.into_iter().next() {
            Some(invoice) => receipt(&mut tx, invoice).await.map(Some),
            None => Ok(None),
        }
    };
    match found.await {
        Ok(Some(receipt)) => page(&receipt),
        Ok(None) => missing(),
        Err(error) => failed(&error),
    }
}

async fn receipt(tx: &mut Tx, invoice: Value) -> Result<Receipt, ApiError> {
    let subscription = tx.find(text(&invoice, "_subscription")).await?.unwrap_or_default();
    let mut intents = tx.find_by("payment_intent", "_invoice", text(&invoice, "id")).await?;
    intents.retain(|intent| matches!(text(intent, "status"), "succeeded" | "requires_action"));
    let intent = intents.into_iter().next().unwrap_or_default();
    let method = match intent["payment_method"].as_str() {
        Some(id) => tx.find(id).await?.unwrap_or_default(),
        None => Value::Null,
    };
    let charges: Vec<Charge> = tx.load_by("payment_intent", text(&intent, "id")).await?;
    let waits = intent["status"] == "requires_action" && invoice["status"] == "open";
    let details = &intent["next_action"]["boleto_display_details"];
    Ok(Receipt {
        lines: lines(tx, &invoice).await?,
        discounts: discounts(tx, &invoice).await?,
        method: method_in_words(&method),
        refunded: charges.iter().map(|charge| charge.amount_refunded).sum(),
        voucher_url: if waits { text(details, "hosted_voucher_url").to_owned() } else { String::new() },
        site: site_of(text(&subscription, "_return_url")),
        invoice,
    })
}

async fn lines(tx: &mut Tx, invoice: &Value) -> Result<Vec<(String, String, i64)>, ApiError> {
    let mut lines = Vec::new();
    for line in invoice["lines"]["data"].as_array().into_iter().flatten() {
        let details = &line["pricing"]["price_details"];
        let product = tx.find(text(details, "product")).await?.unwrap_or_default();
        let price = tx.find(text(details, "price")).await?.unwrap_or_default();
        let day = |name: &str| Moment::from_seconds(number(&line["period"], name)).date_br();
        let parent = text(&line["parent"], "type");
        let period = format!("{} a {}", day("start"), day("end"));
        // A line of a plan change says in its own words what it takes or gives back.
        let (what, terms) = match product["name"].as_str() {
            Some(name) if line["parent"][parent]["proration"] != true => {
                (name, format!("{}, de {period}", interval_in_words(&price["recurring"])))
            }
            _ => (text(line, "description"), period),
        };
        lines.push((what.to_owned(), terms, number(line, "amount")));
    }
    Ok(lines)
}

async fn discounts(tx: &mut Tx, invoice: &Value) -> Result<Vec<(String, i64)>, ApiError> {
    let mut discounts = Vec::new();
    for taken in invoice["total_discount_amounts"].as_array().into_iter().flatten() {
        let discount = tx.find(text(taken, "discount")).await?.unwrap_or_default();
        let id = text(&discount["source"], "coupon");
        let coupon = tx.find(id).await?.unwrap_or_default();
        let name = coupon["name"].as_str().unwrap_or(id).to_owned();
        discounts.push((name, number(taken, "amount")));
    }
    Ok(discounts)
}

fn method_in_words(method: &Value) -> String {
    match text(method, "type") {
        "boleto" => "Boleto".to_owned(),
        "card" => {
            let brand = text(&method["card"], "brand");
            let (first, rest) = brand.split_at(brand.len().min(1));
            format!("Cartão {}{rest} final {}", first.to_uppercase(), text(&method["card"], "last4"))
        }
        _ => String::new(),
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

fn fact(name: &str, value: &str) -> String {
    if value.is_empty() {
        return String::new();
    }
    format!("<div><dt>{name}</dt><dd>{}</dd></div>", escape(value))
}

fn sums(receipt: &Receipt) -> String {
    let invoice = &receipt.invoice;
    let (total, due) = (number(invoice, "total"), number(invoice, "amount_due"));
    let mut rows = fact("Subtotal", &reais(number(invoice, "subtotal")));
    for (name, amount) in &receipt.discounts {
        rows += &fact(&format!("Desconto {}", escape(name)), &reais(-amount));
    }
    let later = number(invoice, "pre_payment_credit_notes_amount");
    let credit = total.max(0) - due - later;
    if credit > 0 || later > 0 {
        rows += &fact("Total", &reais(total));
    }
    for (name, less) in [("Crédito usado", credit), ("Fica para a próxima fatura", later)] {
        if less > 0 {
            rows += &fact(name, &reais(-less));
        }
    }
    let last = match text(invoice, "status") {
        "paid" => "Total pago",
        "open" => "Total a pagar",
        _ => "Total",
    };
    let shown = if total < 0 { total } else { due };
    let _ = write!(rows, r#"<div class="sum"><dt>{last}</dt><dd>{}</dd></div>"#, reais(shown));
    if total < 0 {
        rows += &fact("Fica de crédito", &reais(-total));
    }
    if receipt.refunded > 0 {
        rows += &fact("Reembolsado", &reais(receipt.refunded));
    }
    rows
}

fn page(receipt: &Receipt) -> Response {
    let invoice = &receipt.invoice;
    let moment = |seconds: &Value| seconds.as_i64().map(|at| Moment::from_seconds(at).date_time_br());
    let transitions = &invoice["status_transitions"];
    let issued = moment(&transitions["finalized_at"]).or_else(|| moment(&invoice["created"]));
    let is_paid = invoice["status"] == "paid";
    let mut lines = String::new();
    for (what, terms, amount) in &receipt.lines {
        let _ = write!(
            lines,
            "<div><dt>{}<small>{}</small></dt><dd>{}</dd></div>",
            escape(what),
            escape(terms),
            reais(*amount)
        );
    }
    let voucher = if receipt.voucher_url.is_empty() {
        String::new()
    } else {
        format!(r#"<a class="primary" href="{}">Ver boleto</a>"#, escape(&receipt.voucher_url))
    };
    let back = receipt.site.as_deref().map_or_else(String::new, |site| {
        format!(r#"<a class="secondary" href="{}/area-usuario">Voltar ao site</a>"#, escape(site))
    });
    let title = format!("{} {}", if is_paid { "Recibo" } else { "Fatura" }, text(invoice, "number"));
    let body = format!(
        r#"{band}<main class="sheet receipt"><header><div><h1>{title}</h1><p class="quiet">Garimpo (ambiente de testes)</p></div><p class="stamp {class}">{state}</p></header>
<p class="grand">{due}</p>
<dl class="facts">{number}{issued}{paid}{customer}{email}{method}</dl>
<section aria-label="O que foi cobrado"><dl class="facts bill">{lines}</dl><dl class="facts bill">{sums}</dl></section>
<div class="actions">{voucher}<button class="secondary" type="button" data-print>Imprimir ou salvar em PDF</button>{back}</div>
<p class="quiet">Documento do ambiente de testes, sem valor fiscal: nenhum dinheiro mudou de mãos.</p></main>"#,
        band = band("Fatura"),
        title = escape(&title),
        class = if is_paid { "paid" } else { "waiting" },
        state = state_in_words(invoice),
        due = reais(number(invoice, if is_paid { "amount_paid" } else { "amount_due" })),
        number = fact("Número", text(invoice, "number")),
        issued = fact("Emitida em", &issued.unwrap_or_default()),
        paid = fact("Paga em", &moment(&transitions["paid_at"]).unwrap_or_default()),
        customer = fact("Cliente", text(invoice, "customer_name")),
        email = fact("E-mail", text(invoice, "customer_email")),
        method = fact("Forma de pagamento", &receipt.method),
        sums = sums(receipt),
    );
    Page {
        title: &title,
        layout: "alone",
        script: Some("/assets/page.js"),
        body: &body,
        frames: Frames::Nobody,
    }
    .into_response()
}
