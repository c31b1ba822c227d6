//! The frame that the script of `/v3/` mounts, and the two forms that it sends.

mod forms;

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::objects::{CheckoutSession, SessionStatus};
use crate::pages::html::{Page, site_of};
use crate::provider::checkout::purchase::{Payer, issue_boleto, pay_with_card};
use crate::provider::money::cards::{Card, Challenge};
use crate::provider::{ApiError, complete, read};
use crate::state::{Cause, Tx, World};

pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/v3/embedded/{secret}", get(frame))
        .route("/v3/embedded/{secret}/card", post(card))
        .route("/v3/embedded/{secret}/boleto", post(boleto))
}

/// The session of a client secret.
async fn session_of(tx: &mut Tx, secret: &str) -> Result<CheckoutSession, ApiError> {
    let id = secret.split_once("_secret_").map(|(id, _)| id).unwrap_or_default();
    let session: Option<CheckoutSession> = tx.load(id).await?;
    session
        // The private secret stays valid after the session expired, so that its frame shows the
        // state.
        .filter(|session| session.private.secret == secret)
        .ok_or_else(|| ApiError::not_found("checkout.session", id, "id"))
}

async fn frame(State(world): State<Arc<World>>, Path(secret): Path<String>) -> Page {
    let session = async { session_of(&mut world.read().await?, &secret).await };
    let session = session.await.ok();
    let return_url = session.as_ref().and_then(|session| session.return_url.as_deref());
    let site = return_url.and_then(site_of).unwrap_or_default();
    let restart = "Volte ao site e comece de novo.";
    let body = match session.as_ref().map(|session| (session, session.status)) {
        Some((session, SessionStatus::Open)) => forms::checkout(session),
        Some((_, SessionStatus::Complete)) => {
            notice("Este pagamento já foi enviado", "Você pode voltar ao site e acompanhar a sua assinatura.")
        }
        Some((_, SessionStatus::Expired)) => notice("Esta sessão de pagamento expirou", restart),
        None => notice("Sessão de pagamento não encontrada", restart),
    };
    Page::framed("Pagamento", "/assets/frame.js", &site, body)
}

fn notice(title: &str, text: &str) -> Markup {
    html! {
        main.pay {
            p.test { "Ambiente de testes" }
            section.done { h1 { (title) } p { (text) } }
        }
    }
}

#[derive(Deserialize)]
struct CardRequest {
    number: String,
    expiry: String,
    cvc: String,
    name: String,
    #[serde(default)]
    challenge: Challenge,
}

async fn card(State(world): State<Arc<World>>, Path(secret): Path<String>, body: Bytes) -> Response {
    reply(complete(async move { pay(&world, &secret, read(&body)?).await }).await)
}

async fn pay(world: &World, secret: &str, form: CardRequest) -> Result<Value, ApiError> {
    let session = session_of(&mut world.read().await?, secret).await?;
    let card = Card::parse(&form.number, &form.expiry, &form.cvc, &form.name, world.now())?;
    Ok(match pay_with_card(world, &session.id, &card, form.challenge).await? {
        Some(session) => json!({"status": "complete", "payment_status": session.payment_status}),
        None => json!({"status": "requires_action"}),
    })
}

async fn boleto(State(world): State<Arc<World>>, Path(secret): Path<String>, body: Bytes) -> Response {
    reply(complete(async move { issue(&world, &secret, read(&body)?).await }).await)
}

async fn issue(world: &World, secret: &str, payer: Payer) -> Result<Value, ApiError> {
    let mut tx = world.write(Cause::default()).await?;
    let session = session_of(&mut tx, secret).await?;
    let (_, intent) = issue_boleto(&mut tx, &session.id, payer).await?;
    world.commit(tx).await?;
    let voucher_url = intent.open_voucher().map(|voucher| &voucher.hosted_voucher_url);
    Ok(json!({"status": "complete", "payment_status": "unpaid", "voucher_url": voucher_url}))
}

fn reply(done: Result<Value, ApiError>) -> Response {
    match done {
        Ok(answer) => Json(answer).into_response(),
        // A declined card is not a failed call: a status of 402 would appear in every browser
        // console.
        Err(error) if error.status == 402 => Json(json!({"error": error.error})).into_response(),
        Err(error) => error.into_response(),
    }
}
