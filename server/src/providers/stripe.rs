//! A client for the part of the payment provider's HTTP API that Garimpo uses.
//!
//! `client` sends one request well: pinned version, timeouts, bounded retries, a circuit breaker
//! and a budget of calls. The other files hold objects and calls by area. Nothing here holds a rule
//! of the product or reads the database.
//!
//! Times are Unix seconds and amounts centavos, as in the API. A field that references another
//! object accepts its id or the expanded object. Objects have only the fields that Garimpo reads.

mod account;
mod balance;
mod catalog;
mod checkout;
mod client;
mod customers;
mod errors;
mod events;
mod invoices;
mod lists;
mod payments;
mod references;
mod refunds;
pub(crate) mod rehearsal;
mod request;
mod signature;
mod subscriptions;

pub(crate) use account::{AccountMark, AccountReading};
pub(crate) use balance::BalanceMove;
pub(crate) use catalog::{Coupon, Price, PriceOrder};
pub(crate) use checkout::{CheckoutOrder, CheckoutSession};
#[cfg(test)]
pub(crate) use client::API_VERSION;
pub(crate) use client::{AccountGuard, Stripe};
pub use client::{CALLS_PER_SECOND, StripeSettings};
pub(crate) use customers::{Customer, CustomerOrder, CustomerState};
pub use errors::StripeError;
pub(crate) use errors::present;
pub(crate) use events::Event;
pub(crate) use invoices::{Invoice, InvoiceConfirmation, InvoicePayment};
pub(crate) use lists::Page;
pub(crate) use payments::{BoletoDetails, PaymentIntent, SavedMethod};
pub(crate) use refunds::{Charge, Dispute, Refund};
pub(crate) use signature::{SignatureError, SignatureHeader};
pub(crate) use subscriptions::{PlanChangeOrder, Subscription, SubscriptionItem};
