//! The front page: links, the clock's buttons, boletos that wait, the latest calls.

use std::fmt::Write;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::control::guard::Frames;
use crate::pages::html::{Page, band, escape, failed};
use crate::provider::error::ApiError;
use crate::state::moment::Moment;
use crate::state::world::World;

/// `/`.
pub fn routes() -> Router<Arc<World>> {
    Router::new().route("/", get(show))
}

async fn show(State(world): State<Arc<World>>) -> Response {
    match body(&world).await {
        Ok(body) => Page {
            title: "Sandbox",
            layout: "alone",
            script: Some("/assets/page.js"),
            body: &body,
            frames: Frames::Nobody,
        }
        .into_response(),
        Err(error) => failed(&error),
    }
}

async fn body(world: &World) -> Result<String, ApiError> {
    Ok(format!(
        r#"{band}<main class="sheet wide">
<h1>O mundo lá fora, de mentira</h1>
<p class="quiet">Pagamentos, correio, conversões e relógio do Garimpo, sem conta em lugar nenhum. Nada aqui vale dinheiro.</p>
<nav class="links" aria-label="Partes"><a href="/log">Registro da API</a><a href="/log/deliveries">Entregas de eventos</a><a href="/mail">Correio</a><a href="/graph">Conversões</a><a href="/pixel/events.json">Pixels das páginas (JSON)</a><a href="/mail.json">Correio (JSON)</a><a href="/clock">Relógio (JSON)</a><a href="/_test/faults">Falhas em vigor</a></nav>
<section class="order clock" aria-labelledby="clock-title"><h2 id="clock-title">Relógio</h2>
<p class="price" id="now">{now}</p>
<p class="quiet">Horário de São Paulo. O relógio só anda para a frente.</p>
<div class="actions">
<button class="secondary" type="button" data-advance="3600">+1 hora</button>
<button class="secondary" type="button" data-advance="86400">+1 dia</button>
<button class="secondary" type="button" data-advance="604800">+7 dias</button>
<button class="secondary" type="button" data-advance="2592000">+30 dias</button>
</div>
<label class="tick"><input type="checkbox" id="keep"> Manter as sessões abertas</label>
<p id="walked" role="status"></p>
{followers}
</section>
<section><h2>Boletos à espera</h2>{vouchers}</section>
<section><h2>Últimas chamadas</h2>{calls}
<p><a href="/log">Registro da API</a>, com parâmetros e respostas · <a href="/log/deliveries">Entregas de eventos</a></p></section>
</main>"#,
        band = band("Início"),
        now = world.now().date_time_br(),
        followers = followers(world),
        vouchers = vouchers(world).await?,
        calls = calls(world),
    ))
}

fn followers(world: &World) -> String {
    let mut list = String::new();
    for (name, taken, silent) in world.clock.followers.list() {
        let state = if silent { "em silêncio" } else { "em dia" };
        let _ = write!(list, "<li>{} (revisão {taken}, {state})</li>", escape(&name));
    }
    if list.is_empty() {
        String::new()
    } else {
        format!(r#"<p class="quiet">Quem segue:</p><ul>{list}</ul>"#)
    }
}

async fn vouchers(world: &World) -> Result<String, ApiError> {
    let mut tx = world.read().await?;
    let mut list = String::new();
    for intent in tx.find_by("payment_intent", "status", "requires_action").await?.iter().take(10) {
        let details = &intent["next_action"]["boleto_display_details"];
        let _ = write!(
            list,
            r#"<li><a href="{}"><span>{}</span><strong>{}</strong><span>vence em {}</span></a></li>"#,
            escape(details["hosted_voucher_url"].as_str().unwrap_or("#")),
            escape(intent["_payer"]["name"].as_str().unwrap_or_default()),
            crate::provider::checkout::amounts::reais(intent["amount"].as_i64().unwrap_or_default()),
            Moment::from_seconds(details["expires_at"].as_i64().unwrap_or_default()).date_br()
        );
    }
    Ok(if list.is_empty() {
        r#"<p class="quiet">Nenhum.</p>"#.to_owned()
    } else {
        format!(r#"<ul class="letters">{list}</ul>"#)
    })
}

fn calls(world: &World) -> String {
    let mut body = String::new();
    for call in world.calls.latest(20, |_| true) {
        let _ = write!(
            body,
            "<tr><td>{}</td><td>{}</td><td><code>{}</code></td><td>{}</td><td>{} ms</td></tr>",
            call.at.date_time_br(),
            escape(&call.method),
            escape(&short(&call.path)),
            call.status.map_or_else(|| "sem resposta".to_owned(), |status| status.to_string()),
            call.took_ms
        );
    }
    table(&["Quando", "Método", "Caminho", "Resposta", "Levou"], &body)
}

/// A path whose long parts (ids and secrets) are cut.
fn short(path: &str) -> String {
    let cut = |part: &str| match part.char_indices().nth(20) {
        Some((at, _)) if part.len() > 30 => format!("{}…", &part[..at]),
        _ => part.to_owned(),
    };
    path.split('/').map(cut).collect::<Vec<_>>().join("/")
}

fn table(heads: &[&str], body: &str) -> String {
    if body.is_empty() {
        return r#"<p class="quiet">Nada ainda.</p>"#.to_owned();
    }
    let heads: String = heads.iter().flat_map(|head| ["<th>", head, "</th>"]).collect();
    format!(
        r#"<div class="scroll" tabindex="0"><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"#
    )
}
