//! The public port: real router and real wire formats; only the services behind it are fakes.

#![expect(clippy::unwrap_used, reason = "a step that fails is the test's failure")]

mod budget;
mod cookies;
mod grpc;
mod handlers;
mod log;
mod openapi;
mod origin;
mod page_errors;
mod panics;
mod rest;
mod site;
mod support;
