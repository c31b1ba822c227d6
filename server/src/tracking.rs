//! TrackingService: conversion events, hashed and held in the queue until they are sent (design section 9).
//!
//! Nothing plain is stored of what the platform takes hashed. The value of a payment is never believed from outside:
//! the server tells it itself, from the paid invoice.

mod pace;

use std::collections::BTreeMap;
use std::sync::Arc;

use garimpo_domain::conversion::{ConversionEvent, PersonalField, is_hashed, is_in_time};
use garimpo_domain::{Centavos, Timestamp};
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::tracking::v1 as pb;
use garimpo_proto::tracking::v1::tracking_service_server::TrackingService;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tonic::{Request, Response, Status};

use crate::caller::{Caller, Principal, Scope};
use crate::clock::Clock;
use crate::error::{Error, Violations};
use crate::queue::JobKind;
use crate::store::{Account, NewJob, Store, StoreError, Tx, job_enqueue_in_tx};
use pace::Pace;

/// Longest text that is taken over from an event, in characters.
const LONGEST_TEXT: usize = 300;

/// A conversion as it is held: personal fields hashed, money in centavos.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Conversion {
    /// What happened.
    pub(crate) event: ConversionEvent,
    /// The platform counts one event per id.
    pub(crate) event_id: String,
    /// When it happened, Unix seconds.
    pub(crate) event_time: i64,
    /// Account that it concerns, for its consent; absent for visitors.
    pub(crate) uid: Option<String>,
    /// Hashed fields by their names at the platform.
    pub(crate) user_data: BTreeMap<String, String>,
    /// What it was worth.
    pub(crate) value_centavos: Option<i64>,
    /// Plan id or name.
    pub(crate) subscription_plan: Option<String>,
    /// Interval.
    pub(crate) interval: Option<String>,
    /// Address of the visitor; the platform takes it plain.
    pub(crate) client_address: Option<String>,
    /// Browser of the visitor; the platform takes it plain.
    pub(crate) user_agent: Option<String>,
}

/// What a confirmed payment tells the platform.
#[derive(Debug, Clone)]
pub(crate) struct PaymentFacts {
    pub(crate) paid_at: Timestamp,
    pub(crate) value: Centavos,
    pub(crate) plan_id: String,
    pub(crate) interval: String,
}

impl Conversion {
    /// The conversion of a confirmed payment; `subject` is the checkout session's id, which the page knows too.
    pub(crate) fn of_payment(
        event: ConversionEvent,
        subject: &str,
        account: &Account,
        facts: PaymentFacts,
    ) -> Self {
        let phone = account.phone.clone().unwrap_or_default();
        let first_name = account.display_name.split_whitespace().next().unwrap_or_default();
        let user_data = [
            hashed(PersonalField::Email, &account.email),
            hashed(PersonalField::FirstName, first_name),
            hashed(PersonalField::Phone, &phone),
            hashed(PersonalField::ExternalId, &account.uid),
        ];
        Self {
            event,
            event_id: event.event_id(subject),
            event_time: facts.paid_at.as_unix_seconds(),
            uid: Some(account.uid.clone()),
            user_data: user_data.into_iter().flatten().collect(),
            value_centavos: Some(facts.value.get()),
            subscription_plan: Some(facts.plan_id),
            interval: Some(facts.interval),
            client_address: None,
            user_agent: None,
        }
    }
}

/// Holds a conversion, once per event and id; it is sent when a sender runs.
pub(crate) async fn conversion_hold_in_tx(
    tx: &mut Tx,
    conversion: &Conversion,
    now: Timestamp,
) -> Result<(), StoreError> {
    // The id comes from outside and the operator reads keys, so it stands there as its hash.
    let id_hash = Sha256::digest(&conversion.event_id);
    let key = format!("{}:{}", conversion.event.name(), hex::encode(&id_hash[..16]));
    let payload = serde_json::json!(conversion);
    job_enqueue_in_tx(tx, NewJob { kind: JobKind::Conversion, key, payload, due_at: now }).await.map(drop)
}

