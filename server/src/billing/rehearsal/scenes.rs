//! The scenes that a run plays on test clocks, each with the checks of the states that it showed.
//!
//! A scene is a type: `play` brings it about by calls, and a method per check judges it.

pub mod authentication;
pub mod boleto;
pub mod browser;
pub mod dunning;
pub mod plan_change;
pub mod refunds;
pub mod trial;
