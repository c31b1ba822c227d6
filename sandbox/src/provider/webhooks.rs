//! Delivery of events: signed as the provider signs, at least once, in any order.
//!
//! An event that is not accepted is sent again at the start, after 1, 5 and 30 s and then every 5
//! minutes, for three days of the sandbox's clock. Moving the clock therefore sends it at once.

mod log;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use futures::StreamExt;
use hmac::{Hmac, KeyInit, Mac};
use rand::seq::SliceRandom;
use serde_json::{Value, json};
use sha2::Sha256;
use sqlx::FromRow;

use crate::objects::template;
use crate::provider::API_VERSION;
use crate::state::faults::WebhookFault;
use crate::state::{Cause, DAY, Moment, SECOND, Tx, World, sql, text};
pub use log::{DeliveryFilter, LoggedDelivery, logged};

/// The secret of the endpoint that registers itself.
pub const OWN_SECRET: &str = "whsec_garimpo";
const OWN_ENDPOINT: &str = "we_garimpo";
const TIMEOUT: Duration = Duration::from_secs(10);
/// After this time a delivery fails, and only `/v1/events` has the event.
const RETRY_FOR: i64 = 3 * DAY;
const CONCURRENCY: usize = 8;
const BATCH: i64 = 64;
/// Deliveries that come within this time are shuffled together.
const GATHER: Duration = Duration::from_millis(300);

/// The header `t=…,v1=…` of a body that is sent at a time.
pub fn signature(secret: &str, at_seconds: i64, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(at_seconds.to_string().as_bytes());
    mac.update(b".");
    mac.update(body);
    format!("t={at_seconds},v1={}", hex::encode(mac.finalize().into_bytes()))
}

/// Registers the product's endpoint or updates its URL, and makes every pending delivery due.
pub async fn register_own(world: &World, url: &str) -> Result<(), sqlx::Error> {
    let mut tx = world.write(Cause::default()).await?;
    let given = json!({
        "id": OWN_ENDPOINT, "api_version": API_VERSION, "created": tx.now.seconds(), "description": "Garimpo",
        "enabled_events": ["*"], "url": url,
    });
    let endpoint: Value = template("webhook_endpoint", given);
    if tx.find(OWN_ENDPOINT).await?.is_some() {
        tx.update(&endpoint).await?;
    } else {
        tx.insert_with(&endpoint, Some(json!({"secret": OWN_SECRET}))).await?;
    }
    tx.execute(sql!("UPDATE deliveries SET due_at_us = $1 WHERE state = 'pending'", tx.now)).await?;
    world.commit(tx).await
}

/// Stores an event and its deliveries, in the transaction of the change that it describes.
pub async fn enqueue(tx: &mut Tx, event: &Value) -> Result<(), sqlx::Error> {
    let endpoints = tx.find_by("webhook_endpoint", "status", "enabled").await?;
    let wanted: Vec<String> = endpoints
        .iter()
        .filter(|endpoint| {
            endpoint["enabled_events"]
                .as_array()
                .is_some_and(|names| names.iter().any(|name| name == "*" || *name == event["type"]))
        })
        .map(|endpoint| text(endpoint, "id").to_owned())
        .collect();
    tx.insert(event).await?;
    for endpoint in wanted {
        let sql =
            "INSERT INTO deliveries (event_id, endpoint_id, state, due_at_us) VALUES ($1, $2, 'new', $3)";
        tx.execute(sql!(sql, text(event, "id"), endpoint, tx.sandbox_now)).await?;
    }
    Ok(())
}

/// Makes held deliveries due.
pub async fn release_held(tx: &mut Tx) -> Result<(), sqlx::Error> {
    let sql = "UPDATE deliveries SET state = 'pending', due_at_us = $1 WHERE state = 'held'";
    tx.execute(sql!(sql, tx.now)).await.map(drop)
}

/// Makes a delivery due again, also after it was accepted. Returns whether its endpoint is enabled.
pub async fn resend(tx: &mut Tx, seq: i64) -> Result<bool, sqlx::Error> {
    let sql = "UPDATE deliveries SET state = 'pending', copies = 1, due_at_us = $2 WHERE seq = $1 AND state <> 'new'
               AND EXISTS (SELECT 1 FROM objects w WHERE w.id = endpoint_id
                           AND json_extract(w.doc, '$.status') = 'enabled')";
    Ok(tx.execute(sql!(sql, seq, tx.now)).await? == 1)
}

