//! Test clocks: the time of the customers that were created under them.

use serde::{Deserialize, Serialize};

use super::object::{Rest, object};

/// A test clock.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TestClock {
    /// `clock_…`.
    pub id: String,
    /// Time of its customers, in Unix seconds.
    pub frozen_time: i64,
    /// Whether it advances now.
    pub status: ClockStatus,
    /// Where it advances to.
    pub status_details: ClockStatusDetails,
    #[serde(flatten)]
    pub rest: Rest,
}

/// ClockStatus of a test clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockStatus {
    /// It can be advanced.
    Ready,
    /// It fires what is due until its target.
    Advancing,
}

/// Details of the status.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ClockStatusDetails {
    /// Present while the clock advances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advancing: Option<Advancing>,
}

/// Target of an advance.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Advancing {
    /// Unix seconds.
    pub target_frozen_time: i64,
}

object!(TestClock, "test_helpers.test_clock");
