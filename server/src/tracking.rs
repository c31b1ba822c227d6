//! TrackingService: conversion events, hashed and held in the queue until they are sent.
//!
//! Nothing plain is stored of what the platform takes hashed, and nothing personal of who gave no consent. What the
//! server knows itself it takes from its own rows: of who is signed in that it happened, the person, and what a checkout
//! is worth; of a payment everything, from the paid invoice. [`delivery`] reports what is held.

mod conversion;
mod delivery;
mod pace;
mod service;
mod steps;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use garimpo_domain::attribution::{click_counts, is_fbc, is_fbp};
use garimpo_domain::consent::Consent;
use garimpo_domain::conversion::{ConversionEvent, PersonalField, Whose, is_in_time, may_leave, own_page};
use garimpo_domain::{Interval, Timestamp, catalog};
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::tracking::v1 as pb;
use garimpo_proto::tracking::v1::tracking_service_server::TrackingService;
use tonic::{Request, Response, Status};

use crate::caller::{Caller, Principal, Scope};
use crate::clock::Clock;
use crate::error::{Error, Violations};
use crate::origin::told_consent;
use crate::store::billing::checkouts;
use crate::store::identity::accounts::{self, Account};
use crate::store::identity::consents;
use crate::store::operator::job_queries::JobRow;
use crate::store::{Store, StoreError};
use conversion::{CURRENCY, hashed_all, person};
pub(crate) use conversion::{Conversion, PaymentFacts, conversion_hold_in_tx, conversions_forget};
pub(crate) use delivery::Delivery;
use pace::Pace;
use service::Named;
pub(crate) use steps::{Steps, WRITTEN_EVERY};

/// Longest text that is taken over from an event, in characters.
const LONGEST_TEXT: usize = 300;
/// A checkout that came to its end: paid, or with a boleto that waits.
const COMPLETE: &str = "complete";

/// Why a held conversion cannot be sent any more; `None` while it can, and for what is none.
pub fn too_old_to_send(job: &JobRow, now: Timestamp) -> Option<String> {
    let conversion: Conversion = serde_json::from_str(&job.payload).ok()?;
    delivery::too_old(&conversion, now)
}

/// The service over its parts.
#[derive(Clone)]
pub(crate) struct TrackingApi {
    store: Store,
    clock: Arc<dyn Clock>,
    /// Origin of the site, without a trailing slash.
    public_url: Arc<str>,
    pace: Arc<Pace>,
    steps: Arc<Steps>,
}

impl TrackingApi {
    /// Serves conversion events; one address may post so many in a minute.
    pub(crate) fn new(
        store: Store,
        clock: Arc<dyn Clock>,
        public_url: &str,
        events_per_address: u32,
    ) -> Self {
        let steps = Arc::new(Steps::new(events_per_address));
        let pace = Arc::new(Pace::new(events_per_address));
        Self { store, clock, public_url: public_url.into(), pace, steps }
    }

    /// The counter of steps, for who writes it.
    pub(crate) fn steps(&self) -> Arc<Steps> {
        self.steps.clone()
    }

    async fn track(
        &self,
        caller: &Caller,
        request: pb::TrackEventRequest,
    ) -> Result<pb::TrackEventResponse, Error> {
        self.allow(caller)?;
        let now = self.clock.now();
        let named = Named::by(&request);
        let told = read(caller, request, now, &self.public_url)?;
        if told.event.is_told_by_the_payment() {
            // A pointer at best: the server tells it from the paid invoice, under the same id.
            return Ok(pb::TrackEventResponse::default());
        }
        let Some(weighed) = self.weigh(caller, told, &named, now).await? else {
            return Ok(pb::TrackEventResponse::default());
        };
        let Some(conversion) = weighed.fact.clone() else { return Ok(weighed.answer(false)) };
        // Held, it would keep the page's own telling of the same event from being heard.
        if conversion.consent != Some(true) && matches!(caller.principal, Principal::Service(_)) {
            delivery::count_ended(conversion.event, delivery::WITHOUT_CONSENT);
            return Ok(weighed.answer(false));
        }
        let leaves = self
            .store
            .write::<_, _, StoreError, _>((), move |tx, ()| {
                let conversion = conversion.clone();
                Box::pin(async move { conversion_hold_in_tx(tx, conversion, now).await })
            })
            .await?;
        Ok(weighed.answer(leaves))
    }

    /// Our own pages, at a visitor's pace, or a service that may write events, at its own.
    fn allow(&self, caller: &Caller) -> Result<(), Error> {
        match caller.principal {
            Principal::Service(_) => caller.require_scope(Scope::TrackingWrite),
            _ if caller.own_origin => self.pace.take(caller.limit_address()),
            _ => Err(caller.not_our_page("events come from our pages or with tracking.write")),
        }
    }

