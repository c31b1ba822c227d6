//! The mailbox as a page.

use std::fmt::Write;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use http::header::CONTENT_SECURITY_POLICY;

use crate::control::guard::Frames;
use crate::control::mail::{Mail, mails};
use crate::pages::html::{Page, band, escape, failed, missing};
use crate::provider::error::ApiError;
use crate::state::moment::Moment;
use crate::state::world::World;

/// A mail of its own and its HTML part.
pub fn routes() -> Router<Arc<World>> {
    Router::new().route("/mail/{seq}", get(show)).route("/mail/{seq}/html", get(html_part))
}

async fn all(world: &World) -> Result<Vec<Mail>, ApiError> {
    Ok(mails(world, None).await?)
}

/// `GET /mail`.
pub async fn list(State(world): State<Arc<World>>) -> Response {
    let mails = match all(&world).await {
        Ok(mails) => mails,
        Err(error) => return failed(&error),
    };
    let mut rows = String::new();
    for mail in &mails {
        let at = Moment::parse(&mail.sent_at).map(Moment::date_time_br).unwrap_or_default();
        let _ = write!(
            rows,
            r#"<li><a href="/mail/{}"><strong>{}</strong><span>{}</span><time>{at}</time></a></li>"#,
            mail.seq,
            escape(&mail.subject),
            escape(&mail.to)
        );
    }
    if rows.is_empty() {
        rows.push_str(r#"<li class="empty">Nenhuma mensagem ainda.</li>"#);
    }
    let body = format!(
        r#"{}<main class="sheet"><h1>Caixa de correio</h1><p class="quiet">Toda mensagem que o produto enviaria chega aqui.</p><ul class="letters">{rows}</ul></main>"#,
        band("Correio")
    );
    Page { title: "Correio", layout: "alone", script: None, body: &body, frames: Frames::Nobody }
        .into_response()
}

async fn one(world: &World, seq: i64) -> Result<Option<Mail>, ApiError> {
    Ok(all(world).await?.into_iter().find(|mail| mail.seq == seq))
}

async fn show(State(world): State<Arc<World>>, Path(seq): Path<i64>) -> Response {
    let mail = match one(&world, seq).await {
        Ok(Some(mail)) => mail,
        Ok(None) => return missing(),
        Err(error) => return failed(&error),
    };
    let part = if mail.html.is_empty() {
        String::new()
    } else {
        format!(
            r#"<iframe class="letter" title="Mensagem" src="/mail/{seq}/html" sandbox="allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation"></iframe>"#
        )
    };
    let body = format!(
        r#"{}<main class="sheet wide"><p><a href="/mail">Todas as mensagens</a></p><h1>{}</h1><p class="quiet">Para {} · {}</p>{part}<h2>Texto simples</h2><pre>{}</pre></main>"#,
        band("Correio"),
        escape(&mail.subject),
        escape(&mail.to),
        Moment::parse(&mail.sent_at).map(Moment::date_time_br).unwrap_or_default(),
        escape(&mail.text)
    );
    Page { title: &mail.subject, layout: "alone", script: None, body: &body, frames: Frames::Nobody }
        .into_response()
}

async fn html_part(State(world): State<Arc<World>>, Path(seq): Path<i64>) -> Response {
    let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";
    match one(&world, seq).await {
        Ok(Some(mail)) => {
            // A mail's links leave its frame, as they leave any mail program.
            let base = r#"<base target="_top">"#;
            let html = match mail.html.split_once("<head>") {
                Some((before, after)) => format!("{before}<head>{base}{after}"),
                None => format!("{base}{}", mail.html),
            };
            ([(CONTENT_SECURITY_POLICY, policy)], Html(html)).into_response()
        }
        Ok(None) => missing(),
        Err(error) => failed(&error),
    }
}
