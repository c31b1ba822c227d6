//! The log of calls and deliveries: each call of the payments API with its parameters and answer,
//! and each delivery of an event, which can be sent again.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http::StatusCode;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use crate::pages::html::{Failed, Page, back_to, fact, message, missing, quiet};
use crate::pages::pretty::pretty;
use crate::provider::webhooks::{DeliveryFilter, LoggedDelivery};
use crate::provider::{Params, webhooks};
use crate::state::calls::{Api, Call, MAX_ANSWER_BYTES, MAX_CALLS};
use crate::state::{Cause, Moment, World, text};

/// Entries on a page.
const PAGE: usize = 50;

pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/log", get(calls))
        .route("/log/{request_id}", get(call))
        .route("/log/deliveries", get(deliveries))
        .route("/log/deliveries/{seq}/resend", post(resend))
}

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
    fn form(&self, path: &str, label: &str) -> Markup {
        html! {
            form.filter method="get" action=(path) {
                label for="busca" { (label) }
                input #busca name="busca" value=(self.busca);
                label.tick {
                    input type="checkbox" name="falhas" value="1" checked[self.falhas.is_some()];
                    " Só falhas"
                }
                button.secondary type="submit" { "Filtrar" }
            }
        }
    }

    /// The link to the entries before `last`, if there are any.
    fn older(&self, path: &str, last: Option<i64>) -> Markup {
        let failures = self.falhas.as_ref().map(|_| ("falhas", "1".to_owned()));
        let link = |last: i64| {
            let fields = [("antes", last.to_string()), ("busca", self.busca.clone())];
            let query = form_urlencoded::Serializer::new(String::new())
                .extend_pairs(fields.into_iter().chain(failures))
                .finish();
            html! { p { a href={ (path) "?" (query) } { "Mais antigas" } } }
        };
        last.map(link).unwrap_or_default()
    }
}

fn page(title: &str, here: &str, intro: &str, inside: &Markup) -> Page {
    let tabs = [("/log", "Chamadas da API"), ("/log/deliveries", "Entregas de eventos")];
    let body = html! {
        main.sheet.wide {
            h1 { (title) }
            nav.links aria-label="Registro" {
                @for (path, name) in tabs {
                    a href=(path) aria-current=[(path == here).then_some("page")] { (name) }
                }
            }
            p.quiet { (intro) }
            (inside)
        }
    };
    Page::alone(title, "Registro", body)
}

fn entries(list: &[Markup]) -> Markup {
    if list.is_empty() {
        return quiet("Nada por aqui.");
    }
    html! { div.entries { @for entry in list { (entry) } } }
}

async fn calls(State(world): State<Arc<World>>, Query(filter): Query<Filter>) -> Page {
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
    let list: Vec<Markup> = found.iter().map(|call| call_entry(call, false)).collect();
    let inside =
        html! { (filter.form("/log", "Caminho contém")) (entries(&list)) (filter.older("/log", last)) };
    let intro = format!(
        "Ficam as {MAX_CALLS} chamadas mais recentes desde que o sandbox começou, contadas as de fora da API; \
         respostas acima de {} KB não são guardadas. Segredos aparecem cortados.",
        MAX_ANSWER_BYTES / 1024
    );
    page("Chamadas da API", "/log", &intro, &inside)
}

fn is_failure(call: &Call) -> bool {
    call.status.is_none_or(|status| status >= 400)
}

/// `/log/req_…`, the `request_log_url` of errors.
async fn call(State(world): State<Arc<World>>, Path(request_id): Path<String>) -> Response {
    let is_it = |call: &Call| call.api.as_ref().is_some_and(|api| api.request_id == request_id);
    match world.calls.latest(1, is_it).first() {
        Some(call) => {
            let intro = "Uma chamada, com o que disse e o que ouviu.";
            page("Chamada da API", "", intro, &entries(&[call_entry(call, true)])).into_response()
        }
        None => message(
            StatusCode::NOT_FOUND,
            "Chamada não encontrada",
            &format!("Ficam só as {MAX_CALLS} mais recentes desde que o sandbox começou."),
        ),
    }
}

/// The parameters of query and body.
fn params_of(api: &Api) -> String {
    let body = String::from_utf8_lossy(&api.body);
    match Params::parse(&api.query, &body) {
        Ok(params) if params.value.as_object().is_some_and(serde_json::Map::is_empty) => String::new(),
        Ok(params) => pretty(&params.value),
        Err(_) => body.into_owned(),
    }
}

fn block(name: &str, value: &str) -> Markup {
    html! { @if !value.is_empty() { h2 { (name) } pre tabindex="0" { (value) } } }
}

