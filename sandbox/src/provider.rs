//! The payment provider: its API at `/v1/…`, what time does to its objects, and its webhooks.

mod account;
pub mod amounts;
pub mod api;
pub mod billing;
pub mod call;
mod catalog;
pub mod checkout;
mod clock_time;
mod customer_deletion;
pub mod customers;
mod discounts;
pub mod due;
mod endpoints;
pub mod error;
pub mod events;
mod expand;
mod idempotency;
mod listing;
pub mod money;
mod parameters;
pub mod params;
pub mod portal;
mod table;
mod test_clocks;
pub mod webhooks;

pub use call::{API_VERSION, Call, Reply, complete, get, get_param, load, load_param, set_fields};
pub use error::{ApiError, read};
pub use listing::Listing;
pub use params::Params;
