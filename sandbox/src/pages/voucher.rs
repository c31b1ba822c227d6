//! The voucher: what a boleto's payer sees, with the bank's part played by a button.

use std::fmt::Write;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::Value;

use crate::control::guard::Frames;
use crate::objects::payment_intent::PaymentIntent;
use crate::pages::html::{Page, back_to, band, escape, failed, missing, site_of};
use crate::provider::checkout::amounts::reais;
use crate::provider::error::ApiError;
use crate::provider::money::boleto;
use crate::provider::money::vouchers;
use crate::state::moment::Moment;
use crate::state::store::{Cause, Tx, number, text};
use crate::state::world::World;

/// The voucher's page.
pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/boleto/{token}", get(show))
        .route(
            "/boleto/{token}/pdf",
            get(|Path(token): Path<String>| async move { back_to(&format!("/boleto/{token}")) }),
        )
        .route("/boleto/{token}/pay", post(pay))
}

async fn voucher(tx: &mut Tx, token: &str) -> Result<Option<Value>, ApiError> {
    Ok(tx.find_by("payment_intent", "_voucher", token).await?.into_iter().next())
}

async fn show(State(world): State<Arc<World>>, Path(token): Path<String>) -> Response {
    let found = async { voucher(&mut world.read().await?, &token).await };
    match found.await {
        Ok(Some(intent)) => page(&intent, &token),
        Ok(None) => missing(),
        Err(error) => failed(&error),
    }
}

async fn pay(State(world): State<Arc<World>>, Path(token): Path<String>) -> Response {
    let paid = async {
        let mut tx = world.write(Cause::default()).await?;
        let intents: Vec<PaymentIntent> = tx.load_by("_voucher", &token).await?;
        let intent = intents.into_iter().next().ok_or_else(|| ApiError::not_found("boleto", &token, "id"))?;
        vouchers::pay(&mut tx, intent).await?;
        world.commit(tx).await?;
        Ok::<_, ApiError>(())
    };
    match paid.await {
        Ok(()) => back_to(&format!("/boleto/{token}")),
        Err(error) => failed(&error),
    }
}

fn page(intent: &Value, token: &str) -> Response {
    let due = Moment::from_seconds(number(intent, "_due"));
    let line = boleto::printed(text(intent, "_line"));
    let (state, told, action) = match text(intent, "status") {
        "succeeded" => {
            ("paid", "Boleto pago. A confirmação já foi enviada ao site.".to_owned(), String::new())
        }
        "requires_action" => (
            "waiting",
            format!("Pague até {}. Depois do pagamento, a assinatura é ativada.", due.date_time_br()),
            format!(
                r#"<form method="post" action="/boleto/{token}/pay"><button class="primary" type="submit">Simular pagamento</button></form>"#
            ),
        ),
        "canceled" => {
            ("over", "Este boleto foi cancelado e não pode mais ser pago.".to_owned(), String::new())
        }
        _ => (
            "over",
            format!("Este boleto venceu em {} e não pode mais ser pago.", due.date_br()),
            String::new(),
        ),
    };
    let back = site_of(text(intent, "_return_url"))
        .map(|site| {
            format!(r#"<a class="secondary" href="{}/area-usuario">Voltar ao site</a>"#, escape(&site))
        })
        .unwrap_or_default();
    let body = format!(
        r#"{band}<main class="voucher">
<p class="state {state}" role="status">{told}</p>
<div class="actions">{action}<button class="secondary" type="button" data-copy="{digits}">Copiar linha digitável</button>{back}</div>
<article class="slip" aria-label="Boleto">
<p class="worthless" aria-hidden="true">SEM VALOR</p>
<header><strong>Banco de Testes</strong><span class="bank">999</span><span class="line">{line}</span></header>
<dl>
<div class="wide"><dt>Local de pagamento</dt><dd>Em nenhum banco: ambiente de testes, documento SEM VALOR</dd></div>
<div><dt>Vencimento</dt><dd class="strong">{due_date}</dd></div>
<div class="wide"><dt>Beneficiário</dt><dd>Garimpo (ambiente de testes)</dd></div>
<div><dt>Valor do documento</dt><dd class="strong">{amount}</dd></div>
<div class="wide"><dt>Pagador</dt><dd>{payer}</dd></div>
<div><dt>Nosso número</dt><dd>{own_number}</dd></div>
</dl>
{bars}
</article>
</main>"#,
        band = band("Boleto"),
        digits = escape(text(intent, "_line")),
        line = escape(&line),
        due_date = due.date_br(),
        amount = reais(number(intent, "amount")),
        payer = payer(&intent["_payer"]),
        own_number = escape(&text(intent, "_bar_code").chars().skip(19).take(11).collect::<String>()),
        bars = bar_code(text(intent, "_bar_code")),
    );
    Page {
        title: "Boleto",
        layout: "alone",
        script: Some("/assets/page.js"),
        body: &body,
        frames: Frames::Nobody,
    }
    .into_response()
}

fn payer(details: &Value) -> String {
    let address = &details["address"];
    let parts = [
        text(details, "name"),
        text(details, "tax_id"),
        text(address, "line1"),
        text(address, "city"),
        text(address, "state"),
        text(address, "postal_code"),
    ];
    escape(&parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · "))
}

/// The bars as rectangles: 405 modules, with quiet zones of 10 on both sides.
fn bar_code(digits: &str) -> String {
    if digits.len() != 44 {
        return String::new();
    }
    let mut path = String::new();
    for (x, width) in boleto::bars(digits) {
        let _ = write!(path, "M{} 0h{width}v50h-{width}z", x + 10);
    }
    format!(
        r##"<div class="scroll"><svg class="bars" width="425" height="60" viewBox="0 0 425 50" preserveAspectRatio="none" shape-rendering="crispEdges" role="img" aria-label="Código de barras"><rect width="425" height="50" fill="#fff"/><path d="{path}" fill="#000"/></svg></div>"##
    )
}
