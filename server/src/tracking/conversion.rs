//! A stored conversion: personal fields hashed, money in centavos; without consent it is anonymous.

use std::collections::BTreeMap;

use garimpo_domain::attribution::is_counted_click;
use garimpo_domain::conversion::{GIVE_UP_AFTER_DAYS, PersonalField, is_hashed};
use garimpo_domain::{Centavos, ConversionEvent, Phone, Timestamp, Uid};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::providers::meta::{CustomData, ServerEvent};
use crate::queue::JobKind;
use crate::store::{Account, ClickIdsRow, JobRow, NewJob, Result, Store, Tx, job_queries, jobs, transaction};

pub(super) const CURRENCY: &str = "BRL";
/// A parked conversion is anonymized one day after the platform stops accepting it.
const ANONYMIZE_AFTER_DAYS: i64 = GIVE_UP_AFTER_DAYS + 1;
/// Conversions that one transaction anonymizes.
const PAGE: i64 = 500;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Conversion {
    pub(crate) event: ConversionEvent,
    /// The platform counts one event per id.
    pub(crate) event_id: String,
    /// Unix seconds.
    pub(crate) event_time: i64,
    /// Account whose owner decides about the event; absent for visitors.
    pub(crate) uid: Option<Uid>,
    /// Consent to advertising at the time of the event; `None` if the person was not asked.
    pub(crate) consent: Option<bool>,
    /// Hashed fields by their names at the platform.
    pub(crate) user_data: BTreeMap<String, String>,
    pub(crate) value_centavos: Option<i64>,
    /// Plan id, or a service's own text.
    pub(crate) subscription_plan: Option<String>,
    pub(crate) interval: Option<String>,
    /// Address of the visitor, which the platform takes unhashed.
    pub(crate) client_address: Option<String>,
    /// Browser of the visitor, which the platform takes unhashed.
    pub(crate) user_agent: Option<String>,
    /// Our page on which it happened; absent without a browser.
    pub(crate) source_url: Option<String>,
    /// The browser's id at the platform.
    pub(crate) fbp: Option<String>,
    /// The id at the platform of the click that led here.
    pub(crate) fbc: Option<String>,
}

/// A confirmed payment, for its conversion.
#[derive(Debug, Clone)]
pub(crate) struct PaymentFacts {
    pub(crate) paid_at: Timestamp,
    pub(crate) value: Centavos,
    pub(crate) plan_id: String,
    pub(crate) interval: String,
}

impl Conversion {
    /// The conversion of a confirmed payment. `subject` is the checkout session's id if the payment
    /// opens a subscription, because the page has that id too, and the invoice's id otherwise.
    /// `clicked` is the click that led to it, and `consent` combines the answers of account and
    /// checkout.
    pub(crate) fn of_payment(
        event: ConversionEvent,
        subject: &str,
        account: &Account,
        facts: PaymentFacts,
        clicked: Option<&ClickIdsRow>,
        consent: Option<bool>,
    ) -> Self {
        Self {
            event,
            event_id: event.event_id(subject),
            event_time: facts.paid_at.as_unix_seconds(),
            uid: Some(account.uid.clone()),
            consent,
            user_data: person(account),
            value_centavos: Some(facts.value.get()),
            subscription_plan: Some(facts.plan_id),
            interval: Some(facts.interval),
            client_address: None,
            user_agent: None,
            source_url: None,
            fbp: clicked.and_then(|ids| Some(ids.fbp.as_deref()?.to_owned())),
            fbc: clicked
                .and_then(|ids| ids.fbc.as_deref())
                .filter(|fbc| is_counted_click(fbc, facts.paid_at))
                .map(str::to_owned),
        }
    }

    pub(crate) fn happened_at(&self) -> Timestamp {
        Timestamp::from_unix_seconds(self.event_time)
    }

