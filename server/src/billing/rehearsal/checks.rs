//! The checks that need no scene of their own: they call the provider and judge the responses.

pub mod checkout_sessions;
pub mod requests;
