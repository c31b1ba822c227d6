//! The mailbox: every mail of the product, stored once per idempotency key. Repeats are counted,
//! because a mail server would deliver each of them.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::Row;

use crate::control::answers::Refused;
use crate::state::{Cause, Moment, World};

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

#[derive(Serialize)]
pub struct Mail {
    /// Order of arrival.
    #[serde(skip)]
    pub seq: i64,
    pub to: String,
    pub subject: String,
    pub text: String,
    pub html: String,
    /// RFC 3339, by the sandbox's clock.
    pub sent_at: String,
    /// Number of later requests with the same key.
    pub repeats: i64,
}

async fn receive(State(world): State<Arc<World>>, body: Bytes) -> Result<Json<Value>, Refused> {
    let mail: MailRequest = serde_json::from_slice(&body)?;
    let mut tx = world.write(Cause::default()).await?;
    let inserted = sqlx::query(
        "INSERT INTO mails (key, recipient, subject, body_text, body_html, sent_at_us)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (key) DO NOTHING",
    )
    .bind(&mail.key)
    .bind(&mail.to)
    .bind(&mail.subject)
    .bind(&mail.text)
    .bind(&mail.html)
    .bind(tx.now.0)
    .execute(&mut *tx.conn)
    .await?;
    let is_new = inserted.rows_affected() == 1;
    if !is_new {
        let repeat = sqlx::query("INSERT INTO mail_repeats (key) VALUES ($1)").bind(&mail.key);
        repeat.execute(&mut *tx.conn).await?;
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
) -> Result<Json<Vec<Mail>>, Refused> {
    Ok(Json(mails(&world, filter.to.as_deref()).await?))
}

/// The mails, newest first, optionally of one address.
pub async fn mails(world: &World, to: Option<&str>) -> Result<Vec<Mail>, sqlx::Error> {
    let mut tx = world.read().await?;
    let rows = sqlx::query(
        "SELECT seq, recipient, subject, body_text, body_html, sent_at_us,
             (SELECT count(*) FROM mail_repeats WHERE mail_repeats.key = mails.key)
         FROM mails WHERE $1 IS NULL OR recipient = $1 ORDER BY seq DESC LIMIT 1000",
    )
    .bind(to)
    .fetch_all(&mut *tx.conn)
    .await?;
    Ok(rows
        .iter()
        .map(|row| Mail {
            seq: row.get(0),
            to: row.get(1),
            subject: row.get(2),
            text: row.get(3),
            html: row.get(4),
            sent_at: Moment(row.get(5)).rfc3339(),
            repeats: row.get(6),
        })
        .collect())
}