    /// Removes personal data: for conversions without consent, and after delivery. The result is
    /// never sent, because its consent is removed too.
    pub(super) fn anonymized(mut self) -> Self {
        self.consent = self.consent.filter(|given| !given);
        self.user_data.clear();
        (self.client_address, self.user_agent) = (None, None);
        (self.fbp, self.fbc) = (None, None);
        self
    }

    /// The event in the platform's format.
    pub(super) fn to_event(&self) -> ServerEvent {
        // The platform refuses a website's event without page and browser.
        let page = self.source_url.clone().filter(|_| self.user_agent.is_some());
        let mut user_data = self.user_data.clone();
        for (name, value) in [
            ("client_ip_address", &self.client_address),
            ("client_user_agent", &self.user_agent),
            ("fbp", &self.fbp),
            ("fbc", &self.fbc),
        ] {
            user_data.extend(value.clone().map(|value| (name.to_owned(), value)));
        }
        // The decimal text of an amount is a JSON number.
        let value = self.value_centavos.and_then(|value| Centavos::new(value).decimal().parse().ok());
        let custom = CustomData {
            currency: value.as_ref().map(|_| CURRENCY),
            value,
            subscription_plan: self.subscription_plan.clone(),
            interval: self.interval.clone(),
        };
        ServerEvent {
            event_name: self.event.name(),
            event_time: self.event_time,
            event_id: self.event_id.clone(),
            action_source: if page.is_some() { "website" } else { "system_generated" },
            event_source_url: page,
            user_data,
            custom_data: (custom != CustomData::default()).then_some(custom),
        }
    }
}

/// Stores a conversion until it is sent, once per event and id. Returns whether the stored one will
/// be sent or was sent: an earlier call decides, so later consent sends no earlier event.
pub(crate) async fn hold_conversion(tx: &mut Tx, conversion: Conversion, now: Timestamp) -> Result<bool> {
    let may_leave = conversion.consent == Some(true);
    let conversion = if may_leave { conversion } else { conversion.anonymized() };
    // The id is a client's text and operators read keys, so the key contains its hash.
    let id_hash = Sha256::digest(&conversion.event_id);
    let key = format!("{}:{}", conversion.event.name(), hex::encode(&id_hash[..16]));
    if jobs::enqueue_if_absent(tx, NewJob::new(JobKind::Conversion, &key, &conversion, now)).await? {
        return Ok(may_leave);
    }
    let held = job_queries::by_key(&mut *tx, JobKind::Conversion, &key).await?;
    Ok(held.is_some_and(|job| is_or_will_be_sent(&job)))
}

fn is_or_will_be_sent(job: &JobRow) -> bool {
    let holds_person = |conversion: Conversion| conversion.consent == Some(true);
    job.was_done() || serde_json::from_str(&job.payload).is_ok_and(holds_person)
}

/// Anonymizes conversions that were parked so long ago that the platform no longer accepts them.
/// Why they failed stays with their jobs.
pub(crate) async fn anonymize_parked(store: &Store, now: Timestamp) -> Result<()> {
    let parked_before = now.plus_days(-ANONYMIZE_AFTER_DAYS);
    let mut after = String::new();
    loop {
        let page = job_queries::parked_page(store, JobKind::Conversion, parked_before, &after, PAGE).await?;
        let Some((last, _)) = page.last() else { return Ok(()) };
        after.clone_from(last);
        let payloads: Vec<_> = page.into_iter().filter_map(anonymized_payload).collect();
        if !payloads.is_empty() {
            write_payloads(store, payloads).await?;
        }
    }
}

/// Key and anonymous payload of a parked conversion; `None` if it is anonymous already.
fn anonymized_payload((key, payload): (String, String)) -> Option<(String, Option<Value>)> {
    match serde_json::from_str::<Conversion>(&payload) {
        Ok(conversion) if conversion.consent != Some(true) => None,
        Ok(conversion) => Some((key, Some(serde_json::json!(conversion.anonymized())))),
        // An unreadable payload cannot be sent, so it is emptied.
        Err(_) => (payload != "{}").then_some((key, None)),
    }
}

