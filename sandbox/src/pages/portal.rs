//! The billing portal: subscriptions, card, invoices, and the way back.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use crate::objects::{Invoice, PaymentMethod, Subscription, SubscriptionStatus};
use crate::pages::html::{Failed, Page, back_to, message, missing, quiet};
use crate::pages::invoice::status_in_words;
use crate::provider::amounts::{interval_in_words, reais};
use crate::provider::billing::{card_replacement, subscriptions};
use crate::provider::money::cards;
use crate::provider::money::cards::{Card, Verdict, setup};
use crate::provider::{ApiError, portal};
use crate::state::{Cause, Moment, Tx, World, number, text};

/// Invoices on the page.
const MAX_INVOICES: usize = 12;

pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/portal/{token}", get(show))
        .route("/portal/{token}/subscriptions/{id}/{action}", post(change))
        .route("/portal/{token}/card", post(card))
}

#[derive(Deserialize)]
struct PortalQuery {
    /// Result of the last form.
    said: Option<String>,
}

async fn show(
    State(world): State<Arc<World>>,
    Path(token): Path<String>,
    Query(query): Query<PortalQuery>,
) -> Result<Response, Failed> {
    let mut tx = world.read().await?;
    let Some(session) = portal::session(&mut tx, &token).await? else { return Ok(missing()) };
    let body = body(&mut tx, &session, &token, query.said.as_deref()).await?;
    let title = "Portal de assinatura";
    Ok(Page::alone(title, title, body).into_response())
}

async fn body(tx: &mut Tx, session: &Value, token: &str, said: Option<&str>) -> Result<Markup, ApiError> {
    let customer_id = text(session, "customer");
    let customer = tx.find(customer_id).await?.unwrap_or_default();
    let mut orders = Vec::new();
    for found in tx.load_by::<Subscription>("customer", customer_id).await? {
        if !found.is_over() {
            orders.push(subscription(tx, &found, token).await?);
        }
    }
    let invoices: Vec<Invoice> = tx.load_by("customer", customer_id).await?;
    Ok(html! {
        main.sheet.wide {
            h1 { "Sua assinatura" }
            p.quiet { (text(&customer, "email")) }
            @if let Some(said) = said { (notice(said)) }
            @for order in &orders { (order) }
            @if orders.is_empty() { (quiet("Nenhuma assinatura em vigor.")) }
            section { h2 { "Cartão" } (card_form(token)) }
            section {
                h2 { "Faturas" }
                ul.letters { @for invoice in invoices.iter().take(MAX_INVOICES) { (invoice_link(invoice)) } }
            }
            @if let Some(url) = session["return_url"].as_str() {
                p { a.secondary href=(url) { "Voltar ao site" } }
            }
        }
    })
}

fn notice(said: &str) -> Markup {
    let text = match said {
        "saved" => return html! { p.state.paid role="status" { "Alteração salva." } },
        "refused" => "Alteração salva, mas o cartão recusou a fatura em aberto.".to_owned(),
        code => cards::declined(code, None).message().to_owned(),
    };
    html! { p.state.over role="alert" { (text) } }
}

fn card_form(token: &str) -> Markup {
    html! {
        form.panel method="post" action={ "/portal/" (token) "/card" } {
            div.field {
                label for="number" { "Número do cartão" }
                input #number name="number" inputmode="numeric" autocomplete="cc-number" required;
            }
            div.row {
                div.field {
                    label for="expiry" { "Validade" }
                    input #expiry name="expiry" placeholder="MM / AA" autocomplete="cc-exp" required;
                }
                div.field {
                    label for="cvc" { "CVC" }
                    input #cvc name="cvc" inputmode="numeric" autocomplete="cc-csc" required;
                }
            }
            div.field {
                label for="name" { "Nome no cartão" }
                input #name name="name" autocomplete="cc-name" required;
            }
            button.primary type="submit" { "Atualizar cartão" }
        }
    }
}

fn invoice_link(invoice: &Invoice) -> Markup {
    html! {
        li {
            a href=(invoice.hosted_invoice_url.as_deref().unwrap_or("#")) {
                span { (Moment::from_seconds(invoice.created).date_br()) }
                strong { (reais(invoice.total)) }
                span { (status_in_words(invoice.status)) }
            }
        }
    }
}