    /// What a service tells is believed, but for the consent of whose account it names. What a page tells counts for who
    /// is signed in, as far as a row of ours says the same: anybody can call as a page does, so what no row knows is told
    /// to nobody.
    async fn weigh(
        &self,
        caller: &Caller,
        told: Conversion,
        named: &Named,
        now: Timestamp,
    ) -> Result<Option<Weighed>, Error> {
        if matches!(caller.principal, Principal::Service(_)) {
            return Ok(Some(self.of_service(told, named, now).await?));
        }
        let Some(uid) = told.uid.clone() else { return Ok(None) };
        let Some(account) = accounts::by_uid(&self.store, &uid).await? else { return Ok(None) };
        let allowed = account.ads_allowed(now);
        let fact = self.of_account(told, &account, now).await?.map(|mut fact| {
            fact.consent = fact.consent.or(allowed);
            fact
        });
        Ok(Some(Weighed { fact, answer: account.answer(), whose: Whose::Account(allowed) }))
    }

    /// Puts what our rows say in the place of what was posted, also for the id and the time: an account counts one
    /// sign-up, and each checkout of it one start and one end. `None` for what did not happen, and for what happened more than seven days
    /// ago: once the job that told it is purged, it would count as another one.
    async fn of_account(
        &self,
        mut told: Conversion,
        account: &Account,
        now: Timestamp,
    ) -> Result<Option<Conversion>, Error> {
        let session = told.event.subject_of(&told.event_id).map(str::to_owned).unwrap_or_default();
        (told.value_centavos, told.subscription_plan, told.interval) = (None, None, None);
        told.user_data = person(account);
        if told.event == ConversionEvent::SignedUp {
            told.event_id = told.event.event_id(&account.uid);
            told.event_time = account.created_at().as_unix_seconds();
            return Ok(is_in_time(account.created_at(), now).then_some(told));
        }
        let checkout = checkouts::by_session(&self.store, &session).await?;
        let Some(checkout) = checkout.filter(|checkout| checkout.uid == account.uid) else { return Ok(None) };
        let has_happened = told.event != ConversionEvent::CheckoutFinished || checkout.status == COMPLETE;
        let began = Timestamp::from_micros(checkout.created_at_us);
        if !has_happened || !is_in_time(began, now) {
            return Ok(None);
        }
        // A page's clock may be wrong: nothing of a checkout happened before it began, or is still to come.
        told.event_time = told.event_time.clamp(began.as_unix_seconds(), now.as_unix_seconds());
        if consents::of_checkout(&self.store, &account.uid, &checkout.id).await? == Some(false) {
            told.consent = Some(false);
        }
        told.value_centavos = Some(checkout.first_payment_centavos);
        told.subscription_plan = Some(checkout.plan_id);
        told.interval = Some(checkout.plan_interval);
        Ok(Some(told))
    }
}

/// An event as it is held, and who may be told of it.
struct Weighed {
    /// `None` when no row of ours knows of it.
    fact: Option<Conversion>,
    /// The account's last answer.
    answer: Option<Consent>,
    whose: Whose,
}

impl Weighed {
    /// What the page hears: what the server tells, so that both tell the same. `leaves`: what is held of it does.
    fn answer(&self, leaves: bool) -> pb::TrackEventResponse {
        let consent = self.answer.clone().map(told_consent);
        let Some(fact) = &self.fact else { return pb::TrackEventResponse { consent, ..Default::default() } };
        let custom_data = fact.value_centavos.map(|value| pb::CustomData {
            value_centavos: Some(value),
            currency: Some(CURRENCY.to_owned()),
            subscription_plan: fact.subscription_plan.clone(),
            interval: fact.interval.clone(),
        });
        let may_leave = leaves && may_leave(fact.consent, self.whose);
        pb::TrackEventResponse { may_leave, event_id: fact.event_id.clone(), custom_data, consent }
    }
}

