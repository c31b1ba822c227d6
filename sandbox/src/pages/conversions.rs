//! The conversions that the advertising platform counted.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use maud::{Markup, html};

use crate::control::graph::{Counted, conversions};
use crate::pages::html::{Failed, Page, quiet};
use crate::pages::pretty::pretty;
use crate::state::{World, text};

/// Events on the page.
const MAX_SHOWN: usize = 200;

pub fn routes() -> Router<Arc<World>> {
    Router::new().route("/graph", get(list))
}

async fn list(State(world): State<Arc<World>>) -> Result<Page, Failed> {
    let events = conversions(&world).await?;
    let body = html! {
        main.sheet.wide {
            h1 { "Conversões" }
            p.quiet {
                "O que a plataforma de anúncios recebeu do servidor, cada evento uma vez só em dois dias. Dados pessoais chegam com hash. "
                a href="/graph/events.json" { "JSON" }
            }
            div.entries {
                @for counted in events.iter().take(MAX_SHOWN) { (entry(counted)) }
                @if events.is_empty() { (quiet("Nada por aqui.")) }
            }
        }
    };
    Ok(Page::alone("Conversões", "Conversões", body))
}

fn entry(counted: &Counted) -> Markup {
    let repeats = match counted.repeats {
        0 => String::new(),
        1 => "veio mais 1 vez".to_owned(),
        times => format!("veio mais {times} vezes"),
    };
    html! {
        details.entry {
            summary {
                time { (counted.received_at.to_the_second_br()) }
                span.told.good { (text(&counted.event, "event_name")) }
                code { (text(&counted.event, "event_id")) }
                span.why { (repeats) }
            }
            pre tabindex="0" { (pretty(&counted.event)) }
        }
    }
}
