//! Webhook events: verified, stored once, and acknowledged. A job then handles each.
//!
//! The job reads the provider's current state, because an event may be old, repeated or out of
//! order.

use garimpo_domain::{
    CheckoutSessionId, CustomerId, EventId, InvoiceId, PaymentIntentId, SubscriptionId, Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::billing::sync::AccountSync;
use crate::billing::sync::orphaned_subscriptions::Orphans;
use crate::context::AppContext;
use crate::crash::{self, CrashPoint};
use crate::error::{Error, ErrorReason, Result};
use crate::measures::EVENTS_IGNORED;
use crate::providers::stripe::{Event, SignatureError, SignatureHeader, Stripe, present};
use crate::queue::{JobError, JobKind, JobOutcome, JobResult};
use crate::store::{
    ClaimedJob, Customer, Milestone, NewEvent, NewJob, StoreError, accounts, customers, event_queries,
    events, job_queries, jobs, transaction,
};

/// Longest id or type of an event, in characters. The provider's are shorter.
const MAX_NAME_CHARS: usize = 255;
/// Larger bodies are hashed on a blocking thread. 64 KiB take well under a millisecond.
const MAX_BYTES_HASHED_INLINE: usize = 64 * 1024;

/// Whether a text can be stored as a name: not empty, not too long, without NUL.
fn is_name(text: &str) -> bool {
    (1..=MAX_NAME_CHARS).contains(&text.chars().count()) && !text.contains('\0')
}

/// Event types that cause a sync. Others are stored and acknowledged.
///
/// Stripe sends several events per step; these cover each step.
pub(crate) const HANDLED_EVENT_TYPES: &[&str] = &[
    "checkout.session.completed",
    "checkout.session.async_payment_succeeded",
    "checkout.session.async_payment_failed",
    "checkout.session.expired",
    "customer.subscription.created",
    "customer.subscription.updated",
    "customer.subscription.deleted",
    "customer.subscription.paused",
    "customer.subscription.resumed",
    "customer.subscription.pending_update_applied",
    "customer.subscription.pending_update_expired",
    "customer.deleted",
    "customer.updated",
    "invoice.finalized",
    "invoice.paid",
    "invoice.payment_failed",
    "invoice.payment_action_required",
    "invoice.voided",
    "invoice.marked_uncollectible",
    "payment_intent.requires_action",
    "payment_intent.succeeded",
    "charge.refunded",
    "refund.updated",
    "refund.failed",
    "charge.dispute.created",
    "charge.dispute.updated",
    "charge.dispute.closed",
];

/// Payload of the job that handles a stored event, whose id is the job's key.
#[derive(Serialize, Deserialize)]
struct EventPayload {
    /// Whether the event has the documented shape.
    readable: bool,
    /// Whether the operator replays the event: the provider is read in any case.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    replayed: bool,
}

/// Receives events of the payment provider and syncs the accounts that they name.
#[derive(Clone)]
pub struct Events {
    pub(crate) context: AppContext,
    pub(crate) stripe: Stripe,
    pub(crate) sync: AccountSync,
    pub(crate) orphans: Orphans,
}

impl Events {
    /// Stores one delivered event. If it returns `Ok`, the event is durable.
    ///
    /// # Errors
    /// INVALID_SIGNATURE, or UNAVAILABLE if the event could not be stored.
    pub(crate) async fn receive(&self, payload: Vec<u8>, signature: &str) -> Result<()> {
        let now = self.context.now();
        let payload = self.signed_payload(payload, signature, now).await?;
        let (event, is_readable) = match read(&payload) {
            Some(event) => (event, true),
            None => (identified(&payload)?, false),
        };
        // An event without a type is synced too.
        let is_handled = event.kind.is_empty() || HANDLED_EVENT_TYPES.contains(&event.kind.as_str());
        let job = is_handled.then(|| event_job(&event.id, is_readable, now));
        let event = NewEvent { body: payload, ..event };
        transaction!(&self.context.store, (event, job), |tx| {
            let is_new = events::insert(tx, event, now).await?;
            if let (true, Some(job)) = (is_new, job) {
                jobs::enqueue_if_absent(tx, job.clone()).await?;
            }
            Ok::<_, StoreError>(())
        })?;
        crash::point(CrashPoint::EventStored);
        Ok(())
    }

    /// Verifies the signature and returns the payload. The header is checked before the body is
    /// hashed, and large bodies are hashed on a blocking thread, because anyone may call this.
    async fn signed_payload(&self, payload: Vec<u8>, signature: &str, now: Timestamp) -> Result<Vec<u8>> {
        let refused = |why: SignatureError| Error::refused(ErrorReason::InvalidSignature, why.to_string());
        let header = SignatureHeader::parse(signature, now.as_unix_seconds()).map_err(refused)?;
        if payload.len() <= MAX_BYTES_HASHED_INLINE {
            header.verify(&payload, self.stripe.webhook_secrets()).map_err(refused)?;
            return Ok(payload);
        }
        let secrets = self.stripe.webhook_secrets().to_vec();
        let checked =
            tokio::task::spawn_blocking(move || header.verify(&payload, &secrets).map(|()| payload)).await;
        checked.map_err(Error::internal)?.map_err(refused)
    }

    /// Handles a stored event again: the provider is read again, and completed steps are not
    /// repeated. Returns false for an unknown id.
    pub async fn replay(&self, id: &EventId) -> Result<bool> {
        let Some(event) = events::by_id(&self.context.store, id).await? else { return Ok(false) };
        // An event of an undocumented shape stays marked as such.
        let job = job_queries::by_key(&self.context.store, JobKind::PaymentEvent, id).await?;
        let known = job.and_then(|job| serde_json::from_str::<EventPayload>(&job.payload).ok());
        let readable = known.is_none_or(|known| known.readable);
        let now = self.context.now();
        transaction!(self.context, (id = event.id), |tx| {
            event_queries::mark_unread(tx, id).await?;
            let payload = EventPayload { readable, replayed: true };
            jobs::reschedule(tx, NewJob::new(JobKind::PaymentEvent, id, payload, now)).await
        })?;
        Ok(true)
    }

    /// Handles one stored event.
    pub(crate) async fn handle(self, job: ClaimedJob) -> JobResult {
        let payload: EventPayload = job.read()?;
        if !payload.readable {
            let why = "the event has another shape than the provider documents; its account is synced by reconciliation";
            return Err(JobError::Park(why.to_owned()));
        }
        let Some(event) = events::by_id(&self.context.store, &EventId::new(job.key)).await? else {
            return Ok(JobOutcome::Done);
        };
        let content = self.content(&event.id).await?;
        let payment = content.as_ref().and_then(Event::payment).filter(|id| is_name(id));
        let customer = match &event.customer_id {
            Some(id) => match customers::by_customer_id(&self.context.store, id).await? {
                Some(customer) => Some(customer),
                None => self.orphans.adopt_customer(id).await?,
            },
            None => match self.find_payer(&event.id, payment).await? {
                // The event was stored without a customer and so without a ticket: read everything
                // again.
                Some(customer) => {
                    self.sync.refresh(&customer.uid).await?;
                    return Ok(JobOutcome::Done);
                }
                None => None,
            },
        };
        let Some(customer) = customer else {
            // The customer of a known payment may have been deleted at the provider, and the
            // account may have another one.
            if let Some(customer) = self.find_stored_payer(payment).await? {
                self.sync.refresh(&customer.uid).await?;
                if accounts::by_uid(&self.context.store, &customer.uid).await?.is_none() {
                    self.forget_body(&event.id).await?;
                }
                return Ok(JobOutcome::Done);
            }
            // The event concerns an object that is not ours, no customer, or a deleted account. Its
            // personal data must not be kept.
            self.forget_body(&event.id).await?;
            metrics::counter!(EVENTS_IGNORED, "kind" => event.kind).increment(1);
            return Ok(JobOutcome::Done);
        };
        let milestone = content.as_ref().filter(|_| !payload.replayed).and_then(milestone_of);
        self.sync.refresh_after_ticket(&customer.uid, event.seen_ticket, milestone.as_ref()).await?;
        // The transaction that forgot the customer deleted the bodies of its events. This event may
        // have been stored at the same moment, so its body is deleted here.
        if event.kind == "customer.deleted" && self.is_forgotten(&customer).await? {
            self.forget_body(&event.id).await?;
        }
        Ok(JobOutcome::Done)
    }

    async fn is_forgotten(&self, customer: &Customer) -> Result<bool, StoreError> {
        let now = customers::by_uid(&self.context.store, &customer.uid).await?;
        Ok(now.is_none_or(|now| now.customer_id != customer.customer_id))
    }

    async fn forget_body(&self, id: &EventId) -> Result<()> {
        transaction!(self.context, (id = id.clone()), |tx| events::forget_body(tx, id).await)
    }

    /// The customer of the stored payment that an event names.
    async fn find_stored_payer(&self, payment: Option<&PaymentIntentId>) -> Result<Option<Customer>> {
        match payment {
            Some(payment) => Ok(customers::by_payment(&self.context.store, payment).await?),
            None => Ok(None),
        }
    }

    /// The content of a stored event; `None` if its personal data was deleted.
    async fn content(&self, event_id: &EventId) -> Result<Option<Event>, StoreError> {
        let body = event_queries::body(&self.context.store, event_id).await?.unwrap_or_default();
        Ok(serde_json::from_slice(&body).ok())
    }

    /// The customer of an event that names only a payment. It is stored with the event, so that
    /// deleting the person's data includes the event.
    async fn find_payer(
        &self,
        event_id: &EventId,
        payment: Option<&PaymentIntentId>,
    ) -> Result<Option<Customer>> {
        let Some(payment) = payment else { return Ok(None) };
        let mut customer = self.find_stored_payer(Some(payment)).await?;
        if customer.is_none() {
            // The payment's invoice may not be stored yet, because a card can be disputed right
            // after its first payment.
            let intent = present(self.stripe.get_payment_intent(payment).await)?;
            if let Some(id) = intent.and_then(|intent| intent.customer) {
                customer = customers::by_customer_id(&self.context.store, &id).await?;
            }
        }
        if let Some(customer_id) = customer.as_ref().and_then(|customer| customer.customer_id.clone()) {
            transaction!(self.context, (event_id = event_id.clone(), customer_id), |tx| {
                events::set_customer(tx, event_id, customer_id).await
            })?;
        }
        Ok(customer)
    }
}

/// The milestone that an event reports. Other events report states that can come again, so only a
/// read after the event shows them.
fn milestone_of(event: &Event) -> Option<Milestone> {
    let id = event.object_id()?;
    Some(match event.kind.as_str() {
        "customer.subscription.created" => Milestone::SubscriptionCreated(SubscriptionId::new(id)),
        "customer.subscription.updated" if event.leaves_status("incomplete") => {
            Milestone::SubscriptionBegun(SubscriptionId::new(id))
        }
        "invoice.finalized" => Milestone::InvoiceFinalized(InvoiceId::new(id)),
        "invoice.paid" => Milestone::InvoicePaid(InvoiceId::new(id)),
        "payment_intent.succeeded" => Milestone::PaymentSucceeded(PaymentIntentId::new(id)),
        "checkout.session.completed" => Milestone::CheckoutCompleted(CheckoutSessionId::new(id)),
        _ => return None,
    })
}

/// The job that handles a stored event.
pub(crate) fn event_job(id: &EventId, readable: bool, due_at: Timestamp) -> NewJob {
    let payload = EventPayload { readable, replayed: false };
    NewJob::new(JobKind::PaymentEvent, id, payload, due_at)
}

/// Parses an event of the documented shape.
pub(crate) fn read(payload: &[u8]) -> Option<NewEvent> {
    let event: Event = serde_json::from_slice(payload).ok()?;
    let is_fit = is_name(&event.id) && is_name(&event.kind);
    let customer_id = event.customer().filter(|id| !id.contains('\0')).map(CustomerId::new);
    is_fit.then_some(NewEvent { id: event.id, kind: event.kind, customer_id, body: Vec::new() })
}

/// Parses an event of another shape, if it has an id. It is signed, so it comes from the provider.
/// If it were refused, the provider would only repeat it until it gives up.
fn identified(payload: &[u8]) -> Result<NewEvent> {
    let body: Value = serde_json::from_slice(payload).unwrap_or_default();
    let name = |key: &str| body[key].as_str().filter(|text| is_name(text)).map(str::to_owned);
    let id = name("id").ok_or_else(|| {
        Error::refused(ErrorReason::InvalidArgument, "the event cannot be read")
            .with_field("payload", "not an event")
    })?;
    Ok(NewEvent {
        id: EventId::new(id),
        kind: name("type").unwrap_or_default(),
        customer_id: None,
        body: Vec::new(),
    })
}