/// Number of deliveries that are not accepted yet, held ones included.
pub async fn undelivered(world: &World) -> Result<i64, sqlx::Error> {
    let sql = "SELECT count(*) FROM deliveries WHERE state IN ('new', 'pending', 'held')";
    sqlx::query_scalar(sql).fetch_one(&mut *world.read().await?.conn).await
}

/// Waits until every due delivery has been tried, at most until the deadline.
pub async fn wait_until_answered(world: &World, deadline: Instant) -> Result<(), sqlx::Error> {
    loop {
        let answered = world.delivery_answered.notified();
        let mut tx = world.read().await?;
        let sql =
            "SELECT count(*) FROM deliveries WHERE state = 'new' OR (state = 'pending' AND due_at_us <= $1)";
        let waiting: i64 = sqlx::query_scalar(sql).bind(tx.now).fetch_one(&mut *tx.conn).await?;
        drop(tx);
        if waiting == 0 || Instant::now() >= deadline {
            return Ok(());
        }
        world.deliveries_changed.notify_one();
        let _ = tokio::time::timeout(Duration::from_millis(50), answered).await;
    }
}

#[derive(FromRow)]
struct Delivery {
    seq: i64,
    url: String,
    secret: String,
    body: String,
    /// Unix seconds.
    created: i64,
    attempts: i64,
    copies: i64,
}

