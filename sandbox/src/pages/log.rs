//! The log, as a developer reads it: each call of the payments API with what it said and was told, and each
//! delivery of an event, which can be sent again.

use std::fmt::Write;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use sqlx::Row;

use crate::control::calls::{Call, KEPT, LARGEST_ANSWER, pretty};
use crate::control::guard::Frames;
use crate::pages::html::{Page, back_to, band, escape, failed, message, missing};
use crate::provider::error::ApiError;
use crate::provider::webhooks;
use crate::state::moment::Moment;
use crate::state::store::{Cause, public, text};
use crate::state::world::World;

/// Entries on a page.
const PAGE: usize = 50;

/// `/log` and what is under it.
pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/log", get(calls))
        .route("/log/{request_id}", get(call))
        .route("/log/deliveries", get(deliveries))
        .route("/log/deliveries/{seq}/resend", post(resend))
}

/// What is looked for.
#[derive(Deserialize)]
struct Filter {
    /// Part of the path, or of the event's name.
    #[serde(default)]
    busca: String,
    /// Present: failures alone.
    falhas: Option<String>,
    /// Entries before this one.
    antes: Option<i64>,
}

impl Filter {
    fn form(&self, path: &str, label: &str) -> String {
        format!(
            r#"<form class="filter" method="get" action="{path}"><label for="busca">{label}</label><input id="busca" name="busca" value="{}"><label class="tick"><input type="checkbox" name="falhas" value="1"{}> Só falhas</label><button class="secondary" type="submit">Filtrar</button></form>"#,
            escape(&self.busca),
            if self.falhas.is_some() { " checked" } else { "" },
        )
    }

    fn older(&self, path: &str, last: Option<i64>) -> String {
        let Some(last) = last else { return String::new() };
        let search: String = self
            .busca
            .bytes()
            .map(|byte| match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b'/' => char::from(byte).to_string(),
                other => format!("%{other:02X}"),
            })
            .collect();
        let failures = if self.falhas.is_some() { "&amp;falhas=1" } else { "" };
        format!(r#"<p><a href="{path}?antes={last}&amp;busca={search}{failures}">Mais antigas</a></p>"#)
    }
}

