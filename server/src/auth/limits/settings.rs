//! The limits of attempts and calls; all are settings.

use std::time::Duration;

#[derive(Debug, Clone, Copy)]
pub struct LimitSettings {
    /// Failures per account and address together, in a window.
    pub sign_in_per_account_and_address: u32,
    /// Failures per account, in a window.
    pub sign_in_per_account: u32,
    /// Failures per address, in a window.
    pub sign_in_per_address: u32,
    /// Sessions that an account opens per hour, by its password or an ID token.
    pub sessions_per_account: u32,
    /// Live sessions of an account; one more ends the least recently used one.
    pub live_sessions_per_account: u32,
    /// Length of the window of the three limits on failures above.
    pub sign_in_window: Duration,
    /// Sign-ups per address and hour.
    pub sign_up_per_address: u32,
    /// Conversion events per address and minute, counted by each process for itself.
    pub events_per_address: u32,
    /// Reads of a checkout per address and minute, counted by each process for itself.
    pub checkout_reads_per_address: u32,
    /// Recovery links mailed per email and hour; beyond it the response is the same and no mail is
    /// sent.
    pub reset_per_email: u32,
    /// Recovery links requested per address and hour.
    pub reset_per_address: u32,
    /// Wrong recovery codes per address and hour.
    pub reset_codes_per_address: u32,
    /// Repeated mails that confirm an email, per account and hour.
    pub verification_per_account: u32,
    /// Exports of all data per account and hour.
    pub exports_per_account: u32,
    /// Calls that use the payment provider, per account and hour: checkouts, portals, previews and
    /// changes of plan. Cancellations and refunds have as many again, so that the former never
    /// prevent them.
    pub provider_calls_per_account: u32,
    /// Calls per service token and second, counted by each process for itself; a batch counts one
    /// call for every ten uids.
    pub calls_per_token: u32,
    /// Watches that a service token may have open at once, counted by each process for itself.
    pub watches_per_token: u32,
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            sign_in_per_account_and_address: 10,
            sign_in_per_account: 100,
            sign_in_per_address: 100,
            sessions_per_account: 60,
            live_sessions_per_account: 100,
            sign_in_window: Duration::from_mins(15),
            sign_up_per_address: 500,
            events_per_address: 1_200,
            checkout_reads_per_address: 1_200,
            reset_per_email: 3,
            reset_per_address: 30,
            reset_codes_per_address: 30,
            verification_per_account: 3,
            exports_per_account: 10,
            provider_calls_per_account: 60,
            calls_per_token: 10_000,
            watches_per_token: 2_000,
        }
    }
}
