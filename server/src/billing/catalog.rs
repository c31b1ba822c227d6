//! What is sold: as replies, and pushed to the payment provider.

pub(super) mod push;
pub(super) mod wire;
