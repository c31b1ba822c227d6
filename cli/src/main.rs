//! The binary `garimpo`.
fn main() {}
