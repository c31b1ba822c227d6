//! The page of an invoice (`hosted_invoice_url`), to be read and to be printed: what was bought,
//! its price, and how it was paid.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::{Markup, html};

use crate::objects::{
    Charge, Discount, Invoice, InvoiceStatus, PaymentIntent, PaymentIntentStatus, PaymentMethod, Subscription,
};
use crate::pages::html::{Failed, Page, back_link, back_to, fact, missing};
use crate::provider::ApiError;
use crate::provider::amounts::{interval_in_words, reais};
use crate::state::{Moment, Tx, World, text};

pub fn routes() -> Router<Arc<World>> {
    Router::new().route("/invoices/{token}", get(show)).route(
        "/invoices/{token}/pdf",
        get(|Path(token): Path<String>| async move { back_to(&format!("/invoices/{token}")) }),
    )
}

/// An invoice with what its page shows besides.
struct Receipt {
    invoice: Invoice,
    /// What, its terms, the amount.
    lines: Vec<(String, String, i64)>,
    /// Name and amount of each discount.
    discounts: Vec<(String, i64)>,
    /// The payment method in words.
    method: String,
    refunded: i64,
    voucher_url: Option<String>,
    return_url: Option<String>,
}

async fn show(State(world): State<Arc<World>>, Path(token): Path<String>) -> Result<Response, Failed> {
    let mut tx = world.read().await?;
    let invoices: Vec<Invoice> = tx.load_by_private("page", &token).await?;
    match invoices.into_iter().next() {
        Some(invoice) => Ok(page(&receipt(&mut tx, invoice).await?).into_response()),
        None => Ok(missing()),
    }
}

async fn receipt(tx: &mut Tx, invoice: Invoice) -> Result<Receipt, ApiError> {
    use PaymentIntentStatus::{RequiresAction, Succeeded};
    let subscription: Option<Subscription> = tx.load(&invoice.private.subscription).await?;
    let intents: Vec<PaymentIntent> = tx.load_by_private("invoice", &invoice.id).await?;
    let intent = intents.into_iter().find(|intent| matches!(intent.status, Succeeded | RequiresAction));
    let method = intent.as_ref().and_then(|intent| intent.payment_method.as_deref()).unwrap_or_default();
    let method: Option<PaymentMethod> = tx.load(method).await?;
    let charges: Vec<Charge> = match &intent {
        Some(intent) => tx.load_by("payment_intent", &intent.id).await?,
        None => Vec::new(),
    };
    let is_open = invoice.status == InvoiceStatus::Open;
    let voucher = intent.as_ref().filter(|_| is_open).and_then(PaymentIntent::open_voucher);
    Ok(Receipt {
        lines: lines(tx, &invoice).await?,
        discounts: discounts(tx, &invoice).await?,
        method: method.as_ref().map(method_in_words).unwrap_or_default(),
        refunded: charges.iter().map(|charge| charge.amount_refunded).sum(),
        voucher_url: voucher.map(|voucher| voucher.hosted_voucher_url.clone()),
        return_url: subscription.and_then(|subscription| subscription.private.return_url),
        invoice,
    })
}

async fn lines(tx: &mut Tx, invoice: &Invoice) -> Result<Vec<(String, String, i64)>, ApiError> {
    let mut lines = Vec::new();
    for line in &invoice.lines.data {
        let details = &line.pricing.price_details;
        let product = tx.find(&details.product).await?.unwrap_or_default();
        let price = tx.find(&details.price).await?.unwrap_or_default();
        let day = |seconds| Moment::from_seconds(seconds).date_br();
        let period = format!("{} a {}", day(line.period.start), day(line.period.end));
        // The description of a proration says what the line charges or credits.
        let (what, terms) = match product["name"].as_str() {
            Some(name) if !line.is_proration() => {
                (name, format!("{}, de {period}", interval_in_words(&price["recurring"])))
            }
            _ => (line.description.as_str(), period),
        };
        lines.push((what.to_owned(), terms, line.amount));
    }
    Ok(lines)
}

