//! Cases that once found a fault, made as small as they would get: each is lived in every run.

use super::case::Case;

/// Why each is kept, and what happens in it.
pub fn cases() -> Vec<(&'static str, Case)> {
    vec![]
}
