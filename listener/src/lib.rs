//! The ports of the process: connections, their limits and their TLS, in front of a router.

pub mod accept;
pub mod tls;
