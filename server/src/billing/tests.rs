//! Billing over the real sandbox, on both databases.

mod boleto;
mod card;
mod checkout;
mod conversions;
mod faults;
mod losses;
mod news;
mod orders;
mod second;

const VISA: &str = "4242424242424242";
