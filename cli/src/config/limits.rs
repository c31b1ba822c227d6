//! How often one may try, and what a new password must be.

use garimpo_domain::person::PasswordPolicy;
use garimpo_gateway::budget::{BudgetLimits, GatewayLimits, MIB};
use garimpo_server::auth::{HashSettings, LimitSettings};
use garimpo_server::mail::MailLimits;
use std::time::Duration;

use super::Config;
use super::problem::ConfigError;
use super::variables::LimitVariables;

/// Open connections of the public port: descriptors are left for files and providers.
const CONNECTIONS: u32 = 4096;
/// Open connections per address: two for each of 500 visitors.
const CONNECTIONS_PER_ADDRESS: u32 = 1024;

/// Budgets of all clients, each with the setting of one client's share, which is named `…_ADDRESS`.
const SHARED: [&str; 7] = [
    "GARIMPO_LIMIT_CONNECTIONS",
    "GARIMPO_LIMIT_REQUESTS",
    "GARIMPO_LIMIT_BODIES",
    "GARIMPO_LIMIT_BODY_MIB",
    "GARIMPO_LIMIT_EVENT_MIB",
    "GARIMPO_LIMIT_STREAMS",
    "GARIMPO_LIMIT_HASHES_WAITING",
];

/// Open connections of the public port.
pub(super) fn connections(given: &LimitVariables) -> BudgetLimits {
    let usual = BudgetLimits { total: number(CONNECTIONS), client: number(CONNECTIONS_PER_ADDRESS) };
    budget(given.limit_connections, given.limit_connections_address, usual, 1)
}

/// A budget in units of so many. The usual share is never above a total that was given.
fn budget(total: Option<u32>, client: Option<u32>, usual: BudgetLimits, unit: usize) -> BudgetLimits {
    let total = total.map_or(usual.total, |count| number(count) * unit);
    let client = client.map_or(usual.client.min(total), |count| number(count) * unit);
    BudgetLimits { total, client }
}

/// Refuses a share above its budget, because one client could then take all of it.
pub(super) fn shares(config: &Config, errors: &mut Vec<ConfigError>) {
    for name in SHARED {
        let share = format!("{name}_ADDRESS");
        let number = |name: &str| effective(config, name).unwrap_or_default();
        if number(&share) > number(name) {
            let allowed = format!("at most {name} ({})", number(name));
            errors.push(ConfigError::refused(&share, &number(&share).to_string(), &allowed));
        }
    }
}

/// What one client may hold of the gateway and try at it.
pub(super) fn gateway(given: &LimitVariables) -> GatewayLimits {
    let usual = GatewayLimits::default();
    GatewayLimits {
        requests: budget(given.limit_requests, given.limit_requests_address, usual.requests, 1),
        bodies: budget(given.limit_bodies, given.limit_bodies_address, usual.bodies, 1),
        body_bytes: budget(given.limit_body_mib, given.limit_body_mib_address, usual.body_bytes, MIB),
        event_bytes: budget(given.limit_event_mib, given.limit_event_mib_address, usual.event_bytes, MIB),
        streams: budget(given.limit_streams, given.limit_streams_address, usual.streams, 1),
        stream_life: given
            .limit_stream_seconds
            .map_or(usual.stream_life, |seconds| Duration::from_secs(seconds.into())),
        first_byte: usual.first_byte,
        event_time: usual.event_time,
        refused_events: given.limit_refused_events_address.unwrap_or(usual.refused_events),
    }
}

/// How many password checks run and wait.
pub(super) fn hashing(given: &LimitVariables) -> HashSettings {
    let usual = HashSettings::default();
    let waiting = BudgetLimits { total: usual.waiting, client: usual.waiting_per_client };
    let waiting = budget(given.limit_hashes_waiting, given.limit_hashes_waiting_address, waiting, 1);
    HashSettings { waiting: waiting.total, waiting_per_client: waiting.client, ..usual }
}

