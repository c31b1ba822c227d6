//! The frame that the script of `/v3/` mounts: order, card form, boleto form.

use std::fmt::Write;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::control::guard::Frames;
use crate::control::test_api::refused;
use crate::pages::html::{Page, escape, site_of};
use crate::provider::checkout::amounts::{interval_in_words, reais};
use crate::provider::checkout::purchase::{CardOutcome, Payer, STATES, issue_boleto, pay_with_card};
use crate::provider::error::ApiError;
use crate::provider::money::cards::{Card, Challenge};
use crate::state::store::{Cause, Tx, number, text};
use crate::state::world::World;

const PLACEHOLDER: &str = "{CHECKOUT_SESSION_ID}";

/// The frame and the two forms that it sends.
pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/v3/embedded/{secret}", get(frame))
        .route("/v3/embedded/{secret}/card", post(card))
        .route("/v3/embedded/{secret}/boleto", post(boleto))
}

/// The session whose client secret it is.
async fn session_of(tx: &mut Tx, secret: &str) -> Result<Value, ApiError> {
    let id = secret.split_once("_secret_").map(|(id, _)| id).unwrap_or_default();
    let session = tx.find_kind("checkout.session", id).await?;
    session
        // An expired session has no client secret, but its frame still says what happened.
        .filter(|doc| doc["_secret"] == secret || doc["client_secret"] == secret)
        .ok_or_else(|| ApiError::not_found("checkout.session", id, "id"))
}

async fn frame(State(world): State<Arc<World>>, Path(secret): Path<String>) -> Response {
    let session = async { session_of(&mut world.read().await?, &secret).await };
    let session = session.await;
    let return_url = session.as_ref().map(|session| text(session, "return_url")).unwrap_or_default();
    let site = site_of(return_url).unwrap_or_default();
    let body = match session {
        Ok(session) if session["status"] == "open" => form(&session),
        Ok(session) if session["status"] == "complete" => {
            notice("Este pagamento já foi enviado", "Você pode voltar ao site e acompanhar a sua assinatura.")
        }
        Ok(_) => notice("Esta sessão de pagamento expirou", "Volte ao site e comece de novo."),
        Err(_) => notice("Sessão de pagamento não encontrada", "Volte ao site e comece de novo."),
    };
    let page = Page {
        title: "Pagamento",
        layout: "frame",
        script: Some("/assets/frame.js"),
        body: &body,
        frames: Frames::Sites(site),
    };
    page.into_response()
}

fn notice(title: &str, text: &str) -> String {
    format!(
        r#"<main class="pay"><p class="test">Ambiente de testes</p><section class="done"><h1>{title}</h1><p>{text}</p></section></main>"#
    )
}

fn form(session: &Value) -> String {
    let methods = session["payment_method_types"].as_array();
    let offers = |name: &str| methods.is_some_and(|all| all.iter().any(|method| method == name));
    let tab = |id: &str, name: &str, chosen: bool| {
        format!(
            r#"<button type="button" role="tab" id="tab-{id}" aria-controls="panel-{id}" aria-selected="{chosen}" data-tab="{id}">{name}</button>"#
        )
    };
    let mut tabs = String::new();
    let mut panels = String::new();
    if offers("card") {
        tabs += &tab("card", "Cartão", true);
        panels += &include_str!("../../assets/card-form.html").replace("{{total}}", &total(session));
    }
    if offers("boleto") {
        tabs += &tab("boleto", "Boleto", !offers("card"));
        panels += &boleto_form(session, !offers("card"));
    }
    // A page of the provider goes on to the success_url; a frame lets its site go on.
    let next = session["success_url"].as_str().unwrap_or_else(|| text(session, "return_url"));
    let return_url = next.replace(PLACEHOLDER, text(session, "id"));
    format!(
        r#"<main class="pay" data-redirect="{redirect}" data-return-url="{return_url}">
<p class="test">Ambiente de testes: nenhuma cobrança é real</p>
<div class="pay-columns">
{summary}
<section class="pay-form" aria-label="Forma de pagamento">
<div role="tablist" class="tabs" aria-label="Forma de pagamento">{tabs}</div>
{panels}
{challenge}
<section class="done" id="done" hidden tabindex="-1"><span class="check" aria-hidden="true"></span><h1>Pagamento confirmado</h1><p>Estamos voltando ao site.</p></section>
</section>
</div>
</main>"#,
        redirect = escape(session["redirect_on_completion"].as_str().unwrap_or("always")),
        return_url = escape(&return_url),
        summary = summary(session),
        challenge = include_str!("../../assets/challenge.html"),
    )
}

fn total(session: &Value) -> String {
    reais(number(session, "amount_total"))
}

