//! The ports of the process: connections, their limits and their TLS, in front of a router.
//!
//! A crate of its own, because a shipped program compiles it for speed: the HTTP stack is written
//! out here for our service (`[profile.dist]` in Cargo.toml).

pub mod accept;
pub mod tls;
