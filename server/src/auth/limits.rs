//! Rate limits of sign-in, sign-up, recovery and other calls. The counters are stored in the
//! database.

use std::sync::Arc;
use std::time::Duration;

use garimpo_domain::{Email, Timestamp, Uid};
use sha2::{Digest as _, Sha256};

use super::identity::IdentityError;
use crate::address_rate_limiter::AddressRateLimiter;
use crate::audit::{AuditEvent, AuditKind};
use crate::causes::Causes;
use crate::client_network::{SITE_FACTOR, site_of};
use crate::clock::Clock;
use crate::error::{Error, ErrorReason, Result};
use crate::measures::count_limited;
use crate::store::{LimitCount, Store, Tx, audit_events, limits, transaction};

mod confirmation_turn;
mod settings;

use confirmation_turn::CONFIRMATIONS_AT_ONCE;
pub(crate) use confirmation_turn::ConfirmationTurn;
pub use settings::LimitSettings;

/// Answers about advertising per account and hour.
const CONSENTS_PER_ACCOUNT: u32 = 60;
/// Sign-ups of an address in an hour without a challenge.
const SIGN_UPS_WITHOUT_CHALLENGE: u32 = 20;
const HOUR: Duration = Duration::from_hours(1);
const SIGN_IN_PAIR: &str = "sign_in.pair";
const SIGN_IN_ACCOUNT: &str = "sign_in.account";
const RESET_EMAIL: &str = "reset.email";
const SESSIONS: &str = "session.account";
/// Changes of the password per account and hour. A right one costs two hashes and a mail.
const PASSWORD_CHANGES_PER_ACCOUNT: u32 = 10;
/// Corrections of an unconfirmed email per hour and account.
const EMAIL_CORRECTIONS_PER_ACCOUNT: u32 = 5;

/// Counts calls. Every counting function returns TOO_MANY_REQUESTS with the pause beyond its limit,
/// and then counts nothing.
#[derive(Clone)]
pub struct Limits {
    store: Store,
    clock: Arc<dyn Clock>,
    settings: LimitSettings,
    checkout_reads: Arc<AddressRateLimiter>,
}

#[derive(Debug, Clone)]
struct Counter {
    key: String,
    allowed: u32,
    window: Duration,
    /// Attempts after which the client solves a challenge.
    unchallenged: u32,
}

/// Counters of an attempt, which is counted before it is known to fail.
#[derive(Debug, Clone)]
pub(crate) struct Attempt {
    counters: Vec<Counter>,
    /// Id of the audit event that records it as failed.
    audit_id: Option<String>,
    /// Whether the client solves a challenge first.
    needs_challenge: bool,
}

impl Attempt {
    /// Returns the identity provider's result. If the provider did not reply, the attempt does not
    /// count.
    pub(crate) async fn checked<T>(
        &self,
        store: &Store,
        result: Result<T, IdentityError>,
    ) -> Result<T, IdentityError> {
        if matches!(result, Err(IdentityError::Unavailable)) {
            self.take_back(store).await;
        }
        result
    }

    /// Takes the attempt back.
    pub(crate) async fn take_back(&self, store: &Store) {
        let taken_back: Result<()> = transaction!(store, (attempt = self.clone()), |tx| {
            if let Some(id) = &attempt.audit_id {
                audit_events::delete(tx, id).await?;
            }
            attempt.uncount(tx).await
        });
        if let Err(error) = taken_back {
            tracing::warn!(error = %Causes(&error), "an attempt that should not count is counted");
        }
    }

    /// Takes the attempt back in the transaction of its success: only failures count.
    pub(crate) async fn uncount(&self, tx: &mut Tx) -> Result<()> {
        for counter in &self.counters {
            limits::remove_attempt(tx, &counter.key).await?;
        }
        Ok(())
    }

    /// Takes the attempt back, and changes its audit event to the outcome.
    pub(crate) async fn reclassify(&self, tx: &mut Tx, kind: AuditKind, uid: &Uid) -> Result<()> {
        if let Some(id) = &self.audit_id {
            audit_events::reclassify(tx, id, kind, uid).await?;
        }
        self.uncount(tx).await
    }
}

impl Limits {
    pub fn new(store: Store, clock: Arc<dyn Clock>, settings: LimitSettings) -> Self {
        let checkout_reads = Arc::new(AddressRateLimiter::per_minute(settings.checkout_reads_per_address));
        Self { store, clock, settings, checkout_reads }
    }

    /// Counts a read of a checkout, which needs no identity.
    pub(crate) fn count_checkout_read(&self, address: String) -> Result<()> {
        self.checkout_reads.check(&address).inspect_err(|_| count_limited("checkout_reads", "client"))
    }

