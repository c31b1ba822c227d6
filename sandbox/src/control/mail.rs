//! The mailbox: every mail of the product, stored once per idempotency key. Repeats are counted,
//! because a mail server would deliver each of them.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::FromRow;

use crate::provider::{ApiError, read};
use crate::state::{Cause, Moment, World, sql};

/// `POST /mail` and `GET /mail.json`; the page at `GET /mail` is in `pages/mailbox.rs`.
pub fn routes() -> Router<Arc<World>> {
    Router::new().route("/mail", post(receive)).route("/mail.json", get(list))
}

#[derive(Deserialize)]
struct MailRequest {
    key: String,
    to: String,
    subject: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    html: String,
}

#[derive(Serialize, FromRow)]
pub struct Mail {
    /// Order of arrival.
    #[serde(skip)]
    pub seq: i64,
    pub to: String,
    pub subject: String,
    pub text: String,
    pub html: String,
    /// By the sandbox's clock.
    pub sent_at: Moment,
    /// Number of later requests with the same key.
    pub repeats: i64,
}

async fn receive(State(world): State<Arc<World>>, body: Bytes) -> Result<Json<Value>, ApiError> {
    let mail: MailRequest = read(&body)?;
    let mut tx = world.write(Cause::default()).await?;
    let sql = "INSERT INTO mails (key, recipient, subject, body_text, body_html, sent_at_us)
               VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (key) DO NOTHING";
    let MailRequest { key, to, subject, text, html } = &mail;
    let is_new = tx.execute(sql!(sql, key, to, subject, text, html, tx.now)).await? == 1;
    if !is_new {
        tx.execute(sql!("INSERT INTO mail_repeats (key) VALUES ($1)", key)).await?;
    }
    world.commit(tx).await?;
    Ok(Json(json!({"ok": true, "stored": is_new})))
}

#[derive(Deserialize)]
struct Filter {
    to: Option<String>,
}

async fn list(
    State(world): State<Arc<World>>,
    Query(filter): Query<Filter>,
) -> Result<Json<Vec<Mail>>, ApiError> {
    Ok(Json(mails(&world, filter.to.as_deref()).await?))
}

/// The mails, newest first, optionally of one address.
pub async fn mails(world: &World, to: Option<&str>) -> Result<Vec<Mail>, sqlx::Error> {
    let sql = "SELECT seq, recipient AS \"to\", subject, body_text AS text, body_html AS html, sent_at_us AS sent_at,
               (SELECT count(*) FROM mail_repeats WHERE mail_repeats.key = mails.key) AS repeats
               FROM mails WHERE $1 IS NULL OR recipient = $1 ORDER BY seq DESC LIMIT 1000";
    sqlx::query_as(sql).bind(to).fetch_all(&mut *world.read().await?.conn).await
}
