//! An event in the platform's format.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Number;

/// An event that a server reports, with the field names of the platform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServerEvent {
    /// A standard name of the platform or a name of ours.
    pub event_name: &'static str,
    /// Unix seconds.
    pub event_time: i64,
    /// The platform counts each name and id once.
    pub event_id: String,
    /// `website`, or `system_generated` for an event without a browser.
    pub action_source: &'static str,
    /// The page, which `website` requires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_source_url: Option<String>,
    /// The person; hashed, except address, browser and the platform's own ids.
    pub user_data: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_data: Option<CustomData>,
}

/// The purchase of an event.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct CustomData {
    /// Value in units of the currency: `97.9` is R$ 97,90.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Number>,
    /// Currency of the value, ISO 4217.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription_plan: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<String>,
}