    /// Counts a sign-in before its password is checked, so that concurrent ones count too. `failed`
    /// is its audit event until the outcome is known.
    pub(crate) async fn count_sign_in(
        &self,
        email: &str,
        address: &str,
        failed: AuditEvent,
    ) -> Result<Attempt> {
        let settings = &self.settings;
        let counter = |name: &str, allowed, subject: &[&str]| Counter {
            key: key(name, subject),
            allowed,
            window: settings.sign_in_window,
            unchallenged: u32::MAX,
        };
        let mut counters = vec![
            counter(SIGN_IN_PAIR, settings.sign_in_per_account_and_address, &[email, address]),
            counter(SIGN_IN_ACCOUNT, settings.sign_in_per_account, &[email]),
        ];
        counters.extend(of_address(
            counter("sign_in.address", settings.sign_in_per_address, &[address]),
            address,
        ));
        self.take(counters, Some(failed)).await
    }

    /// Checks that an account may open a session, before its password is hashed, because hashing a
    /// right password costs as much as hashing a wrong one. Counts nothing.
    pub(crate) async fn check_session_limit(&self, email: &str) -> Result<()> {
        let counter = self.sessions(email);
        let count = limits::by_key(&self.store, &counter.key).await?;
        let now = self.clock.now();
        let is_full = |count: &LimitCount| count.taken >= i64::from(counter.allowed) && count.ends_at > now;
        count.filter(is_full).map_or(Ok(()), |count| Err(refusal(count, now))).inspect_err(count_refusal)
    }

    /// Counts a session that an account opens.
    pub(crate) async fn count_session(&self, tx: &mut Tx, email: &str) -> Result<()> {
        take_one(tx, &self.sessions(email), self.clock.now()).await.map(drop)
    }

    fn sessions(&self, email: &str) -> Counter {
        hourly(SESSIONS, email, self.settings.sessions_per_account)
    }

    /// Counts a sign-up, and returns whether it needs a challenge. A refused one counts too,
    /// because it reveals whether an email is in use, or calls the provider of challenges.
    pub(crate) async fn count_sign_up(&self, address: &str) -> Result<bool> {
        let counter = hourly("sign_up.address", address, self.settings.sign_up_per_address);
        let counter = Counter { unchallenged: SIGN_UPS_WITHOUT_CHALLENGE, ..counter };
        Ok(self.take(of_address(counter, address), None).await?.needs_challenge)
    }

    /// Counts a mail that confirms an address, and returns its turn among those of its client.
    pub(crate) async fn take_confirmation_turn(
        tx: &mut Tx,
        address: &str,
        now: Timestamp,
    ) -> crate::store::Result<ConfirmationTurn> {
        let mut beyond = 0;
        for counter in of_address(hourly("confirmation.address", address, CONFIRMATIONS_AT_ONCE), address) {
            let taken = limits::add_attempt(tx, &counter.key, now.plus_hours(1), now).await?.taken;
            beyond = beyond.max(taken - i64::from(counter.allowed));
        }
        Ok(ConfirmationTurn(beyond))
    }

