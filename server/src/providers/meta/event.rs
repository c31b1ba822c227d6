//! One event as the platform reads it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Number;

/// An event, with the platform's own names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Event {
    /// Name: the platform takes its own and any other.
    pub event_name: &'static str,
    /// When it happened, Unix seconds.
    pub event_time: i64,
    /// Under which it is counted once.
    pub event_id: String,
    /// `website`, or `system_generated` where no browser was there.
    pub action_source: &'static str,
    /// The page, which `website` demands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_source_url: Option<String>,
    /// Who did it: hashed but for address, browser and the platform's own ids.
    pub user_data: BTreeMap<String, String>,
    /// What was bought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_data: Option<CustomData>,
}

/// What was bought.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct CustomData {
    /// What it was worth, in units of the currency: `97.9` is R$ 97,90.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Number>,
    /// Currency of the value, ISO 4217.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<&'static str>,
    /// Plan id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription_plan: Option<String>,
    /// Interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<String>,
}
