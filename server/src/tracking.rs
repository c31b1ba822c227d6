//! TrackingService: conversion events, hashed and stored in the queue until they are sent.
//!
//! Fields that the platform takes as hashes are stored as hashes, and nothing personal is stored
//! without consent. A page's event counts as far as our own rows confirm it: the account, the
//! person, and the value of a checkout come from rows. A payment's event comes from the paid
//! invoice. [`delivery`] sends the stored events.

mod conversion;
mod delivery;
mod event_limiter;
mod named_account;
mod request;
mod steps;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use garimpo_domain::conversion::{Whose, is_in_time, may_leave};
use garimpo_domain::{CheckoutSessionId, Consent, ConversionEvent, Timestamp};
use garimpo_proto::tracking::v1 as pb;
use garimpo_proto::tracking::v1::tracking_service_server::TrackingService;
use tonic::{Request, Response};

use crate::caller::{Caller, Principal, Scope};
use crate::clock::Clock;
use crate::error::Result;
use crate::origin::consent_message;
use crate::store::{Account, CheckoutStatus, JobRow, Store, accounts, checkouts, consents, transaction};
use crate::wire::Reply;
use conversion::{CURRENCY, person};
pub(crate) use conversion::{Conversion, PaymentFacts, anonymize_parked, hold_conversion};
pub(crate) use delivery::Delivery;
use event_limiter::EventLimiter;
use named_account::NamedAccount;
pub(crate) use steps::Steps;

/// Why a stored conversion can no longer be sent; `None` while it can, and for other jobs.
pub fn too_old_to_send(job: &JobRow, now: Timestamp) -> Option<String> {
    let conversion: Conversion = serde_json::from_str(&job.payload).ok()?;
    delivery::too_old(&conversion, now)
}

#[derive(Clone)]
pub(crate) struct TrackingApi {
    store: Store,
    clock: Arc<dyn Clock>,
    /// Origin of the site, without a trailing slash.
    public_url: Arc<str>,
    limiter: Arc<EventLimiter>,
    steps: Arc<Steps>,
}

impl TrackingApi {
    /// Limits events to `events_per_address` per minute.
    pub(crate) fn new(
        store: Store,
        clock: Arc<dyn Clock>,
        public_url: &str,
        events_per_address: u32,
    ) -> Self {
        let steps = Arc::new(Steps::new(events_per_address));
        let limiter = Arc::new(EventLimiter::per_minute(events_per_address));
        Self { store, clock, public_url: public_url.into(), limiter, steps }
    }

    pub(crate) fn steps(&self) -> Arc<Steps> {
        self.steps.clone()
    }

    async fn track(&self, caller: &Caller, request: pb::TrackEventRequest) -> Result<pb::TrackEventResponse> {
        self.allow(caller)?;
        let now = self.clock.now();
        let named = NamedAccount::read(&request);
        let posted = request::read(caller, request, now, &self.public_url)?;
        if posted.event.is_told_by_the_payment() {
            // The paid invoice creates this event, under the same id.
            return Ok(pb::TrackEventResponse::default());
        }
        let Some(verified) = self.verify(caller, posted, &named, now).await? else {
            return Ok(pb::TrackEventResponse::default());
        };
        let Some(conversion) = verified.conversion.clone() else { return Ok(verified.response(false)) };
        // Not stored, because it would suppress the page's own event of the same id.
        if conversion.consent != Some(true) && matches!(caller.principal, Principal::Service(_)) {
            delivery::count_ended(conversion.event, delivery::WITHOUT_CONSENT);
            return Ok(verified.response(false));
        }
        let leaves = transaction!(self.store, (conversion), |tx| {
            hold_conversion(tx, conversion.clone(), now).await
        })?;
        Ok(verified.response(leaves))
    }

    /// Allows our own pages, limited by address, and services with the scope, limited by token.
    fn allow(&self, caller: &Caller) -> Result<()> {
        match caller.principal {
            Principal::Service(_) => caller.require_scope(Scope::TrackingWrite),
            _ if caller.is_own_page() => self.limiter.check(&caller.limit_address()),
            _ => Err(caller.not_our_page("events come from our pages or with tracking.write")),
        }
    }

