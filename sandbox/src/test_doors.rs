//! `/_test/checkout` and `/_test/boletos`: what a visitor would do, for callers without a browser.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use bytes::Bytes;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cards::{Card, Challenge};
use crate::payments::error::ApiError;
use crate::payments::purchase::{CardOutcome, Payer, issue_boleto, pay_with_card};
use crate::payments::vouchers;
use crate::store::{Cause, text};
use crate::world::World;

/// The two doors.
pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/_test/checkout/{session_id}", post(checkout))
        .route("/_test/boletos/{session_id}/pay", post(pay_boleto))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    card: Option<String>,
    boleto: Option<BoletoWish>,
    /// `authorize` (also without it) or `refuse`, for cards that ask for consent.
    challenge: Option<String>,
}

#[derive(Deserialize)]
struct BoletoWish {
    tax_id: String,
    name: Option<String>,
}

async fn checkout(State(world): State<Arc<World>>, Path(session_id): Path<String>, body: Bytes) -> Response {
    let wish: Wish = match serde_json::from_slice(&body) {
        Ok(wish) => wish,
        Err(error) => return refused(&ApiError::invalid(None, None, error.to_string())),
    };
    let done = tokio::spawn(async move { finish(&world, &session_id, wish).await }).await;
    match done {
        Ok(Ok(answer)) => Json(answer).into_response(),
        Ok(Err(error)) => refused(&error),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn finish(world: &World, session_id: &str, wish: Wish) -> Result<Value, ApiError> {
    let mut tx = world.write(Cause::default()).await?;
    let answer = match (wish.card, wish.boleto) {
        (Some(number), None) => {
            let refuse = wish.challenge.as_deref() == Some("refuse");
            let challenge = if refuse { Challenge::Refused } else { Challenge::Authorized };
            let card = Card::of_number(&number, tx.now)?;
            match pay_with_card(&mut tx, session_id, &card, challenge).await? {
                CardOutcome::Complete(session) => answer(&session, None),
                CardOutcome::Challenge => return Err(ApiError::state(None, "The card asks for consent.")),
            }
        }
        (None, Some(boleto)) => {
            let payer = Payer {
                tax_id: boleto.tax_id,
                name: boleto.name.unwrap_or_else(|| "Ana Souza".into()),
                address: json!({"line1": "Avenida Paulista, 1000", "city": "São Paulo", "state": "SP",
                    "postal_code": "01310-100", "country": "BR"}),
            };
            let (session, intent) = issue_boleto(&mut tx, session_id, &payer).await?;
            answer(&session, Some(&intent))
        }
        _ => return Err(ApiError::invalid(None, None, "Pass either card or boleto.")),
    };
    world.commit(tx).await?;
    Ok(answer)
}

fn answer(session: &Value, intent: Option<&Value>) -> Value {
    json!({
        "session": session["id"], "status": session["status"], "payment_status": session["payment_status"],
        "subscription": session["subscription"],
        "boleto": intent.map(|intent| &intent["next_action"]["boleto_display_details"]),
    })
}

async fn pay_boleto(State(world): State<Arc<World>>, Path(session_id): Path<String>) -> Response {
    let paid = async {
        let mut tx = world.write(Cause::default()).await?;
        let session = tx
            .find_kind("checkout.session", &session_id)
            .await?
            .ok_or_else(|| ApiError::not_found("checkout.session", &session_id, "id"))?;
        let intent = vouchers::of_session(&mut tx, &session)
            .await?
            .ok_or_else(|| ApiError::state(None, "This session has no boleto."))?;
        let intent = vouchers::pay(&mut tx, intent).await?;
        world.commit(tx).await?;
        Ok::<_, ApiError>(json!({"session": session_id, "payment_intent": text(&intent, "id"),
            "status": intent["status"]}))
    };
    match paid.await {
        Ok(answer) => Json(answer).into_response(),
        Err(error) => refused(&error),
    }
}

/// An error in the payments API's shape.
pub fn refused(error: &ApiError) -> Response {
    let status = StatusCode::from_u16(error.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(json!({"error": error.error}))).into_response()
}