async fn subscription(tx: &mut Tx, found: &Subscription, token: &str) -> Result<Markup, ApiError> {
    let price = &found.item().price;
    let product = tx.find(text(price, "product")).await?.unwrap_or_default();
    let method = found.default_payment_method.as_deref().unwrap_or_default();
    let method: Option<PaymentMethod> = tx.load(method).await?;
    let card = method.and_then(|method| method.card);
    let paid_by =
        card.map_or("Boleto".to_owned(), |card| format!("Cartão com final {}", text(&card, "last4")));
    let end = Moment::from_seconds(found.period().1).date_br();
    let (plans, action, button) = if found.cancel_at_period_end {
        (format!("Termina em {end}, sem nova cobrança."), "resume", "Não cancelar")
    } else {
        (format!("Renova em {end}."), "cancel", "Cancelar assinatura")
    };
    let state = match found.status {
        SubscriptionStatus::Active => "Ativa",
        SubscriptionStatus::Trialing => "Em teste",
        SubscriptionStatus::PastDue => "Pagamento em atraso",
        _ => "Aguardando pagamento",
    };
    Ok(html! {
        section.order {
            h2 { (text(&product, "name")) }
            p.price { (reais(number(price, "unit_amount"))) small { (interval_in_words(&price["recurring"])) } }
            p { (state) ". " (plans) }
            p.quiet { (paid_by) }
            form method="post" action={ "/portal/" (token) "/subscriptions/" (found.id) "/" (action) } {
                button.secondary type="submit" { (button) }
            }
        }
    })
}

/// Cancels a subscription at the end of its period, or takes that back.
async fn change(
    State(world): State<Arc<World>>,
    Path((token, id, action)): Path<(String, String, String)>,
) -> Result<Response, Failed> {
    let mut tx = world.write(Cause::default()).await?;
    let session = portal::session(&mut tx, &token).await?;
    let is_known = matches!(action.as_str(), "cancel" | "resume");
    let Some(session) = session.filter(|_| is_known) else { return Ok(missing()) };
    let is_own = |found: &Subscription| found.customer == text(&session, "customer") && !found.is_over();
    let Some(before) = tx.load(&id).await?.filter(is_own) else { return Ok(missing()) };
    let mut after = before.clone();
    after.cancel_later(tx.now.seconds(), action == "cancel");
    subscriptions::save(&mut tx, &before, &after).await?;
    world.commit(tx).await?;
    Ok(back_to(&format!("/portal/{token}?said=saved")))
}

async fn card(State(world): State<Arc<World>>, Path(token): Path<String>, body: String) -> Response {
    match replace_card(&world, &token, &body).await {
        Ok(Some(said)) => back_to(&format!("/portal/{token}?said={said}")),
        Ok(None) => missing(),
        Err(error) if error.status == 402 => back_to(&format!("/portal/{token}?said={}", error.code())),
        Err(_) => message(http::StatusCode::BAD_REQUEST, "Não deu certo", "Tente de novo."),
    }
}

async fn replace_card(world: &World, token: &str, body: &str) -> Result<Option<&'static str>, ApiError> {
    let mut tx = world.write(Cause::default()).await?;
    let Some(session) = portal::session(&mut tx, token).await? else { return Ok(None) };
    let form: BTreeMap<_, _> = form_urlencoded::parse(body.as_bytes()).collect();
    let field = |name: &str| form.get(name).map(AsRef::as_ref).unwrap_or_default();
    let card = Card::parse(field("number"), field("expiry"), field("cvc"), field("name"), tx.now)?;
    // The bank is asked as the card is attached. A declined card is not kept.
    if let Verdict::Declined(why) = setup(&card.number) {
        return Err(why);
    }
    let is_paid = Box::pin(card_replacement::replace(&mut tx, text(&session, "customer"), &card)).await?;
    world.commit(tx).await?;
    Ok(Some(if is_paid { "saved" } else { "refused" }))
}
