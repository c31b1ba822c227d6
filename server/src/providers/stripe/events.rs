//! Events: their envelopes and lists.

use garimpo_domain::{CustomerId, EventId, PaymentIntentId};
use serde::Deserialize;
use serde_json::Value;

use super::client::Stripe;
use super::errors::Result;
use super::lists::{Page, listed};
use super::references;
use super::request::Params;

/// An event. Its object is a snapshot that may be outdated.
#[derive(Debug, Clone, Deserialize)]
pub struct Event {
    pub id: EventId,
    /// For instance `invoice.paid`.
    #[serde(rename = "type")]
    pub kind: String,
    data: EventData,
}

#[derive(Debug, Clone, Deserialize)]
struct EventData {
    object: EventObject,
    #[serde(default)]
    previous_attributes: PreviousAttributes,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct PreviousAttributes {
    #[serde(default)]
    status: Value,
}

#[derive(Debug, Clone, Deserialize)]
struct EventObject {
    #[serde(default)]
    object: String,
    id: Option<String>,
    #[serde(default, deserialize_with = "references::id")]
    customer: Option<CustomerId>,
    #[serde(default, deserialize_with = "references::id")]
    payment_intent: Option<PaymentIntentId>,
}

listed!(Event);

impl Event {
    /// Id of its object.
    pub fn object_id(&self) -> Option<&str> {
        self.data.object.id.as_deref()
    }

    /// Whether it reports that its object left a status.
    pub fn leaves_status(&self, status: &str) -> bool {
        self.data.previous_attributes.status == status
    }

    /// Id of its customer.
    pub fn customer(&self) -> Option<&str> {
        let object = &self.data.object;
        if object.object == "customer" { object.id.as_deref() } else { object.customer.as_deref() }
    }

    /// Id of its payment intent: refunds and disputes name no customer.
    pub fn payment(&self) -> Option<&PaymentIntentId> {
        self.data.object.payment_intent.as_ref()
    }
}

impl Stripe {
    /// Reads the newest page of the events.
    pub async fn list_newest_events(&self) -> Result<Page<Value>> {
        self.page("event_list", &["events"], Params::new(), "").await
    }

    /// Reads the page of events that follow an event, newest first. It does not filter by type,
    /// because the provider accepts 20 types and we handle more.
    pub async fn list_events_after(&self, id: &str) -> Result<Page<Value>> {
        self.page("event_list", &["events"], Params::new().set("ending_before", id), "").await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_the_id_of_its_customer() {
        for (object, customer) in [
            (r#"{"id":"cus_1","object":"customer"}"#, Some("cus_1")),
            (r#"{"id":"in_1","object":"invoice","customer":"cus_2"}"#, Some("cus_2")),
            (r#"{"id":"in_1","object":"invoice","customer":{"id":"cus_3"}}"#, Some("cus_3")),
            (r#"{"id":"price_1","object":"price"}"#, None),
            (r#"{"object":"balance"}"#, None),
        ] {
            let text = format!(r#"{{"id":"evt_1","type":"x.y","data":{{"object":{object}}}}}"#);
            let event: Event = serde_json::from_str(&text).unwrap();
            assert_eq!(event.customer(), customer);
        }
    }
}
