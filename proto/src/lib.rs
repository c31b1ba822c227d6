//! The contract as Rust: code generated from `proto/garimpo`, re-exported by package. Nothing is written by hand here
//! but the names.

#![expect(
    missing_docs,
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes,
    reason = "generated from the commented .proto files"
)]

pub mod auth {
    pub mod v1 {
        tonic::include_proto!("garimpo.auth.v1");
    }
}
pub mod users {
    pub mod v1 {
        tonic::include_proto!("garimpo.users.v1");
    }
}
pub mod billing {
    pub mod v1 {
        tonic::include_proto!("garimpo.billing.v1");
    }
}
pub mod tracking {
    pub mod v1 {
        tonic::include_proto!("garimpo.tracking.v1");
    }
}
pub mod errors {
    pub mod v1 {
        tonic::include_proto!("garimpo.errors.v1");
    }
}

/// Descriptors of the public services alone, for reflection on the public port.
pub const PUBLIC_DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/public.bin"));

/// Descriptors of every service, for reflection on the internal port.
pub const ALL_DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/all.bin"));
