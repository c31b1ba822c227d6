//! The machine's time.

use time::OffsetDateTime;

/// Certificates are valid by the clocks of others, whatever the sandbox's clock says.
#[expect(clippy::disallowed_methods, reason = "the product's clock can be the sandbox's")]
pub fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc()
}
