//! The door of Garimpo: one public port for the site, REST, gRPC-Web and gRPC.
//!
//! What lives here: wire formats, cookies, origins, limits, files. What does not: rules, prices, databases, clocks.
//! A request meets `router` first (the whole route table), then either `grpc` (forwarded as it is), a file of `rest`
//! (decode, one gRPC call, encode) or `site` (a file of the built web). All three reach the services through one
//! `Backend` and one `Caller`, so cookies and client facts are handled once.

mod answer;
mod app;
pub mod backend;
mod body;
pub mod budget;
mod caller;
mod error;
mod fleet;
mod grpc;
mod health;
mod observe;
mod openapi;
mod public_url;
mod rest;
mod router;
mod rpc;
mod security;
mod session_cookie;
mod settings;
mod site;
mod stream;

pub use backend::Backend;
pub use fleet::Fleet;
pub use health::Ready;
pub use public_url::{PublicUrl, PublicUrlError};
pub use router::router;
pub use settings::Settings;
pub use site::files::Files;
pub use site::third_party::{Ads, Advertising, Checkout, Pixel};
