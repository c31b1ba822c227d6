//! The product: accounts, sessions, plans, checkout, subscriptions and rights, over gRPC.
//!
//! Start reading at [`app`], the composition root. A service method parses, decides with
//! `garimpo-domain`, stores with [`store`] and replies.

/// The product's clock.
pub mod clock;
/// Points at which a test makes the process die.
pub mod crash;
/// From every error to the wire.
pub mod error;
/// Ids, secrets and jitter.
pub mod ids;
/// Every wire that leaves the product.
pub mod providers;
/// The durable queue.
pub mod queue;
mod request_id;
/// The database: all SQL.
pub mod store;
#[cfg(test)]
mod testing;

pub use error::Error;
