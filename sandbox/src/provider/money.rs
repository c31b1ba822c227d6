//! Payments: cards, boletos, refunds and disputes.

pub mod boleto;
pub mod cards;
pub mod confirmation;
pub mod disputes;
pub mod intents;
pub mod payment_methods;
pub mod refunds;
pub mod vouchers;
