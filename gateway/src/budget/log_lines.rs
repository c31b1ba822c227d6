//! Log lines of requests: how many a client may cause.

use super::client_rate::ClientRate;
use std::net::IpAddr;

/// Lines of a client in a second, for each class of responses. Without a limit a refusal, which
/// costs its client nothing, would fill the disk.
const LINES_PER_SECOND: u32 = 10;
pub(crate) const LINES_LEFT_OUT: &str = "garimpo_log_lines_left_out_total";

/// Class of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineClass {
    Done,
    Refused,
    Failed,
}

impl LineClass {
    pub const ALL: [Self; 3] = [Self::Done, Self::Refused, Self::Failed];

    pub fn label(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }
}

/// Rates by [`LineClass`].
pub(crate) struct LogLines([ClientRate; 3]);

impl LogLines {
    pub fn new() -> Self {
        Self(LineClass::ALL.map(|_| ClientRate::per_second(LINES_PER_SECOND)))
    }

    /// Whether the address's client may cause another line now. A line that is left out is counted.
    pub fn may_log(&self, class: LineClass, address: IpAddr) -> bool {
        let may_log = self.0[class as usize].take(address).is_ok();
        if !may_log {
            metrics::counter!(LINES_LEFT_OUT, "class" => class.label()).increment(1);
        }
        may_log
    }
}
