//! Budgets of scarce resources, which clients hold at once: connections, requests, bytes of bodies,
//! streams.

mod client;
mod client_rate;
mod counted_clients;
mod limits;
mod log_lines;
mod page_errors;
mod refused_events;
mod share;
#[cfg(test)]
mod tests;

pub(crate) use counted_clients::CountedClients;
pub(crate) use limits::Budgets;
pub use limits::{GatewayLimits, MIB};
pub(crate) use log_lines::{LINES_LEFT_OUT, LineClass, LogLines};
pub(crate) use refused_events::BLOCKED_FOR;
pub use share::{AnswerEviction, Budget, BudgetLimits, Exceeded, RETRY_AFTER, Share, count_limited};
