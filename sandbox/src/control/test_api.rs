//! `/_test/checkout`, `/_test/boletos` and `/_test/disputes`: what a visitor or the visitor's bank would do, for callers
//! without a browser.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use bytes::Bytes;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::objects::payment_intent::{PaymentIntent, PaymentIntentStatus};
use crate::provider::checkout::purchase::{CardOutcome, Payer, issue_boleto, pay_with_card};
use crate::provider::error::ApiError;
use crate::provider::money::cards::{Card, Challenge};
use crate::provider::money::disputes;
use crate::provider::money::disputes::{NewDispute, Verdict};
use crate::provider::money::vouchers;
use crate::state::store::Cause;
use crate::state::world::World;

/// The doors.
pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/_test/checkout/{session_id}", post(checkout))
        .route("/_test/boletos/{session_id}/pay", post(pay_boleto))
        .route("/_test/boletos/{session_id}/expire", post(expire_boleto))
        .route("/_test/disputes", post(dispute))
        .route("/_test/disputes/{id}/{verdict}", post(decide))
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
            let paid = match pay_with_card(&mut tx, session_id, &card, challenge).await {
                // The failed attempt stays.
                Err(why) if why.status == 402 => {
                    world.commit(tx).await?;
                    return Err(why);
                }
                paid => paid?,
            };
            match paid {
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

fn answer(session: &Value, intent: Option<&PaymentIntent>) -> Value {
    let voucher = intent.and_then(|intent| intent.next_action.as_ref()?.boleto_display_details.as_ref());
    json!({
        "session": session["id"], "status": session["status"], "payment_status": session["payment_status"],
        "subscription": session["subscription"],
        "boleto": voucher,
    })
}

async fn pay_boleto(State(world): State<Arc<World>>, Path(session_id): Path<String>) -> Response {
    told(settle(&world, &session_id, true).await)
}

async fn expire_boleto(State(world): State<Arc<World>>, Path(session_id): Path<String>) -> Response {
    told(settle(&world, &session_id, false).await)
}

/// Plays the end of a session's newest boleto: paid, or its due date gone by.
async fn settle(world: &World, session_id: &str, paid: bool) -> Result<Value, ApiError> {
    let mut tx = world.write(Cause::default()).await?;
    let session = tx
        .find_kind("checkout.session", session_id)
        .await?
        .ok_or_else(|| ApiError::not_found("checkout.session", session_id, "id"))?;
    let intent = vouchers::of_session(&mut tx, &session)
        .await?
        .ok_or_else(|| ApiError::state(None, "This session has no boleto."))?;
    let id = intent.id.clone();
    if paid {
        vouchers::pay(&mut tx, intent).await?;
    } else if intent.status == PaymentIntentStatus::RequiresAction {
        tx.timers_clear(&id).await?;
        vouchers::expire(&mut tx, &id).await?;
    } else {
        return Err(ApiError::state(None, "Este boleto não espera mais pagamento."));
    }
    let after = tx.find(&id).await?.unwrap_or_default();
    world.commit(tx).await?;
    Ok(json!({"session": session_id, "payment_intent": id, "status": after["status"]}))
}

fn told(done: Result<Value, ApiError>) -> Response {
    match done {
        Ok(answer) => Json(answer).into_response(),
        Err(error) => refused(&error),
    }
}

/// An error in the payments API's shape.
pub fn refused(error: &ApiError) -> Response {
    let status = StatusCode::from_u16(error.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(json!({"error": error.error}))).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Disputed {
    charge: String,
    amount: Option<i64>,
    #[serde(default)]
    inquiry: bool,
}

async fn dispute(State(world): State<Arc<World>>, body: Bytes) -> Response {
    let wish: Disputed = match serde_json::from_slice(&body) {
        Ok(wish) => wish,
        Err(error) => return refused(&ApiError::invalid(None, None, error.to_string())),
    };
    let new = NewDispute { amount: wish.amount, is_inquiry: wish.inquiry };
    let made = async {
        let mut tx = world.write(Cause::default()).await?;
        let doc = disputes::open(&mut tx, &wish.charge, new).await?;
        world.commit(tx).await?;
        Ok::<_, ApiError>(doc)
    };
    answered(made.await)
}

async fn decide(State(world): State<Arc<World>>, Path((id, verdict)): Path<(String, String)>) -> Response {
    let verdict = match verdict.as_str() {
        "win" => Verdict::Won,
        "lose" => Verdict::Lost,
        "escalate" => Verdict::Escalated,
        "close" => Verdict::WarningClosed,
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    let decided = async {
        let mut tx = world.write(Cause::default()).await?;
        let doc = disputes::decide(&mut tx, &id, verdict).await?;
        world.commit(tx).await?;
        Ok::<_, ApiError>(doc)
    };
    answered(decided.await)
}

fn answered(done: Result<Value, ApiError>) -> Response {
    match done {
        Ok(doc) => Json(crate::state::store::public(&doc)).into_response(),
        Err(error) => refused(&error),
    }
}