fn summary(session: &Value) -> String {
    let mut rows = String::new();
    for item in session["_line_items"].as_array().into_iter().flatten() {
        let _ = write!(
            rows,
            r"<div><dt>{}<small>{}</small></dt><dd>{}</dd></div>",
            escape(text(item, "description")),
            escape(&cadence(&item["price"]["recurring"])),
            reais(number(item, "amount_subtotal"))
        );
    }
    let off = number(session, "_discount");
    if off > 0 {
        let coupon = escape(session["_coupon"].as_str().unwrap_or_default());
        let _ = write!(
            rows,
            r"<div><dt>Desconto<small>Cupom {coupon}</small></dt><dd>-{}</dd></div>",
            reais(off)
        );
    }
    let later = match session["_trial_end"].as_i64() {
        Some(end) => {
            let date = crate::state::moment::Moment::from_seconds(end).date_br();
            let then = reais(number(session, "amount_subtotal") - off);
            format!(r#"<p class="quiet">A primeira cobrança, de {then}, será em {date}.</p>"#)
        }
        None if off > 0 => format!(
            r#"<p class="quiet">Nas próximas cobranças: {} {}.</p>"#,
            reais(number(session, "amount_subtotal")),
            interval_in_words(&session["_line_items"][0]["price"]["recurring"])
        ),
        None => String::new(),
    };
    format!(
        r#"<section class="order" aria-label="Resumo do pedido"><h1>Assinar {name}</h1><p class="price">{total}<small>hoje</small></p><dl>{rows}<div class="sum"><dt>Total hoje</dt><dd>{total}</dd></div></dl>{later}</section>"#,
        name = escape(text(&session["_line_items"][0], "description")),
        total = total(session),
    )
}

fn cadence(recurring: &Value) -> String {
    if recurring.is_null() { "uma vez".into() } else { format!("cobrado {}", interval_in_words(recurring)) }
}

fn boleto_form(session: &Value, chosen: bool) -> String {
    let states: String = STATES.iter().flat_map(|state| ["<option>", state, "</option>"]).collect();
    let name = session["_customer_name"].as_str().unwrap_or_default();
    let days = number(session, "_boleto_days");
    let due = match days {
        0 => "hoje".to_owned(),
        1 => "em 1 dia".to_owned(),
        days => format!("em {days} dias"),
    };
    include_str!("../../assets/boleto-form.html")
        .replace("{{hidden}}", if chosen { "" } else { "hidden" })
        .replace("{{states}}", &states)
        .replace("{{name}}", &escape(name))
        .replace("{{due}}", &due)
        .replace("{{total}}", &total(session))
}

#[derive(Deserialize)]
struct CardForm {
    number: String,
    expiry: String,
    cvc: String,
    name: String,
    #[serde(default)]
    challenge: String,
}

async fn card(State(world): State<Arc<World>>, Path(secret): Path<String>, body: Bytes) -> Response {
    // A payment that began goes to its end, also when the frame is closed.
    let paid = tokio::spawn(async move {
        let form: CardForm = read(&body)?;
        let mut tx = world.write(Cause::default()).await?;
        let session = session_of(&mut tx, &secret).await?;
        let card = Card::parse(&form.number, &form.expiry, &form.cvc, &form.name, tx.now)?;
        let challenge = match form.challenge.as_str() {
            "authorize" => Challenge::Authorized,
            "refuse" => Challenge::Refused,
            _ => Challenge::Unasked,
        };
        let outcome = match pay_with_card(&mut tx, text(&session, "id"), &card, challenge).await {
            // The failed attempt stays.
            Err(why) if why.status == 402 => {
                world.commit(tx).await?;
                return Err(why);
            }
            outcome => outcome?,
        };
        let answer = match outcome {
            CardOutcome::Complete(session) => {
                json!({"status": "complete", "payment_status": session["payment_status"]})
            }
            CardOutcome::Challenge => json!({"status": "requires_action"}),
        };
        world.commit(tx).await?;
        Ok(answer)
    });
    reply(paid.await)
}

#[derive(Deserialize)]
struct BoletoForm {
    tax_id: String,
    name: String,
    line1: String,
    city: String,
    state: String,
    postal_code: String,
}

async fn boleto(State(world): State<Arc<World>>, Path(secret): Path<String>, body: Bytes) -> Response {
    let issued = tokio::spawn(async move {
        let form: BoletoForm = read(&body)?;
        let mut tx = world.write(Cause::default()).await?;
        let session = session_of(&mut tx, &secret).await?;
        let payer = Payer {
            tax_id: form.tax_id,
            name: form.name.trim().chars().take(120).collect(),
            address: json!({"line1": form.line1, "line2": null, "city": form.city, "state": form.state,
                "postal_code": form.postal_code, "country": "BR"}),
        };
        let (_, intent) = issue_boleto(&mut tx, text(&session, "id"), &payer).await?;
        world.commit(tx).await?;
        Ok(json!({
            "status": "complete", "payment_status": "unpaid",
            "voucher_url": intent.next_action.and_then(|action| action.boleto_display_details)
                .map(|voucher| voucher.hosted_voucher_url),
        }))
    });
    reply(issued.await)
}

fn read<'b, T: Deserialize<'b>>(body: &'b Bytes) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|error| ApiError::invalid(None, None, error.to_string()))
}

fn reply(done: Result<Result<Value, ApiError>, tokio::task::JoinError>) -> Response {
    match done {
        Ok(Ok(answer)) => Json(answer).into_response(),
        // A declined card is no failed call: as 402 it would stand in every console of a browser.
        Ok(Err(error)) if error.status == 402 => Json(json!({"error": error.error})).into_response(),
        Ok(Err(error)) => refused(&error),
        Err(_) => http::StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