/// Reads what was posted.
fn read(
    caller: &Caller,
    request: pb::TrackEventRequest,
    now: Timestamp,
    public_url: &str,
) -> Result<Conversion, Error> {
    let by_service = matches!(caller.principal, Principal::Service(_));
    let event = refuse_what_is_wrong(&request, by_service, now)?;
    let person = request.user_data.unwrap_or_default();
    let custom = request.custom_data.unwrap_or_default();
    // A service calls from a machine of ours: neither address nor browser is the person's.
    let of_browser = |text: &Option<String>| text.clone().filter(|_| !by_service);
    let page = request.event_source_url.and_then(|address| own_page(&address, public_url));
    let page = page.or_else(|| (!by_service).then(|| format!("{public_url}{}", event.page())));
    let user_data = hashed_all([
        (PersonalField::Email, person.em.as_deref()),
        (PersonalField::FirstName, person.r#fn.as_deref()),
        (PersonalField::Phone, person.ph.as_deref()),
        (PersonalField::ExternalId, person.external_id.as_deref()),
    ]);
    if by_service && !user_data.keys().any(|name| name != PersonalField::FirstName.name()) {
        let mut wrong = Violations::new();
        let why = "no usable email, phone or external_id: a name alone says nobody";
        wrong.add("user_data", ErrorReason::InvalidArgument, why);
        wrong.refuse()?;
    }
    Ok(Conversion {
        event,
        event_id: request.event_id,
        event_time: request.event_time.unwrap_or_default().seconds,
        uid: caller.known().map(|identity| identity.uid.clone()),
        consent: request.consent,
        user_data,
        value_centavos: custom.value_centavos.filter(|_| event.has_value()),
        subscription_plan: custom.subscription_plan.map(plan_id),
        interval: custom.interval.map(interval_written),
        client_address: of_browser(&caller.client_address),
        user_agent: of_browser(&caller.user_agent),
        source_url: page,
        fbp: person.fbp.filter(|fbp| is_fbp(fbp)),
        fbc: person.fbc.filter(|fbc| is_fbc(fbc) && click_counts(fbc, now)),
    })
}

/// All that is wrong at once; else which event it is.
fn refuse_what_is_wrong(
    request: &pb::TrackEventRequest,
    by_service: bool,
    now: Timestamp,
) -> Result<ConversionEvent, Error> {
    let mut wrong = Violations::new();
    let event = ConversionEvent::parse(&request.event_name).ok_or("no conversion event has this name");
    let event = wrong.take("event_name", ErrorReason::UnknownEvent, event);
    let mut refuse = |field: &str, why: &str| wrong.add(field, ErrorReason::InvalidArgument, why);
    let id = &request.event_id;
    if id.is_empty() || id.chars().count() > LONGEST_TEXT || id.contains('\0') {
        refuse("event_id", "missing, too long or with NUL");
    }
    let at = |at: prost_types::Timestamp| Timestamp::from_unix_seconds(at.seconds);
    if !request.event_time.map(at).is_some_and(|at| is_in_time(at, now)) {
        refuse("event_time", "missing, more than 7 days old, or ahead of the clock");
    }
    if request.user_data.is_none() {
        refuse("user_data", "missing");
    }
    if request.custom_data.as_ref().and_then(|data| data.value_centavos).is_some_and(|value| value < 0) {
        refuse("custom_data.value", "negative");
    }
    // What a page says of money is read by nobody, and a sign-up is worth none.
    let worth =
        request.custom_data.as_ref().filter(|_| by_service && event.is_none_or(ConversionEvent::has_value));
    let currency = worth.and_then(|data| data.currency.as_deref()).unwrap_or_default();
    if !currency.is_empty() && !currency.eq_ignore_ascii_case(CURRENCY) {
        refuse("custom_data.currency", "only BRL");
    }
    wrong.refuse()?;
    event.ok_or_else(|| Error::refused(ErrorReason::UnknownEvent, "no conversion event has this name"))
}

/// A plan by the id under which every event tells it.
fn plan_id(named: String) -> String {
    catalog().plan_named(&named).map_or_else(|| shortened(named), |plan| plan.id.as_str().to_owned())
}

/// An interval as every event tells it.
fn interval_written(named: String) -> String {
    Interval::parse(&named).map_or_else(|| shortened(named), |interval| interval.written().to_owned())
}

fn shortened(text: String) -> String {
    text.chars().take(LONGEST_TEXT).collect()
}

#[tonic::async_trait]
impl TrackingService for TrackingApi {
    async fn track_event(
        &self,
        request: Request<pb::TrackEventRequest>,
    ) -> Result<Response<pb::TrackEventResponse>, Status> {
        let caller = Caller::of(&request);
        Ok(Response::new(self.track(&caller, request.into_inner()).await?))
    }

    async fn count_step(
        &self,
        request: Request<pb::CountStepRequest>,
    ) -> Result<Response<pb::CountStepResponse>, Status> {
        let caller = Caller::of(&request);
        self.steps.count(&caller, request.get_ref(), self.clock.now())?;
        Ok(Response::new(pb::CountStepResponse {}))
    }
}
