//! The bank's question about a payment, in the frame that `confirmCardPayment` opens.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::control::guard::Frames;
use crate::objects::payment_intent::PaymentIntent;
use crate::objects::to_document;
use crate::pages::html::{Page, escape};
use crate::provider::billing::collection;
use crate::provider::error::ApiError;
use crate::provider::money::cards::Challenge;
use crate::state::store::{Cause, Tx, public};
use crate::state::world::World;

/// The frame, and the answer that it sends.
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

async fn frame(State(world): State<Arc<World>>, Path(secret): Path<String>) -> Response {
    let found = async {
        let mut tx = world.read().await?;
        let intent = intent_of(&mut tx, &secret).await?;
        collection::authenticatable(&intent)
    };
    let body = match found.await {
        Ok(()) => include_str!("../../assets/challenge.html").replace(" hidden>", ">"),
        Err(error) => {
            let message = error.error["message"].as_str().unwrap_or_default();
            format!(r#"<p role="alert" data-alert>{}</p>"#, escape(message))
        }
    };
    Page {
        title: "Confirmação do banco",
        layout: "frame",
        script: Some("/assets/authenticate.js"),
        body: &format!(r#"<main class="pay">{body}</main>"#),
        // Any site on this machine, as the checkout.
        frames: Frames::Sites(String::new()),
    }
    .into_response()
}

#[derive(Deserialize)]
struct Authentication {
    /// `authorize` or `refuse`.
    challenge: String,
    /// Card to confirm with, where the payment holds none.
    payment_method: Option<String>,
}

async fn answer(State(world): State<Arc<World>>, Path(secret): Path<String>, body: Bytes) -> Response {
    // A payment that began goes to its end, also when the frame is closed.
    let done = tokio::spawn(async move {
        let form: Authentication = serde_json::from_slice(&body)
            .map_err(|error| ApiError::invalid(None, None, error.to_string()))?;
        let mut tx = world.write(Cause::default()).await?;
        let intent = intent_of(&mut tx, &secret).await?;
        let id = intent.id.clone();
        let challenge =
            if form.challenge == "authorize" { Challenge::Authorized } else { Challenge::Refused };
        let declined = match collection::authenticatable(&intent) {
            Ok(()) => {
                let method = form.payment_method.as_deref();
                collection::authenticate(&mut tx, intent, method, challenge).await?
            }
            Err(why) => Some(why),
        };
        let after = tx.load::<PaymentIntent>(&id).await?.map(|intent| to_document(&intent)).transpose()?;
        world.commit(tx).await?;
        let after = public(&after.unwrap_or_default());
        Ok::<Value, ApiError>(match declined {
            Some(why) => {
                let mut error = why.told();
                error["payment_intent"] = after;
                json!({ "error": error })
            }
            None => json!({ "paymentIntent": after }),
        })
    });
    match done.await {
        Ok(Ok(answer)) => Json(answer).into_response(),
        // The script hands errors to the page; as a failed call they would stand in every console.
        Ok(Err(error)) => Json(json!({ "error": error.told() })).into_response(),
        Err(_) => http::StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
