//! The provider's news: verified, stored once, answered, and only then worked on.
//!
//! An event says no more than "something of this customer changed": its snapshot may be old, doubled or out of order.
//! So its job reads the provider's current state (design section 7).

use std::sync::Arc;

use garimpo_proto::errors::v1::ErrorReason;
use serde_json::json;

use super::Billing;
use crate::causes::Causes;
use crate::crash::{self, CrashPoint};
use crate::error::Error;
use crate::measures::EVENTS_IGNORED;
use crate::providers::stripe::{Event, verify_signature};
use crate::queue::{JobError, JobKind, JobOutcome};
use crate::store::events::{NewEvent, event_insert_in_tx};
use crate::store::{ClaimedJob, NewJob, job_enqueue_in_tx};

/// Longest id or type of an event, in characters; the provider's are shorter.
const LONGEST_NAME: usize = 255;

/// Whether a text is one that a database keeps as a name.
fn is_name(text: &str) -> bool {
    (1..=LONGEST_NAME).contains(&text.chars().count()) && !text.contains('\0')
}

/// What changes something that we keep; an event of another type is stored and answered, and no more.
///
/// The provider tells of one step by many events: these are enough to learn of every step.
pub(super) const NEWS: &[&str] = &[
    "checkout.session.completed",
    "checkout.session.async_payment_succeeded",
    "checkout.session.async_payment_failed",
    "checkout.session.expired",
    "customer.subscription.created",
    "customer.subscription.updated",
    "customer.subscription.deleted",
    "customer.subscription.paused",
    "customer.subscription.resumed",
    "customer.deleted",
    "invoice.finalized",
    "invoice.paid",
    "invoice.payment_failed",
    "invoice.voided",
    "invoice.marked_uncollectible",
    "payment_intent.requires_action",
    "charge.refunded",
    "charge.dispute.created",
    "charge.dispute.closed",
];

impl Billing {
    /// Takes one delivery; when it answers well, the event is durable.
    ///
    /// # Errors
    /// INVALID_SIGNATURE; UNAVAILABLE when it could not be stored.
    pub(super) async fn event_receive(&self, payload: Vec<u8>, signature: &str) -> Result<(), Error> {
        let now = self.now();
        verify_signature(&payload, signature, self.stripe.webhook_secrets(), now.as_unix_seconds())
            .map_err(|why| Error::refused(ErrorReason::InvalidSignature, why.to_string()))?;
        // Signed, so it is the provider's; a shape that we cannot read will not become readable by being sent again.
        let unreadable = || {
            Error::refused(ErrorReason::InvalidArgument, "the event cannot be read")
                .with_field("payload", "not an event")
        };
        let event: Event = serde_json::from_slice(&payload).map_err(|_| unreadable())?;
        if ![&event.id, &event.kind].into_iter().all(|name| is_name(name)) {
            return Err(unreadable());
        }
        let event = Arc::new(NewEvent {
            customer_id: event.customer().filter(|id| !id.contains('\0')).map(str::to_owned),
            id: event.id,
            kind: event.kind,
            body: payload,
        });
        self.in_tx(move |tx| {
            let event = event.clone();
            Box::pin(async move {
                let is_new = event_insert_in_tx(tx, &event, now).await?;
                if !is_new || !NEWS.contains(&event.kind.as_str()) {
                    return Ok(());
                }
                let payload = json!({ "event_id": event.id });
                let job = NewJob { kind: JobKind::PaymentEvent, key: event.id.clone(), payload, due_at: now };
                job_enqueue_in_tx(tx, job).await.map(drop)
            })
        })
        .await?;
        crash::point(CrashPoint::EventStored);
        Ok(())
    }

    /// Works on one stored event.
    pub(super) async fn event_handle(&self, job: ClaimedJob) -> Result<JobOutcome, JobError> {
        let Some(event) = self.store.event_by_id(&job.key).await? else {
            return Ok(JobOutcome::Done);
        };
        let customer = match &event.customer_id {
            Some(id) => match self.store.customer_by_customer_id(id).await? {
                Some(customer) => Some(customer),
                None => self.customer_taken_back(id).await.map_err(retry)?,
            },
            None => None,
        };
        let Some(customer) = customer else {
            // About an object that is not of our making, or about none of a customer.
            metrics::counter!(EVENTS_IGNORED, "kind" => event.kind).increment(1);
            return Ok(JobOutcome::Done);
        };
        self.refresh_beyond(&customer.uid, event.seen_ticket).await.map_err(retry)?;
        Ok(JobOutcome::Done)
    }
}

/// A job that failed is run again; the reason it keeps names nobody.
pub(super) fn retry(error: Error) -> JobError {
    JobError::Retry(Causes(&error).to_string())
}
