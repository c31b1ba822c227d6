//! The billing portal: subscriptions, card, invoices, and the way back.

use std::fmt::Write;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::control::behavior::PortalCard;
use crate::control::guard::Frames;
use crate::pages::html::{Page, back_to, band, escape, failed, message, missing};
use crate::pages::invoice::state_in_words;
use crate::provider::billing::collection;
use crate::provider::billing::collection::{Attempt, Collected};
use crate::provider::billing::subscriptions;
use crate::provider::checkout::amounts::{interval_in_words, reais};
use crate::provider::error::ApiError;
use crate::provider::money::cards::{Card, Verdict, setup};
use crate::provider::money::intents;
use crate::provider::params::Params;
use crate::provider::{customers, events, portal};
use crate::state::moment::Moment;
use crate::state::store::{Cause, Tx, number, text};
use crate::state::world::World;

/// The portal and its three forms.
pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/portal/{token}", get(show))
        .route("/portal/{token}/subscriptions/{id}/cancel", post(cancel))
        .route("/portal/{token}/subscriptions/{id}/resume", post(resume))
        .route("/portal/{token}/card", post(card))
}

#[derive(Deserialize)]
struct Told {
    /// What the last form came to.
    said: Option<String>,
}

/// The portal's session, while its link is valid.
async fn session(tx: &mut Tx, token: &str) -> Result<Option<Value>, ApiError> {
    let found = tx.find_by("billing_portal.session", "_voucher", &format!("portal_{token}")).await?;
    Ok(found.into_iter().next().filter(|doc| portal::is_live(number(doc, "created"), tx.now)))
}

async fn show(
    State(world): State<Arc<World>>,
    Path(token): Path<String>,
    Query(told): Query<Told>,
) -> Response {
    let page = async {
        let mut tx = world.read().await?;
        let Some(session) = session(&mut tx, &token).await? else { return Ok(None) };
        Ok::<_, ApiError>(Some(body(&mut tx, &session, &token, told.said.as_deref()).await?))
    };
    match page.await {
        Ok(Some(body)) => Page {
            title: "Portal de assinatura",
            layout: "alone",
            script: None,
            body: &body,
            frames: Frames::Nobody,
        }
        .into_response(),
        Ok(None) => missing(),
        Err(error) => failed(&error),
    }
}

