//! The page of a voucher. A button plays the bank at which it is paid.

use std::fmt::Write;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use maud::{Markup, html};

use crate::objects::{BillingDetails, PaymentIntent, PaymentIntentStatus, Voucher};
use crate::pages::html::{Failed, Page, back_link, back_to, missing};
use crate::provider::ApiError;
use crate::provider::amounts::reais;
use crate::provider::billing::voucher_outcomes;
use crate::provider::money::boleto;
use crate::state::{Cause, Moment, Tx, World};

pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/boleto/{token}", get(show))
        .route(
            "/boleto/{token}/pdf",
            get(|Path(token): Path<String>| async move { back_to(&format!("/boleto/{token}")) }),
        )
        .route("/boleto/{token}/pay", post(pay))
}

async fn find(tx: &mut Tx, token: &str) -> Result<Option<PaymentIntent>, sqlx::Error> {
    Ok(tx.load_by_private("voucher.token", token).await?.into_iter().next())
}

async fn show(State(world): State<Arc<World>>, Path(token): Path<String>) -> Result<Response, Failed> {
    let intent: Option<PaymentIntent> = find(&mut world.read().await?, &token).await?;
    let voucher = intent.as_ref().and_then(|intent| Some((intent, intent.private.voucher.as_ref()?)));
    Ok(match voucher {
        Some((intent, voucher)) => page(intent, voucher).into_response(),
        None => missing(),
    })
}

async fn pay(State(world): State<Arc<World>>, Path(token): Path<String>) -> Result<Response, Failed> {
    let mut tx = world.write(Cause::default()).await?;
    let intent = find(&mut tx, &token).await?.ok_or_else(|| ApiError::not_found("boleto", &token, "id"))?;
    voucher_outcomes::pay(&mut tx, intent).await?;
    world.commit(tx).await?;
    Ok(back_to(&format!("/boleto/{token}")))
}

fn page(intent: &PaymentIntent, voucher: &Voucher) -> Page {
    let due = Moment::from_seconds(voucher.due);
    let is_waiting = intent.status == PaymentIntentStatus::RequiresAction;
    let (class, state) = match intent.status {
        PaymentIntentStatus::Succeeded => {
            ("paid", "Boleto pago. A confirmação já foi enviada ao site.".to_owned())
        }
        PaymentIntentStatus::RequiresAction => {
            let until = due.date_time_br();
            ("waiting", format!("Pague até {until}. Depois do pagamento, a assinatura é ativada."))
        }
        PaymentIntentStatus::Canceled => {
            ("over", "Este boleto foi cancelado e não pode mais ser pago.".to_owned())
        }
        PaymentIntentStatus::RequiresPaymentMethod => {
            ("over", format!("Este boleto venceu em {} e não pode mais ser pago.", due.date_br()))
        }
    };
    let body = html! {
        main.voucher {
            p.state.(class) role="status" { (state) }
            div.actions {
                @if is_waiting {
                    form method="post" action={ "/boleto/" (voucher.token) "/pay" } {
                        button.primary type="submit" { "Simular pagamento" }
                    }
                }
                button.secondary type="button" data-copy=(voucher.line) { "Copiar linha digitável" }
                (back_link(voucher.return_url.as_deref()))
            }
            article.slip aria-label="Boleto" {
                p.worthless aria-hidden="true" { "SEM VALOR" }
                header {
                    strong { "Banco de Testes" }
                    span.bank { "999" }
                    span.line { (boleto::printed(&voucher.line)) }
                }
                dl {
                    div.wide {
                        dt { "Local de pagamento" }
                        dd { "Em nenhum banco: ambiente de testes, documento SEM VALOR" }
                    }
                    div { dt { "Vencimento" } dd.strong { (due.date_br()) } }
                    div.wide { dt { "Beneficiário" } dd { "Garimpo (ambiente de testes)" } }
                    div { dt { "Valor do documento" } dd.strong { (reais(intent.amount)) } }
                    div.wide { dt { "Pagador" } dd { (payer(&voucher.payer)) } }
                    div { dt { "Nosso número" } dd { (voucher.bar_code.get(19..30).unwrap_or_default()) } }
                }
                (bar_code(&voucher.bar_code))
            }
        }
    };
    Page::alone("Boleto", "Boleto", body).with_script()
}

fn payer(details: &BillingDetails) -> String {
    let address = details.address.clone().unwrap_or_default();
    let name = [details.name.clone(), details.tax_id.clone()];
    let parts = name.into_iter().chain([address.line1, address.city, address.state, address.postal_code]);
    parts.flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

/// The bars as rectangles: 405 modules, with quiet zones of 10 on both sides.
fn bar_code(digits: &str) -> Markup {
    let mut path = String::new();
    for (x, width) in boleto::bars(digits) {
        let _ = write!(path, "M{} 0h{width}v50h-{width}z", x + 10);
    }
    html! {
        div.scroll {
            svg.bars width="425" height="60" viewBox="0 0 425 50" preserveAspectRatio="none"
                shape-rendering="crispEdges" role="img" aria-label="Código de barras" {
                rect width="425" height="50" fill="#fff" {}
                path d=(path) fill="#000" {}
            }
        }
    }
}