/// A personal field as the platform takes it: its name and its hash.
fn hashed(field: PersonalField, text: &str) -> Option<(String, String)> {
    let text = text.trim();
    let hash = if is_hashed(text) {
        text.to_lowercase()
    } else {
        hex::encode(Sha256::digest(field.normalized(text)?))
    };
    Some((field.name().to_owned(), hash))
}

/// The service over its parts.
#[derive(Clone)]
pub(crate) struct TrackingApi {
    store: Store,
    clock: Arc<dyn Clock>,
    pace: Arc<Pace>,
}

impl TrackingApi {
    /// Serves conversion events; one address may post so many in a minute.
    pub(crate) fn new(store: Store, clock: Arc<dyn Clock>, events_per_address: u32) -> Self {
        Self { store, clock, pace: Arc::new(Pace::new(events_per_address)) }
    }

    async fn track(&self, caller: &Caller, request: pb::TrackEventRequest) -> Result<(), Error> {
        self.allow(caller)?;
        let now = self.clock.now();
        let conversion = Arc::new(read(caller, request, now)?);
        if conversion.event.is_told_by_the_payment() {
            // A pointer at best: the server tells it from the paid invoice, under the same id.
            return Ok(());
        }
        self.store
            .write::<_, StoreError, _>(move |tx| {
                let conversion = conversion.clone();
                Box::pin(async move { conversion_hold_in_tx(tx, &conversion, now).await })
            })
            .await?;
        Ok(())
    }

    /// Our own pages, at a visitor's pace, or a service that may write events, at its own.
    fn allow(&self, caller: &Caller) -> Result<(), Error> {
        match caller.principal {
            Principal::Service(_) => caller.require_scope(Scope::TrackingWrite),
            _ if caller.own_origin => self.pace.take(caller.limit_address()),
            _ => Err(Error::refused(
                ErrorReason::PermissionDenied,
                "events come from our pages or with tracking.write",
            )),
        }
    }
}

fn read(caller: &Caller, request: pb::TrackEventRequest, now: Timestamp) -> Result<Conversion, Error> {
    let event = ConversionEvent::parse(&request.event_name).ok_or_else(|| {
        Error::refused(ErrorReason::UnknownEvent, "no conversion event has this name")
            .with_field("event_name", "unknown")
    })?;
    let mut wrong = Violations::new();
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
    wrong.refuse()?;
    let person = request.user_data.unwrap_or_default();
    let custom = request.custom_data.unwrap_or_default();
    let fields = [
        (PersonalField::Email, person.em),
        (PersonalField::FirstName, person.r#fn),
        (PersonalField::Phone, person.ph),
        (PersonalField::ExternalId, person.external_id),
    ];
    Ok(Conversion {
        event,
        event_id: request.event_id,
        event_time: request.event_time.unwrap_or_default().seconds,
        uid: caller.known().map(|identity| identity.uid.clone()),
        user_data: fields.into_iter().filter_map(|(field, text)| hashed(field, &text?)).collect(),
        value_centavos: custom.value_centavos.filter(|_| event.has_value()),
        subscription_plan: custom.subscription_plan.map(shortened),
        interval: custom.interval.map(shortened),
        client_address: caller.client_address.clone(),
        user_agent: caller.user_agent.clone(),
    })
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
        self.track(&caller, request.into_inner()).await?;
        Ok(Response::new(pb::TrackEventResponse {}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn campos_pessoais_batem_com_os_vetores_da_plataforma() {
        for (field, typed, hash) in [
            (
                PersonalField::Email,
                " John_Smith@gmail.com",
                "62a14e44f765419d10fea99367361a727c12365e2520f32218d505ed9aa0f62f",
            ),
            (
                PersonalField::FirstName,
                "Mary",
                "6915771be1c5aa0c886870b6951b03d7eafc121fea0e80a5ea83beb7c449f4ec",
            ),
            (
                PersonalField::Phone,
                "(11) 98765-4321",
                "029c7290f14c4516673508635f0519db95f7daf42057fd0e4ad1de84c5408a66",
            ),
        ] {
            assert_eq!(hashed(field, typed), Some((field.name().to_owned(), hash.to_owned())));
            assert_eq!(hashed(field, &hash.to_uppercase()), Some((field.name().to_owned(), hash.to_owned())));
        }
        assert_eq!(hashed(PersonalField::Phone, "1234"), None);
    }
}