async fn discounts(tx: &mut Tx, invoice: &Invoice) -> Result<Vec<(String, i64)>, ApiError> {
    let mut discounts = Vec::new();
    for taken in &invoice.total_discount_amounts {
        let discount: Option<Discount> = tx.load(&taken.discount).await?;
        let id = discount.map(|discount| discount.source.coupon).unwrap_or_default();
        let coupon = tx.find(&id).await?.unwrap_or_default();
        discounts.push((coupon["name"].as_str().unwrap_or(&id).to_owned(), taken.amount));
    }
    Ok(discounts)
}

fn method_in_words(method: &PaymentMethod) -> String {
    let Some(card) = &method.card else { return "Boleto".to_owned() };
    let (first, rest) = text(card, "brand").split_at(1);
    format!("Cartão {}{rest} final {}", first.to_uppercase(), text(card, "last4"))
}

pub fn status_in_words(status: InvoiceStatus) -> &'static str {
    match status {
        InvoiceStatus::Paid => "Paga",
        InvoiceStatus::Open => "Em aberto",
        InvoiceStatus::Void => "Anulada",
        InvoiceStatus::Draft => "Em preparo",
        InvoiceStatus::Uncollectible => "Não recebida",
    }
}

fn sums(receipt: &Receipt) -> Markup {
    let invoice = &receipt.invoice;
    let (total, due) = (invoice.total, invoice.amount_due);
    let later = invoice.pre_payment_credit_notes_amount;
    let credit = total.max(0) - due - later;
    let sum = match invoice.status {
        InvoiceStatus::Paid => "Total pago",
        InvoiceStatus::Open => "Total a pagar",
        _ => "Total",
    };
    html! {
        (fact("Subtotal", &reais(invoice.subtotal)))
        @for (name, amount) in &receipt.discounts { (fact(&format!("Desconto {name}"), &reais(-amount))) }
        @if credit > 0 || later > 0 { (fact("Total", &reais(total))) }
        @if credit > 0 { (fact("Crédito usado", &reais(-credit))) }
        @if later > 0 { (fact("Fica para a próxima fatura", &reais(-later))) }
        div.sum { dt { (sum) } dd { (reais(if total < 0 { total } else { due })) } }
        @if total < 0 { (fact("Fica de crédito", &reais(-total))) }
        @if receipt.refunded > 0 { (fact("Reembolsado", &reais(receipt.refunded))) }
    }
}

fn page(receipt: &Receipt) -> Page {
    let invoice = &receipt.invoice;
    let moment =
        |seconds: Option<i64>| seconds.map(|at| Moment::from_seconds(at).date_time_br()).unwrap_or_default();
    let transitions = &invoice.status_transitions;
    let is_paid = invoice.status == InvoiceStatus::Paid;
    let number = invoice.number.as_deref().unwrap_or_default();
    let title = format!("{} {number}", if is_paid { "Recibo" } else { "Fatura" });
    let body = html! {
        main.sheet.receipt {
            header {
                div { h1 { (title) } p.quiet { "Garimpo (ambiente de testes)" } }
                p.stamp.(if is_paid { "paid" } else { "waiting" }) { (status_in_words(invoice.status)) }
            }
            p.grand { (reais(if is_paid { invoice.amount_paid } else { invoice.amount_due })) }
            dl.facts {
                (fact("Número", number))
                (fact("Emitida em", &moment(transitions.finalized_at.or(Some(invoice.created)))))
                (fact("Paga em", &moment(transitions.paid_at)))
                (fact("Cliente", invoice.customer_name.as_deref().unwrap_or_default()))
                (fact("E-mail", invoice.customer_email.as_deref().unwrap_or_default()))
                (fact("Forma de pagamento", &receipt.method))
            }
            section aria-label="O que foi cobrado" {
                dl.facts.bill {
                    @for (what, terms, amount) in &receipt.lines {
                        div { dt { (what) small { (terms) } } dd { (reais(*amount)) } }
                    }
                }
                dl.facts.bill { (sums(receipt)) }
            }
            div.actions {
                @if let Some(url) = &receipt.voucher_url { a.primary href=(url) { "Ver boleto" } }
                button.secondary type="button" data-print { "Imprimir ou salvar em PDF" }
                (back_link(receipt.return_url.as_deref()))
            }
            p.quiet { "Documento do ambiente de testes, sem valor fiscal: nenhum dinheiro mudou de mãos." }
        }
    };
    Page::alone(title, "Fatura", body).with_script()
}
