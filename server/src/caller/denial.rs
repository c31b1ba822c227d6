//! Reasons to deny a service its call, and their metric.

use garimpo_proto::errors::v1::ErrorReason;
use strum::{EnumIter, IntoStaticStr};

use crate::measures::DENIALS;

/// Why a service is denied its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Denial {
    NoToken,
    /// The token is invented, expired or revoked.
    UnknownToken,
    /// The token lacks the scope, or is a person's.
    WrongScope,
    TooManyCalls,
    /// The token has as many watches open as it may.
    TooManyWatches,
}

garimpo_domain::named!(Denial);

impl Denial {
    /// The reason returned to the caller.
    pub(super) fn reason(self) -> ErrorReason {
        match self {
            Self::NoToken | Self::UnknownToken => ErrorReason::Unauthenticated,
            Self::WrongScope => ErrorReason::PermissionDenied,
            Self::TooManyCalls | Self::TooManyWatches => ErrorReason::TooManyRequests,
        }
    }

    /// Ports that calls arrive at.
    pub(crate) const PORTS: [&str; 2] = ["public", "internal"];

    /// Counts a denial. Anybody can cause those of the public port, so alarms watch the internal
    /// one.
    pub(super) fn count(self, is_public: bool) {
        let [public, internal] = Self::PORTS;
        let port = if is_public { public } else { internal };
        metrics::counter!(DENIALS, "reason" => self.name(), "port" => port).increment(1);
    }
}
