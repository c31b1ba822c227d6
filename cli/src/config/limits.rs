//! GARIMPO_LIMIT_…: how often one may try, and how much one may hold.

use std::time::Duration;

use garimpo_gateway::budget::{BudgetLimits, GatewayLimits, MIB};
use garimpo_server::auth::{HashSettings, LimitSettings};
use garimpo_server::mail::MailLimits;

use super::problem::ConfigError;
use super::setting::Setting;
use super::source::Source;

/// TLS handshakes under way on the public port: as many as half of its connections.
const HANDSHAKES: BudgetLimits = BudgetLimits { total: 2048, client: 512 };
/// Open connections of the public port: descriptors are left for files and providers. Those per
/// address are two for each of 500 visitors.
const CONNECTIONS: BudgetLimits = BudgetLimits { total: 4096, client: 1024 };
const COUNT: &str = "a whole number from 1";

/// Every limit.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How often one may try.
    pub attempts: LimitSettings,
    /// Mails to an unconfirmed address.
    pub mails: MailLimits,
    /// Open connections of the public port.
    pub connections: BudgetLimits,
    /// TLS handshakes under way on the public port.
    pub handshakes: BudgetLimits,
    /// What one client may hold of the gateway.
    pub gateway: GatewayLimits,
    waiting_hashes: BudgetLimits,
}

impl Default for Limits {
    fn default() -> Self {
        let HashSettings { waiting, waiting_per_client, .. } = HashSettings::default();
        Self {
            attempts: LimitSettings::default(),
            mails: MailLimits::default(),
            connections: CONNECTIONS,
            handshakes: HANDSHAKES,
            gateway: GatewayLimits::default(),
            waiting_hashes: BudgetLimits { total: waiting, client: waiting_per_client },
        }
    }
}

/// The field that a setting changes.
#[derive(Clone, Copy)]
enum Limit {
    Count(fn(&mut Limits) -> &mut u32),
    Seconds(fn(&mut Limits) -> &mut Duration),
    /// A budget of all clients, in units of so many. Another setting, named `…_ADDRESS`, is the
    /// share of one client.
    Budget(fn(&mut Limits) -> &mut BudgetLimits, usize),
}
use Limit::{Budget, Count, Seconds};

/// Each limit by the name of its setting.
const LIMITS: [(&str, Limit); 30] = [
    ("GARIMPO_LIMIT_SIGN_IN", Count(|limits| &mut limits.attempts.sign_in_per_account_and_address)),
    ("GARIMPO_LIMIT_SIGN_IN_ACCOUNT", Count(|limits| &mut limits.attempts.sign_in_per_account)),
    ("GARIMPO_LIMIT_SIGN_IN_ADDRESS", Count(|limits| &mut limits.attempts.sign_in_per_address)),
    ("GARIMPO_LIMIT_SIGN_UP_ADDRESS", Count(|limits| &mut limits.attempts.sign_up_per_address)),
    ("GARIMPO_LIMIT_EVENTS_ADDRESS", Count(|limits| &mut limits.attempts.events_per_address)),
    ("GARIMPO_LIMIT_RECOVERY_EMAIL", Count(|limits| &mut limits.attempts.reset_per_email)),
    ("GARIMPO_LIMIT_RECOVERY_ADDRESS", Count(|limits| &mut limits.attempts.reset_per_address)),
    ("GARIMPO_LIMIT_CODES_ADDRESS", Count(|limits| &mut limits.attempts.reset_codes_per_address)),
    ("GARIMPO_LIMIT_VERIFICATION_ACCOUNT", Count(|limits| &mut limits.attempts.verification_per_account)),
    ("GARIMPO_LIMIT_EXPORT_ACCOUNT", Count(|limits| &mut limits.attempts.exports_per_account)),
    ("GARIMPO_LIMIT_CHECKOUT_ACCOUNT", Count(|limits| &mut limits.attempts.provider_calls_per_account)),
    ("GARIMPO_LIMIT_CHECKOUT_READS_ADDRESS", Count(|limits| &mut limits.attempts.checkout_reads_per_address)),
    ("GARIMPO_LIMIT_CALLS_TOKEN", Count(|limits| &mut limits.attempts.calls_per_token)),
    ("GARIMPO_LIMIT_WATCHES_TOKEN", Count(|limits| &mut limits.attempts.watches_per_token)),
    ("GARIMPO_LIMIT_MAILS_HOUR", Count(|limits| &mut limits.mails.per_hour)),
    ("GARIMPO_LIMIT_MAILS_DAY", Count(|limits| &mut limits.mails.per_day)),
    ("GARIMPO_LIMIT_CONFIRMATIONS", Count(|limits| &mut limits.mails.confirmations_per_hour)),
    ("GARIMPO_LIMIT_CONNECTIONS", Budget(|limits| &mut limits.connections, 1)),
    ("GARIMPO_LIMIT_HANDSHAKES", Budget(|limits| &mut limits.handshakes, 1)),
    ("GARIMPO_LIMIT_REQUESTS", Budget(|limits| &mut limits.gateway.requests, 1)),
    ("GARIMPO_LIMIT_BODIES", Budget(|limits| &mut limits.gateway.bodies, 1)),
    ("GARIMPO_LIMIT_BODY_MIB", Budget(|limits| &mut limits.gateway.body_bytes, MIB)),
    ("GARIMPO_LIMIT_EVENT_MIB", Budget(|limits| &mut limits.gateway.event_bytes, MIB)),
    ("GARIMPO_LIMIT_REFUSED_EVENTS_ADDRESS", Count(|limits| &mut limits.gateway.refused_events)),
    ("GARIMPO_LIMIT_PAGE_ERRORS_ADDRESS", Count(|limits| &mut limits.gateway.page_errors)),
    ("GARIMPO_LIMIT_STREAMS", Budget(|limits| &mut limits.gateway.streams, 1)),
    ("GARIMPO_LIMIT_STREAM_SECONDS", Seconds(|limits| &mut limits.gateway.stream_life)),
    ("GARIMPO_LIMIT_HASHES_WAITING", Budget(|limits| &mut limits.waiting_hashes, 1)),
    ("GARIMPO_LIMIT_SESSIONS_ACCOUNT", Count(|limits| &mut limits.attempts.sessions_per_account)),
    ("GARIMPO_LIMIT_LIVE_SESSIONS_ACCOUNT", Count(|limits| &mut limits.attempts.live_sessions_per_account)),
];

