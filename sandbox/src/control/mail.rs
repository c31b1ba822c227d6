//! The mailbox: every mail of the product lands here, once per key. How often it came again is counted, because a mail
//! server delivers it each time.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::Row;

use crate::state::moment::Moment;
use crate::state::store::{Cause, Tx};
use crate::state::world::World;

/// `POST /mail` and `GET /mail.json`; the page at `GET /mail` is in `pages/mailbox.rs`.
pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/mail", post(receive).get(crate::pages::mailbox::list))
        .route("/mail.json", get(list))
}

#[derive(Deserialize)]
struct Letter {
    key: String,
    to: String,
    subject: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    html: String,
}

/// A mail as it lies in the mailbox.
#[derive(Serialize)]
pub struct Mail {
    /// Its number, the order of arrival.
    #[serde(skip)]
    pub seq: i64,
    /// Address.
    pub to: String,
    /// Subject.
    pub subject: String,
    /// Plain text.
    pub text: String,
    /// HTML.
    pub html: String,
    /// RFC 3339, the sandbox's clock.
    pub sent_at: String,
    /// How often it came again under its key.
    pub repeats: i64,
}

async fn receive(State(world): State<Arc<World>>, body: Bytes) -> Response {
    let letter: Letter = match serde_json::from_slice(&body) {
        Ok(letter) => letter,
        Err(error) => {
            return (StatusCode::BAD_REQUEST, Json(json!({"error": error.to_string()}))).into_response();
        }
    };
    match store(&world, &letter).await {
        Ok(stored) => Json(json!({"ok": true, "stored": stored})).into_response(),
        Err(error) => {
            tracing::error!(%error, "a mail could not be stored");
            (StatusCode::SERVICE_UNAVAILABLE, Json(json!({"error": "not stored"}))).into_response()
        }
    }
}

async fn store(world: &World, letter: &Letter) -> Result<bool, sqlx::Error> {
    let mut tx = world.write(Cause::default()).await?;
    let done = sqlx::query(
        "INSERT INTO mails (key, recipient, subject, body_text, body_html, sent_at_us)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (key) DO NOTHING",
    )
    .bind(&letter.key)
    .bind(&letter.to)
    .bind(&letter.subject)
    .bind(&letter.text)
    .bind(&letter.html)
    .bind(tx.now.0)
    .execute(&mut *tx.conn)
    .await?;
    let is_new = done.rows_affected() == 1;
    if !is_new {
        let again = sqlx::query("INSERT INTO mail_repeats (key) VALUES ($1)").bind(&letter.key);
        again.execute(&mut *tx.conn).await?;
    }
    world.commit(tx).await?;
    Ok(is_new)
}

#[derive(Deserialize)]
struct Filter {
    to: Option<String>,
}

async fn list(State(world): State<Arc<World>>, Query(filter): Query<Filter>) -> Response {
    match mails(&world, filter.to.as_deref()).await {
        Ok(mails) => Json(mails).into_response(),
        Err(error) => {
            tracing::error!(%error, "the mailbox could not be read");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
    }
}

/// The mails, newest first; with an address, its mails alone.
pub async fn mails(world: &World, to: Option<&str>) -> Result<Vec<Mail>, sqlx::Error> {
    let mut tx: Tx = world.read().await?;
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