fn call_entry(call: &Call, open: bool) -> Markup {
    let Some(api) = &call.api else { return Markup::default() };
    let read: Option<Value> = serde_json::from_slice(&api.answer).ok();
    let error = read.as_ref().map(|answer| &answer["error"]);
    let why = error.and_then(|error| error["code"].as_str().or(error["type"].as_str()));
    let answer = match call.status {
        None => "Nenhuma: a conexão acabou antes.".to_owned(),
        Some(_) => read.as_ref().map_or("Grande demais para ser guardada.".to_owned(), pretty),
    };
    let replayed = if api.replayed { "true: resposta de uma chamada anterior" } else { "" };
    html! {
        details.entry open[open] {
            summary {
                time { (call.at.to_the_second_br()) }
                span.told.(if is_failure(call) { "bad" } else { "good" }) {
                    (call.status.map_or("sem resposta".to_owned(), |status| status.to_string()))
                }
                code { b { (call.method) } " " (call.path) }
                span.why { (why.unwrap_or_default()) }
                span.took { (call.took_ms) " ms" }
            }
            dl.facts {
                (fact("Request-Id", &api.request_id))
                (fact("Idempotency-Key", api.idempotency_key.as_deref().unwrap_or_default()))
                (fact("Idempotent-Replayed", replayed))
            }
            (block("Parâmetros", &params_of(api)))
            (block("Resposta", &answer))
        }
    }
}

async fn deliveries(State(world): State<Arc<World>>, Query(filter): Query<Filter>) -> Result<Page, Failed> {
    let path = "/log/deliveries";
    let wanted = DeliveryFilter {
        before: filter.antes.unwrap_or(i64::MAX),
        kind: filter.busca.trim(),
        failures: filter.falhas.is_some(),
    };
    let mut found = webhooks::logged(&world, &wanted, PAGE + 1).await?;
    let more = found.len() > PAGE;
    found.truncate(PAGE);
    let last = found.last().filter(|_| more).map(|delivery| delivery.seq);
    let list: Vec<Markup> = found.iter().map(delivery_entry).collect();
    let inside = html! { (filter.form(path, "Evento contém")) (entries(&list)) (filter.older(path, last)) };
    let intro = "Cada evento vai a cada endpoint até ser aceito: de novo quando o sandbox começa, depois de 1, 5 e 30 \
                 s e então a cada 5 minutos do relógio. Todas as entregas ficam guardadas.";
    Ok(page("Entregas de eventos", path, intro, &inside))
}

fn delivery_entry(delivery: &LoggedDelivery) -> Markup {
    let LoggedDelivery { seq, event, .. } = delivery;
    let moment = |at: Option<Moment>| at.map(Moment::to_the_second_br).unwrap_or_default();
    let (class, words) = match delivery.state.as_str() {
        "delivered" => ("good", "entregue"),
        "held" => ("wait", "retida"),
        "dropped" => ("bad", "perdida"),
        "failed" => ("bad", "desistida"),
        _ if delivery.attempts > 0 => ("bad", "falhou"),
        _ => ("wait", "a caminho"),
    };
    let next = (delivery.state == "pending").then_some(delivery.due_at);
    let endpoint = delivery.endpoint.as_ref();
    let url = endpoint.map_or("apagado", |endpoint| text(endpoint, "url"));
    let created = Moment::from_seconds(event["created"].as_i64().unwrap_or_default());
    html! {
        details.entry id={ "d" (seq) } {
            summary {
                time { (created.to_the_second_br()) }
                span.told.(class) { (words) }
                code { b { (text(event, "type")) } }
                span.why { (delivery.last_answer) }
                span.took { (delivery.attempts) "×" }
            }
            dl.facts {
                (fact("Evento", text(event, "id")))
                (fact("Endpoint", &format!("{} ({url})", delivery.endpoint_id)))
                (fact("Tentativas", &delivery.attempts.to_string()))
                (fact("Última tentativa", &moment(delivery.last_at)))
                (fact("Última resposta", &delivery.last_answer))
                (fact("Próxima tentativa", &moment(next)))
                (fact("Causada por", text(&event["request"], "id")))
            }
            @if endpoint.is_some_and(|endpoint| endpoint["status"] == "enabled") {
                form method="post" action={ "/log/deliveries/" (seq) "/resend" } {
                    button.secondary type="submit" { "Reenviar" }
                }
            }
            (block("Corpo", &pretty(event)))
        }
    }
}

async fn resend(State(world): State<Arc<World>>, Path(seq): Path<i64>) -> Result<Response, Failed> {
    let mut tx = world.write(Cause::default()).await?;
    let is_sent = webhooks::resend(&mut tx, seq).await?;
    world.commit(tx).await?;
    Ok(if is_sent { back_to(&format!("/log/deliveries#d{seq}")) } else { missing() })
}
