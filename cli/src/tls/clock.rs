//! The machine's time.

use garimpo_server::clock::{Clock as _, SystemClock};
use time::OffsetDateTime;

/// Certificates are valid by the clocks of others, whatever the sandbox's clock says.
pub fn now() -> OffsetDateTime {
    let seconds = SystemClock.now().as_unix_seconds();
    OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}
