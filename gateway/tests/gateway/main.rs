//! The door from outside: real router, real wire formats, stand-ins only for the services behind it.

mod cookies;
mod fleet;
mod grpc;
mod origin;
mod rest;
mod site;
mod support;
