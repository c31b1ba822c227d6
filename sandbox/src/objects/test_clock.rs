//! Test clocks: the time of the customers that were created under them.

use serde::{Deserialize, Serialize};

use super::object::{Rest, object};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TestClock {
    pub id: String,
    /// Time of its customers, in Unix seconds.
    pub frozen_time: i64,
    pub status: ClockStatus,
    pub status_details: ClockStatusDetails,
    #[serde(flatten)]
    pub rest: Rest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockStatus {
    Ready,
    /// Timers are fired until the target.
    Advancing,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ClockStatusDetails {
    /// Present while the clock advances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advancing: Option<Advancing>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Advancing {
    /// Unix seconds.
    pub target_frozen_time: i64,
}

object!(TestClock, "test_helpers.test_clock");