async fn body(tx: &mut Tx, session: &Value, token: &str, said: Option<&str>) -> Result<String, ApiError> {
    let customer_id = text(session, "customer");
    let customer = tx.find(customer_id).await?.unwrap_or_default();
    let mut all = tx.find_by("subscription", "customer", customer_id).await?;
    all.retain(|doc| !subscriptions::is_over(doc));
    let mut cards = String::new();
    for doc in &all {
        cards += &subscription(tx, doc, token).await?;
    }
    if cards.is_empty() {
        cards.push_str(r#"<p class="quiet">Nenhuma assinatura em vigor.</p>"#);
    }
    let mut invoices = String::new();
    for invoice in tx.find_by("invoice", "customer", customer_id).await?.iter().take(12) {
        let _ = write!(
            invoices,
            r#"<li><a href="{}"><span>{}</span><strong>{}</strong><span>{}</span></a></li>"#,
            escape(invoice["hosted_invoice_url"].as_str().unwrap_or("#")),
            Moment::from_seconds(number(invoice, "created")).date_br(),
            reais(number(invoice, "total")),
            state_in_words(invoice)
        );
    }
    let back = session["return_url"].as_str().map_or_else(String::new, |url| {
        format!(r#"<p><a class="secondary" href="{}">Voltar ao site</a></p>"#, escape(url))
    });
    let notice = match said {
        Some("saved") => r#"<p class="state paid" role="status">Alteração salva.</p>"#.to_owned(),
        Some("refused") => {
            r#"<p class="state over" role="alert">Alteração salva, mas o cartão recusou a fatura em aberto.</p>"#
                .to_owned()
        }
        Some(other) => format!(
            r#"<p class="state over" role="alert">{}</p>"#,
            text(&crate::provider::money::cards::declined(other, None).error, "message")
        ),
        None => String::new(),
    };
    Ok(format!(
        r#"{band}<main class="sheet wide"><h1>Sua assinatura</h1><p class="quiet">{email}</p>{notice}{cards}
<section><h2>Cartão</h2><form class="panel" method="post" action="/portal/{token}/card">
<div class="field"><label for="number">Número do cartão</label><input id="number" name="number" inputmode="numeric" autocomplete="cc-number" required></div>
<div class="row"><div class="field"><label for="expiry">Validade</label><input id="expiry" name="expiry" placeholder="MM / AA" autocomplete="cc-exp" required></div>
<div class="field"><label for="cvc">CVC</label><input id="cvc" name="cvc" inputmode="numeric" autocomplete="cc-csc" required></div></div>
<div class="field"><label for="name">Nome no cartão</label><input id="name" name="name" autocomplete="cc-name" required></div>
<button class="primary" type="submit">Atualizar cartão</button></form></section>
<section><h2>Faturas</h2><ul class="letters">{invoices}</ul></section>{back}</main>"#,
        band = band("Portal de assinatura"),
        email = escape(text(&customer, "email")),
    ))
}

async fn subscription(tx: &mut Tx, doc: &Value, token: &str) -> Result<String, ApiError> {
    let item = &doc["items"]["data"][0];
    let product = tx.find(text(&item["price"], "product")).await?.unwrap_or_default();
    let method = tx.find(text(doc, "default_payment_method")).await?.unwrap_or_default();
    let paid_by = if method["type"] == "card" {
        format!("Cartão com final {}", escape(text(&method["card"], "last4")))
    } else {
        "Boleto".to_owned()
    };
    let end = Moment::from_seconds(subscriptions::period(doc).1).date_br();
    let leaving = doc["cancel_at_period_end"] == true;
    let (told, action, button) = if leaving {
        (format!("Termina em {end}, sem nova cobrança."), "resume", "Não cancelar")
    } else {
        (format!("Renova em {end}."), "cancel", "Cancelar assinatura")
    };
    let state = match text(doc, "status") {
        "active" => "Ativa",
        "trialing" => "Em teste",
        "past_due" => "Pagamento em atraso",
        _ => "Aguardando pagamento",
    };
    Ok(format!(
        r#"<section class="order"><h2>{name}</h2><p class="price">{price}<small>{rhythm}</small></p><p>{state}. {told}</p><p class="quiet">{paid_by}</p>
<form method="post" action="/portal/{token}/subscriptions/{id}/{action}"><button class="secondary" type="submit">{button}</button></form></section>"#,
        name = escape(text(&product, "name")),
        price = reais(number(&item["price"], "unit_amount")),
        rhythm = interval_in_words(&item["price"]["recurring"]),
        id = escape(text(doc, "id")),
    ))
}

async fn cancel(State(world): State<Arc<World>>, Path((token, id)): Path<(String, String)>) -> Response {
    set_cancel(&world, &token, &id, true).await
}

async fn resume(State(world): State<Arc<World>>, Path((token, id)): Path<(String, String)>) -> Response {
    set_cancel(&world, &token, &id, false).await
}

async fn set_cancel(world: &World, token: &str, id: &str, wish: bool) -> Response {
    let done = async {
        let mut tx = world.write(Cause::default()).await?;
        let Some(session) = session(&mut tx, token).await? else { return Ok(false) };
        let found = tx.find_kind("subscription", id).await?;
        let own = found.filter(|doc| doc["customer"] == session["customer"] && !subscriptions::is_over(doc));
        let Some(before) = own else { return Ok(false) };
        let mut after = before.clone();
        subscriptions::cancel_later(&tx, &mut after, wish);
        subscriptions::save(&mut tx, &before, &after).await?;
        world.commit(tx).await?;
        Ok::<_, ApiError>(true)
    };
    match done.await {
        Ok(true) => back_to(&format!("/portal/{token}?said=saved")),
        Ok(false) => missing(),
        Err(error) => failed(&error),
    }
}

async fn card(State(world): State<Arc<World>>, Path(token): Path<String>, body: String) -> Response {
    let done = async {
        let form = Params::parse("", &body)?;
        let mut tx = world.write(Cause::default()).await?;
        let Some(session) = session(&mut tx, &token).await? else { return Ok(None) };
        let field = |name: &str| form.text(name).unwrap_or_default().to_owned();
        let card = Card::parse(&field("number"), &field("expiry"), &field("cvc"), &field("name"), tx.now)?;
        // As it is attached the bank is asked: what it declines is not kept.
        if let Verdict::Declined(why) = setup(&card.number) {
            return Err(why);
        }
        let is_paid = replace_card(&mut tx, text(&session, "customer"), &card).await?;
        world.commit(tx).await?;
        Ok::<_, ApiError>(Some(if is_paid { "saved" } else { "refused" }))
    };
    match done.await {
        Ok(Some(said)) => back_to(&format!("/portal/{token}?said={said}")),
        Ok(None) => missing(),
        Err(error) if error.status == 402 => back_to(&format!("/portal/{token}?said={}", error.code())),
        Err(_) => message(http::StatusCode::BAD_REQUEST, "Não deu certo", "Tente de novo."),
    }
}

/// Stores a new card where `portal_card` says, and pays open invoices with it if
/// `portal_pays_open_invoices` is on. Returns whether no such payment was declined.
async fn replace_card(tx: &mut Tx, customer_id: &str, card: &Card) -> Result<bool, ApiError> {
    let before = customers::live(tx, customer_id, "customer").await?;
    let method = intents::save_card(tx, &before, card).await?;
    events::emit(tx, "payment_method.attached", &method, None).await?;
    let mut customer = before.clone();
    customer["invoice_settings"]["default_payment_method"] = method["id"].clone();
    tx.update(&customer).await?;
    let changed = events::changed(&before, &customer);
    events::emit(tx, "customer.updated", &customer, Some(changed)).await?;
    let mut is_paid = true;
    for before in tx.find_by("subscription", "customer", customer_id).await? {
        if subscriptions::is_over(&before) || before["status"] == "incomplete" {
            continue;
        }
        if tx.behavior.portal_card == PortalCard::CustomerAndSubscriptions {
            let mut after = before.clone();
            after["default_payment_method"] = json!(method["id"]);
            subscriptions::save(tx, &before, &after).await?;
        }
        if !tx.behavior.portal_pays_open_invoices {
            continue;
        }
        for invoice in tx.find_by("invoice", "_subscription", text(&before, "id")).await? {
            if invoice["status"] == "open" {
                is_paid &= pay_open(tx, invoice, &method).await?;
            }
        }
    }
    Ok(is_paid)
}

/// Pays an open invoice with a card. Returns whether it is paid.
async fn pay_open(tx: &mut Tx, invoice: Value, method: &Value) -> Result<bool, ApiError> {
    let by = Attempt::Manual { method: Some(method.clone()), off_session: false };
    Ok(matches!(collection::attempt(tx, invoice, &by).await?, Collected::Paid))
}
