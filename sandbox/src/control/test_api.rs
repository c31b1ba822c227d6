//! `/_test/checkout`, `/_test/boletos` and `/_test/disputes`: actions of a visitor or of a bank,
//! for callers without a browser.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use bytes::Bytes;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::objects::{Address, CheckoutSession, PaymentIntent, PaymentIntentStatus};
use crate::provider::billing::voucher_outcomes;
use crate::provider::checkout::purchase::{Payer, issue_boleto, pay_with_card};
use crate::provider::money::cards::{Card, Challenge};
use crate::provider::money::disputes::Verdict;
use crate::provider::money::{disputes, vouchers};
use crate::provider::{ApiError, complete, get, load, read};
use crate::state::{Cause, World};

type Answer = Result<Json<Value>, ApiError>;

pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/_test/checkout/{session_id}", post(checkout))
        .route("/_test/boletos/{session_id}/{outcome}", post(settle))
        .route("/_test/disputes", post(dispute))
        .route("/_test/disputes/{id}/{verdict}", post(decide))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckoutRequest {
    card: Option<String>,
    boleto: Option<BoletoRequest>,
    /// For cards that need consent; authorized by default.
    challenge: Option<Challenge>,
}

#[derive(Deserialize)]
struct BoletoRequest {
    tax_id: String,
    name: Option<String>,
}

async fn checkout(State(world): State<Arc<World>>, Path(session_id): Path<String>, body: Bytes) -> Answer {
    let request = read(&body)?;
    complete(async move { finish(&world, &session_id, request).await }).await
}

async fn finish(world: &World, session_id: &str, request: CheckoutRequest) -> Answer {
    match (request.card, request.boleto) {
        (Some(number), None) => {
            let challenge = request.challenge.unwrap_or(Challenge::Authorized);
            let card = Card::of_number(&number, world.now())?;
            let session = pay_with_card(world, session_id, &card, challenge).await?;
            let session = session.ok_or_else(|| ApiError::state(None, "The card asks for consent."))?;
            Ok(answer(&session, None))
        }
        (None, Some(boleto)) => {
            let mut tx = world.write(Cause::default()).await?;
            let payer = Payer {
                tax_id: boleto.tax_id,
                name: boleto.name.unwrap_or_else(|| "Ana Souza".into()),
                address: Address {
                    city: Some("São Paulo".into()),
                    line1: Some("Avenida Paulista, 1000".into()),
                    postal_code: Some("01310-100".into()),
                    state: Some("SP".into()),
                    ..Address::default()
                },
            };
            let (session, intent) = issue_boleto(&mut tx, session_id, payer).await?;
            world.commit(tx).await?;
            Ok(answer(&session, Some(&intent)))
        }
        _ => Err(ApiError::state(None, "Pass either card or boleto.")),
    }
}

fn answer(session: &CheckoutSession, intent: Option<&PaymentIntent>) -> Json<Value> {
    Json(json!({
        "session": session.id, "status": session.status, "payment_status": session.payment_status,
        "subscription": session.subscription, "boleto": intent.and_then(PaymentIntent::open_voucher),
    }))
}

/// Pays the newest boleto of a session, or lets its due date pass.
async fn settle(
    State(world): State<Arc<World>>,
    Path((session_id, outcome)): Path<(String, String)>,
) -> Answer {
    let mut tx = world.write(Cause::default()).await?;
    let session: CheckoutSession = load(&mut tx, &session_id).await?;
    let intent = vouchers::of_session(&mut tx, &session).await?;
    let intent = intent.ok_or_else(|| ApiError::state(None, "This session has no boleto."))?;
    let id = intent.id.clone();
    match outcome.as_str() {
        "pay" => voucher_outcomes::pay(&mut tx, intent).await?,
        "expire" if intent.status == PaymentIntentStatus::RequiresAction => {
            tx.clear_timers(&id).await?;
            voucher_outcomes::expire(&mut tx, &id).await?;
        }
        _ => return Err(ApiError::state(None, "Este boleto não espera mais pagamento.")),
    }
    let after = get(&mut tx, "payment_intent", &id).await?;
    world.commit(tx).await?;
    Ok(Json(json!({"session": session_id, "payment_intent": id, "status": after["status"]})))
}

async fn dispute(State(world): State<Arc<World>>, body: Bytes) -> Answer {
    let mut tx = world.write(Cause::default()).await?;
    let dispute = disputes::open(&mut tx, read(&body)?).await?;
    world.commit(tx).await?;
    Ok(Json(dispute))
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
        let dispute = disputes::decide(&mut tx, &id, verdict).await?;
        world.commit(tx).await?;
        Ok::<_, ApiError>(Json(dispute))
    };
    decided.await.into_response()
}