fn number(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

pub(super) fn limits(given: &LimitVariables) -> LimitSettings {
    let usual = LimitSettings::default();
    LimitSettings {
        sign_in_per_account_and_address: given.limit_sign_in.unwrap_or(usual.sign_in_per_account_and_address),
        sign_in_per_account: given.limit_sign_in_account.unwrap_or(usual.sign_in_per_account),
        sign_in_per_address: given.limit_sign_in_address.unwrap_or(usual.sign_in_per_address),
        sign_in_window: usual.sign_in_window,
        sign_up_per_address: given.limit_sign_up_address.unwrap_or(usual.sign_up_per_address),
        events_per_address: given.limit_events_address.unwrap_or(usual.events_per_address),
        reset_per_email: given.limit_recovery_email.unwrap_or(usual.reset_per_email),
        reset_per_address: given.limit_recovery_address.unwrap_or(usual.reset_per_address),
        reset_codes_per_address: given.limit_codes_address.unwrap_or(usual.reset_codes_per_address),
        verification_per_account: given.limit_verification_account.unwrap_or(usual.verification_per_account),
        exports_per_account: given.limit_export_account.unwrap_or(usual.exports_per_account),
        provider_calls_per_account: given.limit_checkout_account.unwrap_or(usual.provider_calls_per_account),
        checkout_reads_per_address: given
            .limit_checkout_reads_address
            .unwrap_or(usual.checkout_reads_per_address),
        sessions_per_account: given.limit_sessions_account.unwrap_or(usual.sessions_per_account),
        live_sessions_per_account: given
            .limit_live_sessions_account
            .unwrap_or(usual.live_sessions_per_account),
        calls_per_token: given.limit_calls_token.unwrap_or(usual.calls_per_token),
        watches_per_token: given.limit_watches_token.unwrap_or(usual.watches_per_token),
    }
}

/// Mails to an address that nobody has confirmed.
pub(super) fn mail_limits(given: &LimitVariables) -> MailLimits {
    MailLimits { per_hour: given.limit_mails_hour, per_day: given.limit_mails_day }
}

/// The effective number of a limit, by the name of its setting.
pub(super) fn effective(config: &Config, name: &str) -> Option<u64> {
    let (limits, gateway, hashing) = (&config.limits, &config.gateway_limits, &config.hashing);
    held(config.connections, gateway, hashing, name).or_else(|| tried(limits, gateway, name))
}

fn held(
    connections: BudgetLimits,
    gateway: &GatewayLimits,
    hashing: &HashSettings,
    name: &str,
) -> Option<u64> {
    let number = match name {
        "GARIMPO_LIMIT_CONNECTIONS" => connections.total,
        "GARIMPO_LIMIT_CONNECTIONS_ADDRESS" => connections.client,
        "GARIMPO_LIMIT_REQUESTS" => gateway.requests.total,
        "GARIMPO_LIMIT_REQUESTS_ADDRESS" => gateway.requests.client,
        "GARIMPO_LIMIT_BODIES" => gateway.bodies.total,
        "GARIMPO_LIMIT_BODIES_ADDRESS" => gateway.bodies.client,
        "GARIMPO_LIMIT_BODY_MIB" => gateway.body_bytes.total / MIB,
        "GARIMPO_LIMIT_BODY_MIB_ADDRESS" => gateway.body_bytes.client / MIB,
        "GARIMPO_LIMIT_EVENT_MIB" => gateway.event_bytes.total / MIB,
        "GARIMPO_LIMIT_EVENT_MIB_ADDRESS" => gateway.event_bytes.client / MIB,
        "GARIMPO_LIMIT_STREAMS" => gateway.streams.total,
        "GARIMPO_LIMIT_STREAMS_ADDRESS" => gateway.streams.client,
        "GARIMPO_LIMIT_HASHES_WAITING" => hashing.waiting,
        "GARIMPO_LIMIT_HASHES_WAITING_ADDRESS" => hashing.waiting_per_client,
        "GARIMPO_LIMIT_STREAM_SECONDS" => return Some(gateway.stream_life.as_secs()),
        _ => return None,
    };
    u64::try_from(number).ok()
}

fn tried(limits: &LimitSettings, gateway: &GatewayLimits, name: &str) -> Option<u64> {
    let number = match name {
        "GARIMPO_LIMIT_REFUSED_EVENTS_ADDRESS" => gateway.refused_events,
        "GARIMPO_LIMIT_SESSIONS_ACCOUNT" => limits.sessions_per_account,
        "GARIMPO_LIMIT_LIVE_SESSIONS_ACCOUNT" => limits.live_sessions_per_account,
        "GARIMPO_LIMIT_SIGN_IN" => limits.sign_in_per_account_and_address,
        "GARIMPO_LIMIT_SIGN_IN_ACCOUNT" => limits.sign_in_per_account,
        "GARIMPO_LIMIT_SIGN_IN_ADDRESS" => limits.sign_in_per_address,
        "GARIMPO_LIMIT_SIGN_UP_ADDRESS" => limits.sign_up_per_address,
        "GARIMPO_LIMIT_EVENTS_ADDRESS" => limits.events_per_address,
        "GARIMPO_LIMIT_RECOVERY_EMAIL" => limits.reset_per_email,
        "GARIMPO_LIMIT_RECOVERY_ADDRESS" => limits.reset_per_address,
        "GARIMPO_LIMIT_CODES_ADDRESS" => limits.reset_codes_per_address,
        "GARIMPO_LIMIT_VERIFICATION_ACCOUNT" => limits.verification_per_account,
        "GARIMPO_LIMIT_EXPORT_ACCOUNT" => limits.exports_per_account,
        "GARIMPO_LIMIT_CHECKOUT_ACCOUNT" => limits.provider_calls_per_account,
        "GARIMPO_LIMIT_CHECKOUT_READS_ADDRESS" => limits.checkout_reads_per_address,
        "GARIMPO_LIMIT_CALLS_TOKEN" => limits.calls_per_token,
        "GARIMPO_LIMIT_WATCHES_TOKEN" => limits.watches_per_token,
        _ => return None,
    };
    Some(number.into())
}

/// GARIMPO_PASSWORD_MINIMUM, and GARIMPO_PASSWORD_REFUSED: a file with a password a line.
pub(super) fn password_policy(given: &LimitVariables) -> PasswordPolicy {
    let refused = given.password_refused.as_ref().map(|file| file.0.clone()).unwrap_or_default();
    PasswordPolicy::new(given.password_minimum.into(), refused)
}
