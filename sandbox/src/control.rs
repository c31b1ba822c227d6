//! The test API, and the services besides payments: clock, mailbox, conversions, pixels,
//! challenges.

pub mod behavior;
pub mod calls;
pub mod captcha;
pub mod clock;
pub mod faults;
pub mod graph;
pub mod guard;
pub mod mail;
pub mod pixel;
pub mod test_api;
