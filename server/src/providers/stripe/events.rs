//! Events as the provider delivers them, reduced to whose they are.

use serde::Deserialize;

use super::objects::reference;

/// An event as it was delivered; its object is a snapshot that we do not trust to be current.
#[derive(Debug, Clone, Deserialize)]
pub struct Event {
    /// Id, `evt_…`.
    pub id: String,
    /// For instance `invoice.paid`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it is about.
    pub data: EventData,
}

/// What an event carries.
#[derive(Debug, Clone, Deserialize)]
pub struct EventData {
    /// Snapshot of the object that changed.
    pub object: EventObject,
}

/// The part of an event's object that says whose it is.
#[derive(Debug, Clone, Deserialize)]
pub struct EventObject {
    /// Kind of object, for instance `invoice`.
    #[serde(default)]
    pub object: String,
    /// Its id.
    pub id: Option<String>,
    #[serde(default, deserialize_with = "reference")]
    customer: Option<String>,
    #[serde(default, deserialize_with = "reference")]
    payment_intent: Option<String>,
}

impl Event {
    /// The customer that it concerns.
    pub fn customer(&self) -> Option<&str> {
        let object = &self.data.object;
        if object.object == "customer" { object.id.as_deref() } else { object.customer.as_deref() }
    }

    /// The payment that it concerns: refunds and disputes name no customer.
    pub fn payment(&self) -> Option<&str> {
        self.data.object.payment_intent.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evento_diz_de_quem_e() {
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
