//! What an account may use: answered to our own services, and sent to those that watch.

pub(super) mod answer;
pub(super) mod feed;
pub(super) mod grpc;
