//! Reads the provider's event list from the last read event on, to find events that no webhook
//! delivered.
//!
//! The list has the events of 30 days. If more were missed, the cursor starts again at the newest
//! event, and a sweep over the whole provider finds the changes.

use garimpo_domain::Timestamp;
use serde_json::Value;

use crate::billing::jobs::reconciliation::{schedule_reconciliation, schedule_sweep};
use crate::billing::reconciliation::Reconciler;
use crate::billing::reconciliation::{EVENTS_EVERY_MINUTES, PAGES_AT_ONCE, PAUSE_MINUTES};
use crate::billing::sync::events::{HANDLED_EVENT_TYPES, event_job, read};
use crate::error::Result;
use crate::measures::EVENTS_MISSED;
use crate::providers::stripe::{Page, StripeError};
use crate::store::{
    self, NewEvent, Reconciliation, Tx, customers, events, jobs, reconciliation, transaction,
};

/// Newer events are left for the next pass, because their webhook may be on its way.
const YOUNGEST_MINUTES: i64 = 5;
/// The provider keeps events for 30 days. One day is left for a differing clock and for a slow
/// pass.
const KEPT_DAYS: i64 = 29;

/// The result of reading one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Read {
    /// The next page can be read.
    Page,
    /// All events were read.
    All,
}

impl Reconciler {
    /// Reads the event list and enqueues the sync of each account with an unknown event. Returns
    /// when to read on.
    pub(super) async fn read_missed_events(&self) -> Result<Timestamp> {
        for _ in 0..PAGES_AT_ONCE {
            if self.read_events_page().await? == Read::All {
                return Ok(self.context.now().plus_minutes(EVENTS_EVERY_MINUTES));
            }
        }
        Ok(self.context.now().plus_minutes(PAUSE_MINUTES))
    }

    async fn read_events_page(&self) -> Result<Read> {
        let (state, now) = (reconciliation::current(&self.context.store).await?, self.context.now());
        let is_first = state.event_cursor.is_empty();
        let kept_since = now.plus_days(-KEPT_DAYS);
        let is_too_old = !is_first && state.events_read_at.is_none_or(|at| at < kept_since);
        if !is_first && !is_too_old {
            match self.stripe.list_events_after(&state.event_cursor).await {
                // The provider no longer has the cursor's event.
                Err(StripeError::Refused { status: 400 | 404, .. }) => {}
                Err(error) => return handle_unread_events(error),
                Ok(page) => return self.store_events(&state, page).await,
            }
        }
        let page = match self.stripe.list_newest_events().await {
            Ok(page) => page,
            Err(error) => return handle_unread_events(error),
        };
        // A single page is read like any other. If the list is longer, a sweep finds its changes.
        if is_first && !page.has_more {
            self.store_events(&state, page).await
        } else {
            self.restart_cursor(&state, &page).await
        }
    }

    /// Starts the cursor again at the newest event, with a sweep for earlier changes.
    async fn restart_cursor(&self, state: &Reconciliation, page: &Page<Value>) -> Result<Read> {
        let (from, now) = (state.event_cursor.clone(), self.context.now());
        let newest = page.data.first().and_then(id_of).unwrap_or_default().to_owned();
        // If the first start finds a longer list, no event was missed.
        if !from.is_empty() {
            tracing::warn!(
                "the payment provider's events were not read for too long: everything is read again"
            );
        }
        transaction!(self.context, (from, newest), |tx| {
            if reconciliation::move_event_cursor(tx, from, newest, now).await? {
                schedule_sweep(tx, now).await?;
            }
            Ok(Read::All)
        })
    }

    /// Stores the events of a page together with the cursor after them.
    async fn store_events(&self, state: &Reconciliation, page: Page<Value>) -> Result<Read> {
        let now = self.context.now();
        let settled_before = now.plus_minutes(-YOUNGEST_MINUTES).as_unix_seconds();
        let is_settled = |event: &&Value| event["created"].as_i64().is_some_and(|at| at <= settled_before);
        // Oldest first, up to the first event that is too new.
        let settled: Vec<_> = page.data.iter().rev().take_while(is_settled).cloned().collect();
        let has_more = page.has_more && settled.len() == page.data.len();
        let from = state.event_cursor.clone();
        let to = settled.last().and_then(id_of).unwrap_or(&from).to_owned();
        let found: Vec<_> = settled.iter().filter_map(handled_event).collect();
        transaction!(self.context, (from, to, found), |tx| {
            // Another run has read this page already.
            if !reconciliation::move_event_cursor(tx, from, to, now).await? {
                return Ok(Read::All);
            }
            for event in found {
                store_missed(tx, event, now).await?;
            }
            Ok(if has_more { Read::Page } else { Read::All })
        })
    }
}

/// Handles a refused read. A key without the permission to read events leaves missed events to the
/// sweep.
fn handle_unread_events(error: StripeError) -> Result<Read> {
    if error.refuses_key() {
        tracing::error!(%error, "the payment provider's key may not read events: give it read on Events");
        return Ok(Read::All);
    }
    Err(error.into())
}

fn id_of(event: &Value) -> Option<&str> {
    event["id"].as_str()
}

/// The event, if its type is handled.
fn handled_event(event: &Value) -> Option<NewEvent> {
    let body = serde_json::to_vec(event).ok()?;
    let event = read(&body).filter(|event| HANDLED_EVENT_TYPES.contains(&event.kind.as_str()))?;
    Some(NewEvent { body, ..event })
}

/// Stores an event that no webhook delivered, and enqueues its job. A known account is synced in
/// the housekeeping class, because days of events may be missed at once. No job reads the body
/// then, so it is not stored.
async fn store_missed(tx: &mut Tx, event: &NewEvent, now: Timestamp) -> store::Result<()> {
    let uid = match &event.customer_id {
        Some(id) => customers::by_customer_id(&mut *tx, id).await?.map(|customer| customer.uid),
        None => None,
    };
    let body = if uid.is_some() { Vec::new() } else { event.body.clone() };
    let stored = NewEvent { body, ..event.clone() };
    if !events::insert(tx, &stored, now).await? {
        return Ok(());
    }
    match uid {
        Some(uid) => schedule_reconciliation(tx, &uid, now).await?,
        None => {
            jobs::enqueue_if_absent(tx, event_job(&event.id, true, now)).await?;
        }
    }
    tx.after_commit(move || {
        tracing::warn!(stored.kind, "an event was not delivered; reconciliation found it");
        metrics::counter!(EVENTS_MISSED, "kind" => stored.kind).increment(1);
    });
    Ok(())
}
