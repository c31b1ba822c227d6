//! The machine's time.

use time::OffsetDateTime;

/// Never the sandbox's time, because other machines check certificates by their own clocks.
#[expect(clippy::disallowed_methods, reason = "the product's clock can be the sandbox's")]
pub fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc()
}