/// Sends due deliveries, forever.
pub async fn deliver_forever(world: Arc<World>) {
    loop {
        match deliver_due(&world).await {
            Ok(0) => wait_for_more(&world).await,
            Ok(_) => {}
            Err(error) => {
                tracing::error!(%error, "the sandbox could not deliver webhooks");
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

async fn wait_for_more(world: &World) {
    tokio::select! {
        () = world.deliveries_changed.notified() => {}
        // A retry can become due as time passes.
        () = tokio::time::sleep(Duration::from_millis(500)) => {}
    }
}

async fn deliver_due(world: &World) -> Result<usize, sqlx::Error> {
    if world.faults.is_shuffling() {
        tokio::time::sleep(GATHER).await;
    }
    let shuffle = sort_new(world).await?;
    let mut due = claim_due(world).await?;
    if shuffle || world.faults.is_shuffling() {
        due.shuffle(&mut rand::rng());
    }
    let count = due.len();
    // Answers are stored as they come, those that came together in one commit.
    let mut answers = futures::stream::iter(due)
        .map(|delivery| deliver(world, delivery))
        .buffer_unordered(CONCURRENCY)
        .ready_chunks(CONCURRENCY);
    while let Some(answers) = answers.next().await {
        if let Err(error) = record(world, &answers).await {
            tracing::error!(%error, "deliveries could not be recorded and are sent again");
        }
        world.delivery_attempts.fetch_add(answers.len() as u64, Ordering::SeqCst);
        world.delivery_answered.notify_waiters();
    }
    Ok(count)
}

/// Makes new deliveries pending, or does to them what a fault says. Returns whether one is
/// shuffled.
async fn sort_new(world: &World) -> Result<bool, sqlx::Error> {
    let sql = "SELECT seq FROM deliveries WHERE state = 'new' ORDER BY seq";
    let new: Vec<i64> = sqlx::query_scalar(sql).fetch_all(&mut *world.read().await?.conn).await?;
    if new.is_empty() {
        return Ok(false);
    }
    let mut faults = Vec::with_capacity(new.len());
    for seq in new {
        let fault = world.faults.hit(&world.store, |fault| fault.webhooks.is_some()).await?;
        faults.push((seq, fault.and_then(|fault| fault.webhooks)));
    }
    let mut tx = world.write(Cause::default()).await?;
    for (seq, fault) in &faults {
        let (state, copies) = match fault {
            Some(WebhookFault::Drop) => ("dropped", 0),
            Some(WebhookFault::Hold) => ("held", 1),
            Some(WebhookFault::Double) => ("pending", 2),
            Some(WebhookFault::Shuffle) | None => ("pending", 1),
        };
        let sql = "UPDATE deliveries SET state = $2, copies = $3 WHERE seq = $1 AND state = 'new'";
        tx.execute(sql!(sql, seq, state, copies)).await?;
    }
    tx.conn.commit().await?;
    Ok(faults.iter().any(|(_, fault)| *fault == Some(WebhookFault::Shuffle)))
}

async fn claim_due(world: &World) -> Result<Vec<Delivery>, sqlx::Error> {
    let mut tx = world.read().await?;
    // The batch is cut first, because SQLite would read the event of every delivery to sort them.
    let sql =
        "SELECT d.seq, json_extract(w.doc, '$.url') AS url, e.doc AS body, d.attempts, d.copies, e.created,
               json_extract(w.private, '$.secret') AS secret
               FROM (SELECT seq, event_id, endpoint_id, attempts, copies FROM deliveries
                     WHERE state = 'pending' AND due_at_us <= $1 ORDER BY seq LIMIT $2) d
               JOIN objects e ON e.id = d.event_id JOIN objects w ON w.id = d.endpoint_id ORDER BY d.seq";
    sqlx::query_as(sql).bind(tx.now).bind(BATCH).fetch_all(&mut *tx.conn).await
}

struct Answer {
    delivery: Delivery,
    accepted: bool,
    text: String,
}

async fn deliver(world: &World, delivery: Delivery) -> Answer {
    let mut answer = Answer { delivery, accepted: true, text: String::new() };
    for _ in 0..answer.delivery.copies {
        let (accepted, text) = send(world, &answer.delivery).await;
        answer.accepted &= accepted;
        answer.text = text;
    }
    answer
}

async fn send(world: &World, delivery: &Delivery) -> (bool, String) {
    // Receivers check the signature's age by their own clock, which follows this one.
    let header = signature(&delivery.secret, world.now().seconds(), delivery.body.as_bytes());
    let sent = world
        .http
        .post(&delivery.url)
        .header("content-type", "application/json; charset=utf-8")
        .header("stripe-signature", header)
        .timeout(TIMEOUT)
        .body(delivery.body.clone())
        .send()
        .await;
    match sent {
        Ok(answer) => (answer.status().is_success(), answer.status().as_u16().to_string()),
        Err(error) if error.is_timeout() => (false, "sem resposta em 10 s".into()),
        Err(_) => (false, "sem conexão".into()),
    }
}

fn wait_after(attempts: i64) -> i64 {
    match attempts {
        ..=1 => SECOND,
        2 => 5 * SECOND,
        3 => 30 * SECOND,
        _ => 300 * SECOND,
    }
}

async fn record(world: &World, answers: &[Answer]) -> Result<(), sqlx::Error> {
    let mut tx = world.write(Cause::default()).await?;
    let now: Moment = tx.now;
    for Answer { delivery, accepted, text } in answers {
        let attempts = delivery.attempts + 1;
        let is_given_up = now >= Moment::from_seconds(delivery.created).plus(RETRY_FOR);
        let state = if *accepted {
            "delivered"
        } else if is_given_up {
            "failed"
        } else {
            "pending"
        };
        let sql = "UPDATE deliveries SET state = $2, attempts = $3, last_answer = $4, last_at_us = $5, due_at_us = $6
                   WHERE seq = $1 AND state = 'pending'";
        let due_at = now.plus(wait_after(attempts));
        tx.execute(sql!(sql, delivery.seq, state, attempts, text, now, due_at)).await?;
    }
    tx.conn.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undelivered_event_is_sent_again_after_1_5_and_30_s_and_then_every_5_minutes() {
        let waits: Vec<_> = (1..=6).map(|attempts| wait_after(attempts) / SECOND).collect();

        assert_eq!(waits, [1, 5, 30, 300, 300, 300]);
    }

    #[test]
    fn the_signature_matches_the_known_test_vector() {
        let header = signature("whsec_garimpo_test", 1_700_000_000, br#"{"id":"evt_test","object":"event"}"#);

        assert_eq!(
            header,
            "t=1700000000,v1=71d8e063d0e14edb336866bf8b3dbf969e05232f26b882a084db93babf9ca0dd"
        );
    }
}