    /// Counts a request for a recovery link by address; returns whether one may be mailed. Too many
    /// requests for one email are not refused, so that nobody learns of other people's requests.
    pub(crate) async fn count_reset_request(
        &self,
        email: &Email,
        address: &str,
        asked: AuditEvent,
    ) -> Result<bool> {
        self.take_by_address("reset.address", address, self.settings.reset_per_address).await?;
        let per_email = vec![hourly(RESET_EMAIL, email.as_str(), self.settings.reset_per_email)];
        match self.take(per_email, Some(asked)).await {
            Ok(_) => Ok(true),
            Err(error) if error.reason() == ErrorReason::TooManyRequests => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Counts a recovery code before it is checked.
    pub(crate) async fn count_reset_code(&self, address: &str) -> Result<Attempt> {
        self.take_by_address("reset.code", address, self.settings.reset_codes_per_address).await
    }

    /// Counts a code that confirms an email before it is checked, with the limit of recovery codes.
    pub(crate) async fn count_email_code(&self, address: &str) -> Result<Attempt> {
        self.take_by_address("email.code", address, self.settings.reset_codes_per_address).await
    }

    /// Counts a repeated mail that confirms an email.
    pub(crate) async fn count_verification_request(&self, uid: &Uid) -> Result<()> {
        self.take_by_account("email.account", uid, self.settings.verification_per_account).await
    }

    /// Counts a correction of an email. Each mails a link to another address.
    pub(crate) async fn count_email_correction(&self, uid: &Uid) -> Result<()> {
        self.take_by_account("email_correction.account", uid, EMAIL_CORRECTIONS_PER_ACCOUNT).await
    }

    /// Counts an export of all data, and stores its audit event.
    pub(crate) async fn count_export(&self, uid: &Uid, exported: AuditEvent) -> Result<()> {
        let counters = vec![hourly("export.account", uid, self.settings.exports_per_account)];
        self.take(counters, Some(exported)).await.map(drop)
    }

    /// Counts an answer about advertising.
    pub(crate) async fn count_consent(&self, uid: &Uid) -> Result<()> {
        self.take_by_account("consent.account", uid, CONSENTS_PER_ACCOUNT).await
    }

    /// Counts a checkout, a portal, or a preview or change of plan, before the payment provider is
    /// called.
    pub(crate) async fn count_provider_call(&self, uid: &Uid) -> Result<()> {
        self.take_by_account("checkout.account", uid, self.settings.provider_calls_per_account).await
    }

    /// Counts a cancellation, its undoing or a refund, before the payment provider is called.
    pub(crate) async fn count_withdrawal(&self, uid: &Uid) -> Result<()> {
        self.take_by_account("withdrawal.account", uid, self.settings.provider_calls_per_account).await
    }

    /// Deletes the failed sign-ins of a deleted account's email. Its recovery links stay counted,
    /// because anybody can create and delete accounts with a stranger's address.
    pub(crate) async fn forget_email(tx: &mut Tx, email: &str) -> Result<()> {
        Ok(limits::clear(tx, &key(SIGN_IN_ACCOUNT, &[email])).await?)
    }

    /// Deletes the failed sign-ins of an account and address, so that nobody waits after a
    /// recovery.
    pub(crate) async fn forget_sign_ins(tx: &mut Tx, email: &str, address: &str) -> Result<()> {
        limits::clear(tx, &key(SIGN_IN_PAIR, &[email, address])).await?;
        Ok(limits::clear(tx, &key(SIGN_IN_ACCOUNT, &[email])).await?)
    }

    /// Counts a change of the password before it is made. Take it back if nothing was changed.
    pub(crate) async fn count_password_change(&self, uid: &Uid) -> Result<Attempt> {
        self.take(vec![hourly("password_change.account", uid, PASSWORD_CHANGES_PER_ACCOUNT)], None).await
    }

    /// Counts a mail about a changed password. Returns false if the account got one within the
    /// hour.
    pub(crate) async fn count_password_mail(
        tx: &mut Tx,
        uid: &Uid,
        now: Timestamp,
    ) -> crate::store::Result<bool> {
        let key = key("password_mail.account", &[uid]);
        Ok(limits::add_attempt(tx, &key, now.plus_hours(1), now).await?.taken == 1)
    }

    async fn take_by_account(&self, name: &str, uid: &Uid, allowed: u32) -> Result<()> {
        self.take(vec![hourly(name, uid, allowed)], None).await.map(drop)
    }

    async fn take_by_address(&self, name: &str, address: &str, allowed: u32) -> Result<Attempt> {
        self.take(of_address(hourly(name, address, allowed), address), None).await
    }

    /// Takes all counters or none, and stores the audit event in the same transaction.
    async fn take(&self, mut counters: Vec<Counter>, event: Option<AuditEvent>) -> Result<Attempt> {
        // The same order in every transaction prevents deadlocks.
        counters.sort_by(|a, b| a.key.cmp(&b.key));
        let now = self.clock.now();
        transaction!(self.store, (counters, event), |tx| {
            let mut needs_challenge = false;
            for counter in counters {
                needs_challenge |= take_one(tx, counter, now).await?.taken > i64::from(counter.unchallenged);
            }
            if let Some(event) = event {
                audit_events::insert(tx, event).await?;
            }
            let audit_id = event.as_ref().map(|event| event.id.clone());
            Ok(Attempt { counters: counters.clone(), audit_id, needs_challenge })
        })
        .inspect_err(count_refusal)
    }
}

async fn take_one(tx: &mut Tx, counter: &Counter, now: Timestamp) -> Result<LimitCount> {
    let ends_at = now.plus_micros(counter.window.as_micros() as i64);
    let count = limits::add_attempt(tx, &counter.key, ends_at, now).await?;
    if count.taken > i64::from(counter.allowed) { Err(refusal(count, now)) } else { Ok(count) }
}

/// Counts a refusal by a limit. Call it outside of the transaction, which may run again.
pub(super) fn count_refusal(error: &Error) {
    if error.reason() == ErrorReason::TooManyRequests {
        count_limited("attempts", "client");
    }
}

fn refusal(count: LimitCount, now: Timestamp) -> Error {
    let left_us = count.ends_at.micros_since(now).max(0);
    Error::too_many_requests(Duration::from_secs((left_us as u64).div_ceil(1_000_000).max(1)))
}

fn hourly(name: &str, subject: &str, allowed: u32) -> Counter {
    Counter { key: key(name, &[subject]), allowed, window: HOUR, unchallenged: u32::MAX }
}

/// The counter of an address, and for IPv6 that of its /48, because a /48 is rented as easily as a
/// /64. More households share a /48, so its limit is four times as high.
fn of_address(counter: Counter, address: &str) -> Vec<Counter> {
    let site = site_of(address).map(|site| {
        let name = counter.key.split(':').next().unwrap_or_default();
        Counter {
            key: key(name, &[site, "/48"]),
            allowed: counter.allowed.saturating_mul(SITE_FACTOR),
            window: counter.window,
            unchallenged: counter.unchallenged.saturating_mul(SITE_FACTOR),
        }
    });
    [counter].into_iter().chain(site).collect()
}

/// Emails and addresses are stored as hashes only.
fn key(name: &str, subject: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in subject {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    format!("{name}:{}", hex::encode(hash.finalize()))
}
