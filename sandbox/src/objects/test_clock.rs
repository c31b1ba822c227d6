//! Test clocks: the time of the customers that were created under them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::object::{Rest, object};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TestClock {
    pub id: String,
    /// Time of its customers, in Unix seconds.
    pub frozen_time: i64,
    pub status: ClockStatus,
    /// `{"advancing": {"target_frozen_time": …}}` while it advances.
    pub status_details: Value,
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

object!(TestClock, "test_helpers.test_clock");