/// Replaces or empties payloads of conversions.
async fn write_payloads(store: &Store, payloads: Vec<(String, Option<Value>)>) -> Result<()> {
    transaction!(store, (payloads), |tx| {
        for (key, rest) in payloads {
            match rest {
                Some(rest) => jobs::set_payload(tx, JobKind::Conversion, key, rest).await?,
                None => jobs::forget_payload(tx, JobKind::Conversion, key).await?,
            }
        }
        Ok(())
    })
}

/// An account's owner in the platform's format.
pub(super) fn person(account: &Account) -> BTreeMap<String, String> {
    let first_name = account.display_name.split_whitespace().next().unwrap_or_default();
    hash_fields([
        (PersonalField::Email, Some(account.email.as_str())),
        (PersonalField::FirstName, Some(first_name)),
        (PersonalField::Phone, account.phone.as_ref().map(Phone::as_str)),
        (PersonalField::ExternalId, Some(&*account.uid)),
    ])
}

/// Names and hashes of usable personal fields.
pub(super) fn hash_fields<'a>(
    fields: impl IntoIterator<Item = (PersonalField, Option<&'a str>)>,
) -> BTreeMap<String, String> {
    fields.into_iter().filter_map(|(field, text)| hash_field(field, text?)).collect()
}

fn hash_field(field: PersonalField, text: &str) -> Option<(String, String)> {
    let text = text.trim();
    let hash = if is_hashed(text) {
        text.to_lowercase()
    } else {
        hex::encode(Sha256::digest(field.normalized(text)?))
    };
    Some((field.name().to_owned(), hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashed_personal_fields_match_the_vectors_of_the_platform() {
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
            assert_eq!(hash_field(field, typed), Some((field.name().to_owned(), hash.to_owned())));
            assert_eq!(
                hash_field(field, &hash.to_uppercase()),
                Some((field.name().to_owned(), hash.to_owned()))
            );
        }
        assert_eq!(hash_field(PersonalField::Phone, "1234"), None);
    }

    fn held() -> Conversion {
        Conversion {
            event: ConversionEvent::CheckoutStarted,
            event_id: "checkout_iniciado:cs_1".into(),
            event_time: 1_790_000_000,
            uid: Some(Uid::new("usr_1")),
            consent: Some(true),
            user_data: BTreeMap::from([("em".to_owned(), "a".repeat(64))]),
            value_centavos: Some(9790),
            subscription_plan: Some("top_afiliado".into()),
            interval: Some("monthly".into()),
            client_address: Some("192.0.2.7".into()),
            user_agent: Some("Firefox".into()),
            source_url: Some("https://garimpo.example/checkout".into()),
            fbp: Some("fb.1.17.2".into()),
            fbc: None,
        }
    }

    #[test]
    fn an_event_with_a_page_and_a_browser_is_a_website_event_and_otherwise_a_system_event() {
        let sent = serde_json::json!(held().to_event());
        assert_eq!(
            sent,
            serde_json::json!({
                "event_name": "checkout_iniciado", "event_time": 1_790_000_000, "event_id": "checkout_iniciado:cs_1",
                "action_source": "website", "event_source_url": "https://garimpo.example/checkout",
                "user_data": {
                    "em": "a".repeat(64), "client_ip_address": "192.0.2.7", "client_user_agent": "Firefox",
                    "fbp": "fb.1.17.2",
                },
                "custom_data": {
                    "value": 97.9, "currency": "BRL", "subscription_plan": "top_afiliado", "interval": "monthly",
                },
            })
        );
        let blind = Conversion { user_agent: None, ..held() }.to_event();
        assert_eq!((blind.action_source, blind.event_source_url), ("system_generated", None));
        let signed_up =
            Conversion { value_centavos: None, subscription_plan: None, interval: None, ..held() }.to_event();
        assert_eq!(signed_up.custom_data, None);
    }
}
