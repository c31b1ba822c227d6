//! The gateway of Garimpo: one public port for the site, REST, gRPC-Web and gRPC.
//!
//! It handles wire formats, cookies, origins, limits and files. It has no rules, prices, databases
//! or clocks. `router` has the whole route table. A request goes on to `grpc` (forwarded
//! unchanged), to a file of `rest` (decode, one gRPC call, encode) or to `site` (a file of the
//! built web). All three call the services through one `Caller`, so cookies and facts about clients
//! are handled once.

mod app;
mod backend;
mod body;
pub mod budget;
mod error;
mod grpc;
mod header_parts;
mod health;
mod observe;
mod openapi;
mod public_url;
mod redirect;
mod request_context;
mod response_body;
mod rest;
mod router;
mod rpc;
mod scrub;
mod security;
mod session_cookie;
mod settings;
mod site;
mod stream;

pub use health::Ready;
pub use public_url::{PublicUrl, PublicUrlError};
pub use redirect::redirect;
pub use router::router;
pub use settings::Settings;
pub use site::files::Files;
pub use site::third_party::{Ads, Advertising, Captcha, Checkout, Pixel};
