//! The mailbox.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use http::header::CONTENT_SECURITY_POLICY;
use maud::html;

use crate::control::mail::{Mail, mails};
use crate::pages::html::{Failed, Page, missing};
use crate::state::World;

pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/mail", get(list))
        .route("/mail/{seq}", get(show))
        .route("/mail/{seq}/html", get(html_part))
}

async fn list(State(world): State<Arc<World>>) -> Result<Page, Failed> {
    let mails = mails(&world, None).await?;
    let body = html! {
        main.sheet {
            h1 { "Caixa de correio" }
            p.quiet { "Toda mensagem que o produto enviaria chega aqui." }
            ul.letters {
                @for mail in &mails {
                    li {
                        a href={ "/mail/" (mail.seq) } {
                            strong { (mail.subject) }
                            span { (mail.to) }
                            time { (mail.sent_at.date_time_br()) }
                        }
                    }
                }
                @if mails.is_empty() { li.empty { "Nenhuma mensagem ainda." } }
            }
        }
    };
    Ok(Page::alone("Correio", "Correio", body))
}

async fn one(world: &World, seq: i64) -> Result<Option<Mail>, sqlx::Error> {
    Ok(mails(world, None).await?.into_iter().find(|mail| mail.seq == seq))
}

async fn show(State(world): State<Arc<World>>, Path(seq): Path<i64>) -> Result<Response, Failed> {
    let Some(mail) = one(&world, seq).await? else { return Ok(missing()) };
    let sandbox = "allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation";
    let body = html! {
        main.sheet.wide {
            p { a href="/mail" { "Todas as mensagens" } }
            h1 { (mail.subject) }
            p.quiet { "Para " (mail.to) " · " (mail.sent_at.date_time_br()) }
            @if !mail.html.is_empty() {
                iframe.letter title="Mensagem" src={ "/mail/" (seq) "/html" } sandbox=(sandbox) {}
            }
            h2 { "Texto simples" }
            pre { (mail.text) }
        }
    };
    Ok(Page::alone(mail.subject, "Correio", body).into_response())
}

async fn html_part(State(world): State<Arc<World>>, Path(seq): Path<i64>) -> Result<Response, Failed> {
    let Some(mail) = one(&world, seq).await? else { return Ok(missing()) };
    let policy =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data: http: https:; frame-ancestors 'self'";
    // Links of a mail open outside of its frame, as in any mail program.
    let base = r#"<base target="_top">"#;
    let html = match mail.html.split_once("<head>") {
        Some((before, after)) => format!("{before}<head>{base}{after}"),
        None => format!("{base}{}", mail.html),
    };
    Ok(([(CONTENT_SECURITY_POLICY, policy)], Html(html)).into_response())
}
