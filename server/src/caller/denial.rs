//! Services that are not let in: each refusal has one line in the log and counts in one metric.

use garimpo_proto::errors::v1::ErrorReason;
use strum::{IntoStaticStr, VariantArray};

use super::{Caller, Principal};

const DENIALS: &str = "garimpo_denials_total";

/// Why a service is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Denial {
    /// No token came with the call.
    NoToken,
    /// The token is nobody's: made up, ended or revoked.
    UnknownToken,
    /// The token does not allow this, or is a person's.
    WrongScope,
    /// The token calls more often than it may.
    TooManyCalls,
    /// The token has as many watches open as it may.
    TooManyWatches,
}

impl Denial {
    const ALL: [Self; Self::VARIANTS.len()] = *Self::VARIANTS.as_array().expect("their number");

    /// The metric's label.
    fn name(self) -> &'static str {
        self.into()
    }

    /// What the caller reads.
    pub(super) fn reason(self) -> ErrorReason {
        match self {
            Self::NoToken | Self::UnknownToken => ErrorReason::Unauthenticated,
            Self::WrongScope => ErrorReason::PermissionDenied,
            Self::TooManyCalls | Self::TooManyWatches => ErrorReason::TooManyRequests,
        }
    }
}

/// Describes the metric, with every reason from the start, so that an alarm sees the first one.
pub(crate) fn describe() {
    metrics::describe_counter!(DENIALS, "Calls of services that were not let in, by reason.");
    for why in Denial::ALL {
        metrics::counter!(DENIALS, "reason" => why.name()).increment(0);
    }
}

/// Counts a refusal and writes its line: the token by its id and name, never by its text.
pub(super) fn tell(why: Denial, rpc: &str, caller: &Caller) {
    metrics::counter!(DENIALS, "reason" => why.name()).increment(1);
    let token = match &caller.principal {
        Principal::Service(service) => Some(&service.token),
        _ => caller.revoked.as_deref(),
    };
    let peer = caller.peer.map(|address| address.to_string());
    tracing::warn!(
        target: "garimpo::call",
        rpc,
        denied = why.name(),
        token.id = token.map(|token| token.id.as_str()),
        token.name = token.map(|token| token.name.as_str()),
        user.id = caller.known().map(|identity| identity.uid.as_str()),
        client.address = caller.client_address.as_ref().or(peer.as_ref()),
        "{rpc} denied: {}",
        why.name()
    );
}
