//! https on the public port: handshakes with a time limit, with the certificate that is current.
//!
//! The certificate comes from two files, which are read again when they change, or from an
//! authority over ACME.

pub mod acme;
mod clock;
mod current;
pub mod files;
mod handshake;
mod metrics;
pub mod pair;
mod settings;

pub use handshake::Handshakes;
pub use settings::{AcmeSettings, TlsSettings};
