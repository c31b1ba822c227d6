//! What the conversions platform was told, as a page.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};

use crate::control::calls::pretty;
use crate::control::graph::{Counted, conversions};
use crate::control::guard::Frames;
use crate::pages::html::{Page, band, escape, failed};
use crate::state::moment::Moment;
use crate::state::store::text;
use crate::state::world::World;

/// Events on the page.
const SHOWN: usize = 200;

/// `GET /graph`.
pub async fn list(State(world): State<Arc<World>>) -> Response {
    let events = match conversions(&world).await {
        Ok(events) => events,
        Err(error) => return failed(&error.into()),
    };
    let mut entries: String = events.iter().take(SHOWN).map(entry).collect();
    if entries.is_empty() {
        entries.push_str(r#"<p class="quiet">Nada por aqui.</p>"#);
    }
    let body = format!(
        r#"{}<main class="sheet wide"><h1>Conversões</h1><p class="quiet">O que a plataforma de anúncios recebeu do servidor, cada evento uma vez só em dois dias. Dados pessoais chegam com hash. <a href="/graph/events.json">JSON</a></p><div class="entries">{entries}</div></main>"#,
        band("Conversões")
    );
    Page { title: "Conversões", layout: "alone", script: None, body: &body, frames: Frames::Nobody }
        .into_response()
}

fn entry(counted: &Counted) -> String {
    let at = Moment::parse(&counted.received_at).map(Moment::to_the_second_br).unwrap_or_default();
    let again = match counted.repeats {
        0 => String::new(),
        1 => "veio mais 1 vez".to_owned(),
        times => format!("veio mais {times} vezes"),
    };
    format!(
        r#"<details class="entry"><summary><time>{at}</time><span class="told good">{name}</span><code>{id}</code><span class="why">{again}</span></summary><pre tabindex="0">{event}</pre></details>"#,
        name = escape(text(&counted.event, "event_name")),
        id = escape(text(&counted.event, "event_id")),
        event = escape(&pretty(&counted.event)),
    )
}