fn page(title: &str, here: &str, intro: &str, inside: &str) -> Response {
    let tab = |path: &str, name: &str| {
        let current = if path == here { r#" aria-current="page""# } else { "" };
        format!(r#"<a href="{path}"{current}>{name}</a>"#)
    };
    let body = format!(
        r#"{band}<main class="sheet wide"><h1>{title}</h1>
<nav class="links" aria-label="Registro">{calls}{deliveries}</nav>
<p class="quiet">{intro}</p>
{inside}</main>"#,
        band = band("Registro"),
        calls = tab("/log", "Chamadas da API"),
        deliveries = tab("/log/deliveries", "Entregas de eventos"),
    );
    Page { title, layout: "alone", script: None, body: &body, frames: Frames::Nobody }.into_response()
}

async fn calls(State(world): State<Arc<World>>, Query(filter): Query<Filter>) -> Response {
    let before = filter.antes.map_or(u64::MAX, |seq| seq.max(0).cast_unsigned());
    let mut found = world.calls.latest(PAGE + 1, |call| {
        call.api.is_some()
            && call.seq < before
            && call.path.contains(filter.busca.trim())
            && (filter.falhas.is_none() || is_failure(call))
    });
    let more = found.len() > PAGE;
    found.truncate(PAGE);
    let last = found.last().filter(|_| more).map(|call| call.seq.cast_signed());
    let list: String = found.iter().map(|call| entry(call, false)).collect();
    let inside = format!(
        "{}{}{}",
        filter.form("/log", "Caminho contém"),
        or_nothing(&list),
        filter.older("/log", last)
    );
    let intro = format!(
        "Ficam as {KEPT} chamadas mais recentes desde que o sandbox começou, contadas as de fora da API; \
         respostas acima de {} KB não são guardadas. Segredos aparecem cortados.",
        LARGEST_ANSWER / 1024
    );
    page("Chamadas da API", "/log", &intro, &inside)
}

fn is_failure(call: &Call) -> bool {
    call.status.is_none_or(|status| status >= 400)
}

fn or_nothing(list: &str) -> String {
    if list.is_empty() {
        r#"<p class="quiet">Nada por aqui.</p>"#.to_owned()
    } else {
        format!(r#"<div class="entries">{list}</div>"#)
    }
}

/// `/log/req_…`, where the API's errors point to.
async fn call(State(world): State<Arc<World>>, Path(request_id): Path<String>) -> Response {
    let is_it = |call: &Call| call.api.as_ref().is_some_and(|api| api.request_id == request_id);
    match world.calls.latest(1, is_it).first() {
        Some(call) => {
            let intro = "Uma chamada, com o que disse e o que ouviu.";
            page("Chamada da API", "", intro, &format!(r#"<div class="entries">{}</div>"#, entry(call, true)))
        }
        None => message(
            StatusCode::NOT_FOUND,
            "Chamada não encontrada",
            &format!("Ficam só as {KEPT} mais recentes desde que o sandbox começou."),
        ),
    }
}

fn fact(name: &str, value: &str) -> String {
    if value.is_empty() {
        return String::new();
    }
    format!("<div><dt>{name}</dt><dd>{}</dd></div>", escape(value))
}

fn block(name: &str, value: &str) -> String {
    if value.is_empty() {
        return String::new();
    }
    format!(r#"<h2>{name}</h2><pre tabindex="0">{}</pre>"#, escape(value))
}

fn entry(call: &Call, open: bool) -> String {
    let Some(api) = &call.api else { return String::new() };
    let answer = match call.status {
        None => "Nenhuma: a conexão acabou antes.".to_owned(),
        Some(_) => api.answer().unwrap_or_else(|| "Grande demais para ser guardada.".to_owned()),
    };
    format!(
        r#"<details class="entry"{open}><summary><time>{at}</time><span class="told {class}">{status}</span><code><b>{method}</b> {path}</code><span class="why">{why}</span><span class="took">{took} ms</span></summary>
<dl class="facts">{request_id}{key}{replayed}</dl>{params}{answer}</details>"#,
        open = if open { " open" } else { "" },
        at = call.at.to_the_second_br(),
        class = if is_failure(call) { "bad" } else { "good" },
        status = call.status.map_or_else(|| "sem resposta".to_owned(), |status| status.to_string()),
        method = escape(&call.method),
        path = escape(&call.path),
        why = escape(&api.error().unwrap_or_default()),
        took = call.took_ms,
        request_id = fact("Request-Id", &api.request_id),
        key = fact("Idempotency-Key", api.idempotency_key.as_deref().unwrap_or_default()),
        replayed = fact(
            "Idempotent-Replayed",
            if api.replayed { "true: resposta de uma chamada anterior" } else { "" }
        ),
        params = block("Parâmetros", &api.params()),
        answer = block("Resposta", &answer),
    )
}

async fn deliveries(State(world): State<Arc<World>>, Query(filter): Query<Filter>) -> Response {
    match list_deliveries(&world, &filter).await {
        Ok((list, last)) => {
            let path = "/log/deliveries";
            let inside = format!(
                "{}{}{}",
                filter.form(path, "Evento contém"),
                or_nothing(&list),
                filter.older(path, last)
            );
            let intro = "Cada evento vai a cada endpoint até ser aceito: de novo quando o sandbox começa, depois de 1, 5 e 30 \
                         s e então a cada 5 minutos do relógio. Todas as entregas ficam guardadas.";
            page("Entregas de eventos", path, intro, &inside)
        }
        Err(error) => failed(&error),
    }
}

async fn list_deliveries(world: &World, filter: &Filter) -> Result<(String, Option<i64>), ApiError> {
    let mut tx = world.read().await?;
    let rows = sqlx::query(
        "SELECT d.seq, d.state, d.attempts, d.last_answer, d.last_at_us, d.due_at_us, d.endpoint_id, e.doc, w.doc
         FROM deliveries d JOIN objects e ON e.id = d.event_id LEFT JOIN objects w ON w.id = d.endpoint_id
         WHERE d.seq < $1 AND instr(json_extract(e.doc, '$.type'), $2) > 0
         AND ($3 = 0 OR d.state IN ('dropped', 'failed', 'held') OR (d.state = 'pending' AND d.attempts > 0))
         ORDER BY d.seq DESC LIMIT $4",
    )
    .bind(filter.antes.unwrap_or(i64::MAX))
    .bind(filter.busca.trim())
    .bind(i64::from(filter.falhas.is_some()))
    .bind(PAGE as i64 + 1)
    .fetch_all(&mut *tx.conn)
    .await?;
    let mut list = String::new();
    for row in rows.iter().take(PAGE) {
        let event: Value = serde_json::from_str(row.get(7)).unwrap_or_default();
        let endpoint: Value =
            row.get::<Option<&str>, _>(8).and_then(|doc| serde_json::from_str(doc).ok()).unwrap_or_default();
        let _ = write!(list, "{}", delivery(row, &event, &endpoint));
    }
    let last = rows.get(PAGE).and_then(|_| rows.get(PAGE - 1)).map(|row| row.get(0));
    Ok((list, last))
}

fn delivery(row: &sqlx::sqlite::SqliteRow, event: &Value, endpoint: &Value) -> String {
    let (seq, state, attempts): (i64, &str, i64) = (row.get(0), row.get(1), row.get(2));
    let moment = |at: Option<i64>| at.map(|at| Moment(at).to_the_second_br()).unwrap_or_default();
    let (class, words) = match state {
        "delivered" => ("good", "entregue"),
        "held" => ("wait", "retida"),
        "dropped" => ("bad", "perdida"),
        "failed" => ("bad", "desistida"),
        _ if attempts > 0 => ("bad", "falhou"),
        _ => ("wait", "a caminho"),
    };
    let next = if state == "pending" { moment(Some(row.get(5))) } else { String::new() };
    let url = endpoint["url"].as_str().unwrap_or("apagado");
    let resend = if endpoint["status"] == "enabled" {
        format!(
            r#"<form method="post" action="/log/deliveries/{seq}/resend"><button class="secondary" type="submit">Reenviar</button></form>"#
        )
    } else {
        String::new()
    };
    format!(
        r#"<details class="entry" id="d{seq}"><summary><time>{at}</time><span class="told {class}">{words}</span><code><b>{kind}</b></code><span class="why">{answer}</span><span class="took">{attempts}×</span></summary>
<dl class="facts">{id}{to}{count}{last}{told}{next}{cause}</dl>{resend}{payload}</details>"#,
        at = Moment::from_seconds(event["created"].as_i64().unwrap_or_default()).to_the_second_br(),
        kind = escape(text(event, "type")),
        answer = escape(row.get(3)),
        id = fact("Evento", text(event, "id")),
        to = fact("Endpoint", &format!("{} ({url})", row.get::<&str, _>(6))),
        count = fact("Tentativas", &attempts.to_string()),
        last = fact("Última tentativa", &moment(row.get(4))),
        told = fact("Última resposta", row.get(3)),
        next = fact("Próxima tentativa", &next),
        cause = fact("Causada por", text(&event["request"], "id")),
        payload = block("Corpo", &pretty(&public(event))),
    )
}

async fn resend(State(world): State<Arc<World>>, Path(seq): Path<i64>) -> Response {
    let sent = async {
        let mut tx = world.write(Cause::default()).await?;
        let takes = webhooks::resend_in_tx(&mut tx, seq).await?;
        world.commit(tx).await?;
        Ok::<_, ApiError>(takes)
    };
    match sent.await {
        Ok(true) => back_to(&format!("/log/deliveries#d{seq}")),
        Ok(false) => missing(),
        Err(error) => failed(&error),
    }
}
