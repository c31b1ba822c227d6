//! The product: accounts, sessions, plans, checkout, subscriptions and rights, over gRPC.
//!
//! Start reading at [`app`], the composition root. A service method parses, decides with
//! `garimpo-domain`, stores with [`store`] and replies; [`error`] turns every refusal into a
//! status.

mod address_rate_limiter;
pub mod app;
pub mod audit;
pub mod auth;
pub mod billing;
pub mod caller;
mod causes;
mod client_network;
pub mod clock;
mod clock_skew;
mod context;
pub mod crash;
pub mod doctor;
mod email_hash;
pub mod error;
mod fair_queue;
pub mod ids;
pub mod mail;
mod measures;
pub mod operator;
mod origin;
mod page;
pub mod pause;
mod person_memory;
mod protocol_number;
pub mod providers;
pub mod queue;
mod recent;
mod request_id;
mod retention;
mod rights;
pub mod store;
#[cfg(test)]
mod tests;
pub mod tracking;
pub mod users;
mod wire;

pub use app::{App, ClockSettings, Settings};
pub use email_hash::EmailHash;
pub use error::Error;
pub use operator::Operator;
pub use request_id::current as current_request;
