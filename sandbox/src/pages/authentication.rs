//! The bank's question about a payment, in the frame that `confirmCardPayment` opens.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::routing::get;
use axum::{Json, Router};
use bytes::Bytes;
use maud::html;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::objects::PaymentIntent;
use crate::pages::challenge::question;
use crate::pages::html::Page;
use crate::provider::billing::authentication;
use crate::provider::money::cards::Challenge;
use crate::provider::{ApiError, complete, get as get_object, read};
use crate::state::{Cause, Tx, World};

pub fn routes() -> Router<Arc<World>> {
    Router::new().route("/v3/authenticate/{secret}", get(frame).post(answer))
}

async fn intent_of(tx: &mut Tx, secret: &str) -> Result<PaymentIntent, ApiError> {
    let id = secret.split_once("_secret_").map(|(id, _)| id).unwrap_or_default();
    let intent = tx.load::<PaymentIntent>(id).await?;
    intent
        .filter(|intent| intent.client_secret == secret)
        .ok_or_else(|| ApiError::not_found("payment_intent", id, "id"))
}

async fn frame(State(world): State<Arc<World>>, Path(secret): Path<String>) -> Page {
    let found = async {
        let mut tx = world.read().await?;
        let intent = intent_of(&mut tx, &secret).await?;
        authentication::check(&intent)
    };
    let body = match found.await {
        Ok(()) => question(false),
        Err(error) => html! { p role="alert" data-alert { (error.message()) } },
    };
    // Any site on this machine may frame it, as it may frame the checkout.
    Page::framed("Confirmação do banco", "/assets/authenticate.js", "", html! { main.pay { (body) } })
}

#[derive(Deserialize)]
struct AuthenticationRequest {
    challenge: Challenge,
    /// Card to confirm with, if the payment has none.
    payment_method: Option<String>,
}

async fn answer(State(world): State<Arc<World>>, Path(secret): Path<String>, body: Bytes) -> Json<Value> {
    let done = complete(async move { authenticate(&world, &secret, &body).await }).await;
    // The script passes errors to the page. A failed status would appear in every browser console.
    Json(done.unwrap_or_else(|error| json!({ "error": error.error })))
}

async fn authenticate(world: &World, secret: &str, body: &[u8]) -> Result<Value, ApiError> {
    let request: AuthenticationRequest = read(body)?;
    let mut tx = world.write(Cause::default()).await?;
    let intent = intent_of(&mut tx, secret).await?;
    let id = intent.id.clone();
    let declined = match authentication::check(&intent) {
        Ok(()) => {
            let method = request.payment_method.as_deref();
            authentication::authenticate(&mut tx, intent, method, request.challenge).await?
        }
        Err(why) => Some(why),
    };
    let after = get_object(&mut tx, "payment_intent", &id).await?;
    world.commit(tx).await?;
    Ok(match declined {
        Some(why) => {
            let mut error = why.error;
            error["payment_intent"] = after;
            json!({ "error": error })
        }
        None => json!({ "paymentIntent": after }),
    })
}
