//! The product: accounts, sessions, plans, checkout, subscriptions and rights, over gRPC.

pub mod store;
#[cfg(test)]
mod testing;
