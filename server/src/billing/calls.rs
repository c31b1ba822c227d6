//! The gRPC services of billing.

pub(super) mod grpc;
pub(super) mod webhook;
