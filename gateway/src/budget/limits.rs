//! The budgets of one gateway and their limits.

use super::log_lines::LogLines;
use super::page_errors::PageErrors;
use super::refused_events::RefusedEvents;
use super::share::{Budget, BudgetLimits};
use std::time::Duration;

/// Limits of what clients hold and try at one gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GatewayLimits {
    /// Requests under way, each until its client has read the response.
    pub requests: BudgetLimits,
    /// Incomplete request bodies.
    pub bodies: BudgetLimits,
    /// Time limit of the first byte of a body.
    pub first_byte: Duration,
    /// Time limit of a whole event of the payment provider.
    pub event_time: Duration,
    /// Bytes of request bodies in memory, except for events of the payment provider.
    pub body_bytes: BudgetLimits,
    /// Bytes of the payment provider's events in memory.
    pub event_bytes: BudgetLimits,
    /// Open streams of health and reflection.
    pub streams: BudgetLimits,
    /// Time limit of such a stream.
    pub stream_life: Duration,
    /// Events with a wrong signature per client and minute. Above it the client is blocked for a
    /// minute.
    pub refused_events: u32,
    /// Reports of broken pages per client and minute.
    pub page_errors: u32,
}

impl Default for GatewayLimits {
    /// Sized for 500 visitors behind one IPv4 address and a process of 768 MiB. At the limits
    /// together it uses about 600 MiB: 60 by itself, 360 for 4,096 connections of up to 90 KiB, 80
    /// for 8,192 unread answers of about 10 KiB, and 96 for bodies.
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
            page_errors: 60,
        }
    }
}

/// Bytes of a mebibyte.
pub const MIB: usize = 1024 * 1024;

pub(crate) struct Budgets {
    pub requests: Budget,
    pub bodies: Budget,
    pub body_bytes: Budget,
    pub event_bytes: Budget,
    pub streams: Budget,
    pub refused_events: RefusedEvents,
    pub page_errors: PageErrors,
    pub log_lines: LogLines,
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
            page_errors: PageErrors::new(limits.page_errors),
            log_lines: LogLines::new(),
        }
    }
}
