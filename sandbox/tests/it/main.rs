//! The sandbox over real HTTP, as the product meets it.

mod boletos;
mod cards;
mod clock;
mod faults;
mod plumbing;
mod support;