fn share_of(name: &str) -> String {
    format!("{name}_ADDRESS")
}

impl Limits {
    /// Every setting of a limit.
    pub fn settings() -> Vec<Setting> {
        let setting = |(name, _)| Setting {
            name,
            is_secret: false,
            is_file: false,
            allowed: COUNT.to_owned(),
            default: None,
        };
        Self::default().numbers().into_iter().map(setting).collect()
    }

    /// Reads the limits that are given. The usual share of a budget is never above a total that is
    /// given.
    pub fn read(source: &Source, errors: &mut Vec<ConfigError>) -> Self {
        let mut given = |name: &str| {
            let text = source.values.get(name)?;
            let number = text.parse::<u32>().ok().filter(|number| *number > 0);
            if number.is_none() {
                errors.push(ConfigError::refused(name, text, COUNT));
            }
            number
        };
        let mut limits = Self::default();
        for (name, limit) in LIMITS {
            let number = given(name);
            match limit {
                Count(at) => *at(&mut limits) = number.unwrap_or(*at(&mut limits)),
                Seconds(at) => {
                    let seconds = number.map(|seconds| Duration::from_secs(seconds.into()));
                    *at(&mut limits) = seconds.unwrap_or(*at(&mut limits));
                }
                Budget(at, unit) => {
                    let usual = *at(&mut limits);
                    let total = number.map_or(usual.total, |count| count as usize * unit);
                    let share = given(&share_of(name)).map(|count| count as usize * unit);
                    let client = share.unwrap_or(usual.client.min(total));
                    *at(&mut limits) = BudgetLimits { total, client };
                }
            }
        }
        limits
    }

    /// Refuses a share above its budget, because one client could then take all of it.
    pub fn check_shares(mut self, errors: &mut Vec<ConfigError>) {
        for (name, limit) in LIMITS {
            let Budget(at, unit) = limit else { continue };
            let BudgetLimits { total, client } = *at(&mut self);
            if client > total {
                let allowed = format!("at most {name} ({})", total / unit);
                errors.push(ConfigError::refused(&share_of(name), &(client / unit).to_string(), &allowed));
            }
        }
    }

    /// The number of each setting.
    pub fn numbers(mut self) -> Vec<(String, usize)> {
        let mut numbers = Vec::new();
        for (name, limit) in LIMITS {
            match limit {
                Count(at) => numbers.push((name.to_owned(), *at(&mut self) as usize)),
                Seconds(at) => numbers.push((name.to_owned(), at(&mut self).as_secs() as usize)),
                Budget(at, unit) => {
                    let BudgetLimits { total, client } = *at(&mut self);
                    numbers.extend([(name.to_owned(), total / unit), (share_of(name), client / unit)]);
                }
            }
        }
        numbers
    }

    /// How many password checks run and wait.
    pub fn hashing(&self) -> HashSettings {
        let BudgetLimits { total, client } = self.waiting_hashes;
        HashSettings { waiting: total, waiting_per_client: client, ..HashSettings::default() }
    }
}
