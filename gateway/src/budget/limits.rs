//! The budgets of one gateway and their limits.

use super::refused_events::RefusedEvents;
use super::share::{Budget, BudgetLimits};
use std::time::Duration;

/// What one gateway lets its clients hold and try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GatewayLimits {
    /// Requests under way, each until its client has taken the answer.
    pub requests: BudgetLimits,
    /// Request bodies that have not arrived whole.
    pub bodies: BudgetLimits,
    /// How long the first byte of a body may take.
    pub first_byte: Duration,
    /// How long a whole event of the payment provider may take.
    pub event_time: Duration,
    /// Bytes of request bodies in memory, but for the payment provider's events.
    pub body_bytes: BudgetLimits,
    /// Bytes of the payment provider's events in memory.
    pub event_bytes: BudgetLimits,
    /// Open streams of health and reflection.
    pub streams: BudgetLimits,
    /// How long such a stream stays open.
    pub stream_life: Duration,
    /// Events with a wrong signature per client in a minute; beyond it none is read for a minute.
    pub refused_events: u32,
}

impl Default for GatewayLimits {
    /// Sized for 500 visitors behind one IPv4 address and a process of 768 MiB. At the limits together
    /// it takes about 600 MiB: 60 by itself, 360 for 4,096 connections of up to 90 KiB, 80 for 8,192
    /// unread answers of about 10 KiB, and 96 for bodies.
    fn default() -> Self {
        Self {
            requests: BudgetLimits { total: 8192, client: 1024 },
            bodies: BudgetLimits { total: 2048, client: 128 },
            first_byte: Duration::from_secs(5),
            event_time: Duration::from_secs(10),
            body_bytes: BudgetLimits { total: 64 * MIB, client: 8 * MIB },
            event_bytes: BudgetLimits { total: 32 * MIB, client: 4 * MIB },
            streams: BudgetLimits { total: 1024, client: 16 },
            stream_life: Duration::from_mins(1),
            refused_events: 60,
        }
    }
}

/// Bytes of a mebibyte.
pub const MIB: usize = 1024 * 1024;

/// The budgets of one gateway.
pub(crate) struct Budgets {
    pub requests: Budget,
    pub bodies: Budget,
    pub body_bytes: Budget,
    pub event_bytes: Budget,
    pub streams: Budget,
    pub refused_events: RefusedEvents,
}

impl Budgets {
    pub fn new(limits: &GatewayLimits) -> Self {
        Self {
            requests: Budget::new("requests", limits.requests),
            bodies: Budget::new("bodies", limits.bodies),
            body_bytes: Budget::new("body_bytes", limits.body_bytes),
            event_bytes: Budget::new("event_bytes", limits.event_bytes),
            streams: Budget::new("streams", limits.streams),
            refused_events: RefusedEvents::new(limits.refused_events),
        }
    }
}
