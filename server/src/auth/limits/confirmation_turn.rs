//! The order in which mails leave that confirm addresses.

use garimpo_domain::Timestamp;
use serde::{Deserialize, Serialize};

/// Mails that confirm addresses, which the sign-ups of a client cause at once in an hour.
pub(super) const CONFIRMATIONS_AT_ONCE: u32 = 20;
/// Seconds between further ones: few, because many people may share an address.
const SECONDS: i64 = 3;
/// Seconds between further ones once the limit of all clients is reached.
const SECONDS_AT_LIMIT: i64 = 30;

/// Number of a mail beyond [`CONFIRMATIONS_AT_ONCE`] in its client's hour; 0 for the first ones.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct ConfirmationTurn(pub(super) i64);

impl ConfirmationTurn {
    /// When a mail is due that was requested at an instant.
    pub(crate) fn due_at(self, requested_at: Timestamp) -> Timestamp {
        requested_at.plus_seconds(self.0 * SECONDS)
    }

    /// When a mail is due again that waits for the end of a full hour: those of clients with few
    /// go first, so that a flood of sign-ups cannot fill the next hour too.
    pub(crate) fn due_after(self, full_until: Timestamp) -> Timestamp {
        full_until.plus_seconds(self.0 * SECONDS_AT_LIMIT)
    }
}
