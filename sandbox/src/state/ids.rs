//! Identifiers in the shapes that the real provider uses.

use rand::Rng;
use rand::distr::Alphanumeric;

/// Random letters and digits.
pub fn random(length: usize) -> String {
    rand::rng().sample_iter(Alphanumeric).take(length).map(char::from).collect()
}

/// An id such as `cus_` followed by 24 random characters.
pub fn new(prefix: &str) -> String {
    format!("{prefix}_{}", random(24))
}

/// A checkout session's id: `cs_test_` and 58 characters, 66 in all.
pub fn session() -> String {
    format!("cs_test_{}", random(58))
}
