//! The door from outside: real router, real wire formats, stand-ins only for the services behind it.

#![expect(clippy::unwrap_used, reason = "a step that fails is the test's failure")]

mod budget;
mod cookies;
mod fleet;
mod grpc;
mod log;
mod openapi;
mod origin;
mod panics;
mod rest;
mod site;
mod support;