    /// Verifies an event. A service is trusted, except for the consent of the account that it
    /// names. A page's event counts for the signed-in account as far as our rows confirm it,
    /// because anybody can call as a page does; `None` without an account.
    async fn verify(
        &self,
        caller: &Caller,
        posted: Conversion,
        named: &NamedAccount,
        now: Timestamp,
    ) -> Result<Option<Verified>> {
        if matches!(caller.principal, Principal::Service(_)) {
            let (conversion, whose) = named_account::assign(&self.store, posted, named, now).await?;
            return Ok(Some(Verified { conversion: Some(conversion), consent: None, whose }));
        }
        let Some(uid) = posted.uid.clone() else { return Ok(None) };
        let Some(account) = accounts::by_uid(&self.store, &uid).await? else { return Ok(None) };
        let allowed = account.ads_allowed(now);
        let conversion = self.confirm(posted, &account, now).await?.map(|mut conversion| {
            conversion.consent = conversion.consent.or(allowed);
            conversion
        });
        Ok(Some(Verified { conversion, consent: account.answer(), whose: Whose::Account(allowed) }))
    }

    /// Replaces the posted fields by those of our rows, id and time included: an account counts one
    /// sign-up, and each of its checkouts one start and one end. `None` if the event did not
    /// happen, or happened more than seven days ago: once its job is purged, it would count twice.
    async fn confirm(
        &self,
        mut event: Conversion,
        account: &Account,
        now: Timestamp,
    ) -> Result<Option<Conversion>> {
        let session = event.event.subject_of(&event.event_id).map(CheckoutSessionId::new);
        (event.value_centavos, event.subscription_plan, event.interval) = (None, None, None);
        event.user_data = person(account);
        if event.event == ConversionEvent::SignedUp {
            event.event_id = event.event.event_id(&account.uid);
            event.event_time = account.created_at.as_unix_seconds();
            return Ok(is_in_time(account.created_at, now).then_some(event));
        }
        let Some(session) = session else { return Ok(None) };
        let checkout = checkouts::by_session(&self.store, &session).await?;
        let Some(checkout) = checkout.filter(|checkout| checkout.uid == account.uid) else { return Ok(None) };
        let has_happened =
            event.event != ConversionEvent::CheckoutFinished || checkout.status == CheckoutStatus::Complete;
        let began = checkout.created_at;
        if !has_happened || !is_in_time(began, now) {
            return Ok(None);
        }
        // A page's clock may be wrong, but no event of a checkout is earlier than it or in the
        // future.
        event.event_time = event.event_time.clamp(began.as_unix_seconds(), now.as_unix_seconds());
        if consents::of_checkout(&self.store, &account.uid, &checkout.id).await? == Some(false) {
            event.consent = Some(false);
        }
        event.value_centavos = Some(checkout.first_payment_centavos.get());
        event.subscription_plan = Some(checkout.plan_id.as_str().to_owned());
        event.interval = Some(checkout.plan_interval.written().to_owned());
        Ok(Some(event))
    }
}

/// A verified event, and who decides about it.
struct Verified {
    /// `None` if no row of ours confirms it.
    conversion: Option<Conversion>,
    /// The account's last answer about advertising.
    consent: Option<Consent>,
    whose: Whose,
}

impl Verified {
    /// The page sends the values of this response to the platform, so that both sides send the
    /// same. `leaves`: the stored event will be sent or was sent.
    fn response(&self, leaves: bool) -> pb::TrackEventResponse {
        let consent = self.consent.clone().map(consent_message);
        let Some(event) = &self.conversion else {
            return pb::TrackEventResponse { consent, ..Default::default() };
        };
        let custom_data = event.value_centavos.map(|value| pb::CustomData {
            value_centavos: Some(value),
            currency: Some(CURRENCY.to_owned()),
            subscription_plan: event.subscription_plan.clone(),
            interval: event.interval.clone(),
        });
        let may_leave = leaves && may_leave(event.consent, self.whose);
        pb::TrackEventResponse { may_leave, event_id: event.event_id.clone(), custom_data, consent }
    }
}

#[tonic::async_trait]
impl TrackingService for TrackingApi {
    async fn track_event(&self, request: Request<pb::TrackEventRequest>) -> Reply<pb::TrackEventResponse> {
        let caller = Caller::of(&request);
        Ok(Response::new(self.track(&caller, request.into_inner()).await?))
    }

    async fn count_step(&self, request: Request<pb::CountStepRequest>) -> Reply<pb::CountStepResponse> {
        let caller = Caller::of(&request);
        self.steps.count(&caller, request.get_ref(), self.clock.now())?;
        Ok(Response::new(pb::CountStepResponse {}))
    }
}
