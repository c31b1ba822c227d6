//! The sandbox over real HTTP, as the product meets it.

mod boletos;
mod cards;
mod clock;
mod faults;
mod pages;
mod plumbing;
mod support;
