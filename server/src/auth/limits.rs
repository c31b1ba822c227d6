//! How often sign-in, sign-up and recovery may be tried; the counters live in the database.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use garimpo_domain::Timestamp;
use garimpo_domain::person::Email;
use garimpo_proto::errors::v1::ErrorReason;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use sha2::{Digest as _, Sha256};

use super::identity::IdentityError;
use crate::audit::{AuditEvent, AuditKind};
use crate::caller::site_of;
use crate::causes::Causes;
use crate::clock::Clock;
use crate::error::Error;
use crate::measures::count_limited;
use crate::store::identity::audit_events;
use crate::store::identity::limits::{self, LimitCount};
use crate::store::{Store, Tx};

/// The limits; all are settings.
#[derive(Debug, Clone, Copy)]
pub struct LimitSettings {
    /// Failures per account and address together, in a window.
    pub sign_in_per_account_and_address: u32,
    /// Failures per account, in a window.
    pub sign_in_per_account: u32,
    /// Failures per address, in a window.
    pub sign_in_per_address: u32,
    /// Sessions that an account opens in an hour, by its password or an ID token.
    pub sessions_per_account: u32,
    /// Live sessions of an account; beyond it the one that was not used for longest ends.
    pub live_sessions_per_account: u32,
    /// The window of sign-in.
    pub sign_in_window: Duration,
    /// Accounts tried per address in an hour.
    pub sign_up_per_address: u32,
    /// Conversion events per address in a minute, counted by each process for itself.
    pub events_per_address: u32,
    /// Readings of a checkout per address in a minute, counted by each process for itself.
    pub checkout_reads_per_address: u32,
    /// Recovery links mailed per typed email in an hour; beyond it the answer is the same and nothing is sent.
    pub reset_per_email: u32,
    /// Recovery links asked for per address in an hour.
    pub reset_per_address: u32,
    /// Wrong recovery codes per address in an hour.
    pub reset_codes_per_address: u32,
    /// Links that confirm an email, asked for again per account in an hour.
    pub verification_per_account: u32,
    /// Exports of all data per account in an hour.
    pub exports_per_account: u32,
    /// What asks the payment provider, per account in an hour: checkouts, portals, previews and changes of plan; as many
    /// again of what lets somebody go (cancelling, taking it back, refunds), which the former never keeps from anybody.
    pub provider_calls_per_account: u32,
    /// Calls per service token in a second, counted by each process for itself; a batch counts one for every ten uids.
    pub calls_per_token: u32,
    /// Watches that a service token may have open at once, counted by each process for itself.
    pub watches_per_token: u32,
}

/// How much of each process a service token may use.
#[derive(Debug, Clone, Copy)]
pub struct TokenLimits {
    /// Calls in a second.
    pub calls: u32,
    /// Watches open at once.
    pub watches: u32,
}

impl LimitSettings {
    /// What a service token may use.
    pub fn per_token(&self) -> TokenLimits {
        TokenLimits { calls: self.calls_per_token, watches: self.watches_per_token }
    }
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

/// Answers about advertising per account in an hour: nobody changes their mind more often.
const CONSENTS_PER_ACCOUNT: u32 = 60;
/// Addresses whose readings of checkouts are counted; beyond it those that have all their calls again are forgotten.
const ADDRESSES_KEPT: usize = 100_000;
const HOUR: Duration = Duration::from_hours(1);
const SIGN_IN_PAIR: &str = "sign_in.pair";
const SIGN_IN_ACCOUNT: &str = "sign_in.account";
const RESET_EMAIL: &str = "reset.email";
const SESSIONS: &str = "session.account";

/// Counts attempts and refuses beyond the limits.
#[derive(Clone)]
pub struct Limits {
    store: Store,
    clock: Arc<dyn Clock>,
    settings: LimitSettings,
    checkout_reads: Arc<DefaultKeyedRateLimiter<String>>,
}

/// A /48 may do so many times what a /64 may.
const PER_SITE: u32 = 4;

/// One counter: its key, how many it allows and for how long.
#[derive(Debug, Clone)]
struct Counter {
    key: String,
    allowed: u32,
    window: Duration,
}

/// Attempts that were counted before they are known to fail.
#[derive(Debug, Clone)]
pub(crate) struct Attempt {
    counters: Vec<Counter>,
    /// Id of the event that tells of it as failed, where one does.
    audit_id: Option<String>,
}

impl Attempt {
    /// What the identity provider answered; an attempt that it did not answer is nobody's failure.
    pub(crate) async fn answered<T>(
        &self,
        store: &Store,
        answer: Result<T, IdentityError>,
    ) -> Result<T, IdentityError> {
        if matches!(answer, Err(IdentityError::Unavailable)) {
            self.spared(store).await;
        }
        answer
    }

    /// Takes back an attempt that came to nothing through no fault of its maker's.
    async fn spared(&self, store: &Store) {
        let attempt = self.clone();
        let spared: Result<(), Error> = store
            .write((), move |tx, ()| {
                let attempt = attempt.clone();
                Box::pin(async move {
                    if let Some(id) = &attempt.audit_id {
                        audit_events::delete(tx, id).await?;
                    }
                    attempt.succeeded_in_tx(tx).await
                })
            })
            .await;
        if let Err(error) = spared {
            tracing::warn!(error = %Causes(&error), "an attempt that the provider did not answer counts");
        }
    }

    /// Takes the attempt back in the transaction of its success: only failures count.
    pub(crate) async fn succeeded_in_tx(&self, tx: &mut Tx) -> Result<(), Error> {
        for counter in &self.counters {
            limits::remove_attempt(tx, &counter.key).await?;
        }
        Ok(())
    }

    /// The same for an attempt that the audit trail has as failed: it tells what became of it.
    pub(crate) async fn became_in_tx(&self, tx: &mut Tx, kind: AuditKind, uid: &str) -> Result<(), Error> {
        if let Some(id) = &self.audit_id {
            audit_events::reclassify(tx, id, kind, uid).await?;
        }
        self.succeeded_in_tx(tx).await
    }
}

impl Limits {
    /// Limits over a store, on the product's clock.
    pub fn new(store: Store, clock: Arc<dyn Clock>, settings: LimitSettings) -> Self {
        let per_minute = NonZeroU32::new(settings.checkout_reads_per_address).unwrap_or(NonZeroU32::MIN);
        let checkout_reads = Arc::new(RateLimiter::keyed(Quota::per_minute(per_minute)));
        Self { store, clock, settings, checkout_reads }
    }

    /// Counts a reading of a checkout, which asks for no identity.
    ///
    /// # Errors
    /// TOO_MANY_REQUESTS with the pause.
    pub(crate) fn checkout_read(&self, address: String) -> Result<(), Error> {
        if self.checkout_reads.len() > ADDRESSES_KEPT {
            self.checkout_reads.retain_recent();
        }
        self.checkout_reads.check_key(&address).map_err(|until| {
            count_limited("checkout_reads", "client");
            let pause = until.wait_time_from(governor::clock::Clock::now(self.checkout_reads.clock()));
            Error::too_many_requests(Duration::from_secs(pause.as_secs() + 1))
        })
    }

    /// Counts a sign-in before its password is checked, so that many at once do not slip through; `failed` tells of it
    /// until it is known to be more.
    ///
    /// # Errors
    /// TOO_MANY_REQUESTS with the pause; nothing is counted then.
    pub(crate) async fn sign_in(
        &self,
        email: &str,
        address: &str,
        failed: AuditEvent,
    ) -> Result<Attempt, Error> {
        let settings = &self.settings;
        let counter = |name: &str, allowed, subject: &[&str]| Counter {
            key: key(name, subject),
            allowed,
            window: settings.sign_in_window,
        };
        let mut counters = vec![
            counter(SIGN_IN_PAIR, settings.sign_in_per_account_and_address, &[email, address]),
            counter(SIGN_IN_ACCOUNT, settings.sign_in_per_account, &[email]),
        ];
        counters.extend(of_address(
            counter("sign_in.address", settings.sign_in_per_address, &[address]),
            address,
        ));
        self.take_told(counters, Some(failed)).await
    }

    /// Checks that an account may open a session, before its password is hashed: right passwords cost
    /// as much as wrong ones.
    ///
    /// # Errors
    /// TOO_MANY_REQUESTS with the pause.
    pub(crate) async fn session_may_open(&self, email: &str) -> Result<(), Error> {
        let counter = self.sessions(email);
        let count = limits::by_key(&self.store, &counter.key).await?;
        let now = self.clock.now();
        let is_full = |count: &LimitCount| count.taken >= i64::from(counter.allowed) && count.ends_at > now;
        count.filter(is_full).map_or(Ok(()), |count| Err(refusal(count, now)))
    }

    /// Counts a session that an account opens.
    ///
    /// # Errors
    /// TOO_MANY_REQUESTS with the pause.
    pub(crate) async fn session_open_in_tx(&self, tx: &mut Tx, email: &str) -> Result<(), Error> {
        take_in_tx(tx, &self.sessions(email), self.clock.now()).await
    }

    fn sessions(&self, email: &str) -> Counter {
        hourly(SESSIONS, email, self.settings.sessions_per_account)
    }

    /// Counts a sign-up, which counts also when it is refused: it tells whether an email is in use.
    ///
    /// # Errors
    /// TOO_MANY_REQUESTS with the pause; nothing is counted then.
    pub(crate) async fn sign_up(&self, address: &str) -> Result<(), Error> {
        self.take(of_address(hourly("sign_up.address", address, self.settings.sign_up_per_address), address))
            .await
            .map(drop)
    }

    /// Counts a request for a recovery link; answers whether one may be mailed. An email that was typed too often is
    /// not refused, so that nobody learns from it what others asked for.
    ///
    /// # Errors
    /// TOO_MANY_REQUESTS with the pause, by address; nothing is counted then.
    pub(crate) async fn reset_request(
        &self,
        email: &Email,
        address: &str,
        asked: AuditEvent,
    ) -> Result<bool, Error> {
        self.take(of_address(hourly("reset.address", address, self.settings.reset_per_address), address))
            .await?;
        let per_email = vec![hourly(RESET_EMAIL, email.as_str(), self.settings.reset_per_email)];
        match self.take_told(per_email, Some(asked)).await {
            Ok(_) => Ok(true),
            Err(error) if error.reason() == ErrorReason::TooManyRequests => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Counts a recovery code before it is checked.
    ///
    /// # Errors
    /// TOO_MANY_REQUESTS with the pause; nothing is counted then.
    pub(crate) async fn reset_code(&self, address: &str) -> Result<Attempt, Error> {
        self.take(of_address(hourly("reset.code", address, self.settings.reset_codes_per_address), address))
            .await
    }

    /// Counts a code that confirms an email before it is checked, with those of recovery.
    ///
    /// # Errors
    /// TOO_MANY_REQUESTS with the pause; nothing is counted then.
    pub(crate) async fn email_code(&self, address: &str) -> Result<Attempt, Error> {
        self.take(of_address(hourly("email.code", address, self.settings.reset_codes_per_address), address))
            .await
    }

    /// Counts a link that confirms an email and is asked for again.
    ///
    /// # Errors
    /// TOO_MANY_REQUESTS with the pause; nothing is counted then.
    pub(crate) async fn verification_request(&self, uid: &str) -> Result<(), Error> {
        self.take(vec![hourly("email.account", uid, self.settings.verification_per_account)]).await.map(drop)
    }

    /// Counts an export of all data and tells of it.
    ///
    /// # Errors
    /// TOO_MANY_REQUESTS with the pause; nothing is counted then.
    pub(crate) async fn export(&self, uid: &str, exported: AuditEvent) -> Result<(), Error> {
        let counters = vec![hourly("export.account", uid, self.settings.exports_per_account)];
        self.take_told(counters, Some(exported)).await.map(drop)
    }

    /// Counts an answer about advertising.
    ///
    /// # Errors
    /// TOO_MANY_REQUESTS with the pause; nothing is counted then.
    pub(crate) async fn consent(&self, uid: &str) -> Result<(), Error> {
        self.take(vec![hourly("consent.account", uid, CONSENTS_PER_ACCOUNT)]).await.map(drop)
    }

    /// Counts a checkout, a portal, or a preview or change of plan before the payment provider is asked for it.
    ///
    /// # Errors
    /// TOO_MANY_REQUESTS with the pause; nothing is counted then.
    pub(crate) async fn provider_call(&self, uid: &str) -> Result<(), Error> {
        self.per_account("checkout.account", uid).await
    }

    /// Counts a cancellation, its taking back or a refund before the payment provider is asked for it.
    ///
    /// # Errors
    /// TOO_MANY_REQUESTS with the pause; nothing is counted then.
    pub(crate) async fn withdrawal(&self, uid: &str) -> Result<(), Error> {
        self.per_account("withdrawal.account", uid).await
    }

    async fn per_account(&self, counter: &'static str, uid: &str) -> Result<(), Error> {
        self.take(vec![hourly(counter, uid, self.settings.provider_calls_per_account)]).await.map(drop)
    }

    /// Deletes the failed sign-ins of a deleted account's email. Its recovery links stay counted,
    /// because anybody can create and delete accounts with a stranger's address.
    pub(crate) async fn email_forget_in_tx(tx: &mut Tx, email: &str) -> Result<(), Error> {
        Ok(limits::clear(tx, &key(SIGN_IN_ACCOUNT, &[email])).await?)
    }

    /// Forgets the failed sign-ins of an account, here and from an address: whoever forgot the password and
    /// recovered it is not to wait for having tried.
    pub(crate) async fn sign_in_forget_in_tx(tx: &mut Tx, email: &str, address: &str) -> Result<(), Error> {
        limits::clear(tx, &key(SIGN_IN_PAIR, &[email, address])).await?;
        Ok(limits::clear(tx, &key(SIGN_IN_ACCOUNT, &[email])).await?)
    }

    async fn take(&self, counters: Vec<Counter>) -> Result<Attempt, Error> {
        self.take_told(counters, None).await
    }

    /// Takes all counters or none, and stores with them the event that tells of it.
    async fn take_told(
        &self,
        mut counters: Vec<Counter>,
        event: Option<AuditEvent>,
    ) -> Result<Attempt, Error> {
        // One order for everybody, so that two transactions do not wait for each other.
        counters.sort_by(|a, b| a.key.cmp(&b.key));
        let now = self.clock.now();
        self.store
            .write((), move |tx, ()| {
                let (counters, event) = (counters.clone(), event.clone());
                Box::pin(async move {
                    for counter in &counters {
                        take_in_tx(tx, counter, now).await?;
                    }
                    if let Some(event) = &event {
                        audit_events::insert(tx, event).await?;
                    }
                    Ok(Attempt { counters, audit_id: event.map(|event| event.id) })
                })
            })
            .await
    }
}

async fn take_in_tx(tx: &mut Tx, counter: &Counter, now: Timestamp) -> Result<(), Error> {
    let ends_at = now.plus_micros(counter.window.as_micros() as i64);
    let count = limits::add_attempt(tx, &counter.key, ends_at, now).await?;
    if count.taken > i64::from(counter.allowed) { Err(refusal(count, now)) } else { Ok(()) }
}

fn refusal(count: LimitCount, now: Timestamp) -> Error {
    count_limited("attempts", "client");
    let left_us = count.ends_at.micros_since(now).max(0);
    Error::too_many_requests(Duration::from_secs((left_us as u64).div_ceil(1_000_000).max(1)))
}

fn hourly(name: &str, subject: &str, allowed: u32) -> Counter {
    Counter { key: key(name, &[subject]), allowed, window: HOUR }
}

/// The counter of an address, and for IPv6 that of the /48 around its /64, because a /48 is rented as easily. It is shared
/// by more households, so it allows four times as much.
fn of_address(counter: Counter, address: &str) -> Vec<Counter> {
    let around = site_of(address).map(|site| {
        let name = counter.key.split(':').next().unwrap_or_default();
        Counter {
            key: key(name, &[site, "/48"]),
            allowed: counter.allowed.saturating_mul(PER_SITE),
            window: counter.window,
        }
    });
    [counter].into_iter().chain(around).collect()
}

/// The table holds no email and no address, only hashes of them.
fn key(name: &str, subject: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in subject {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    format!("{name}:{}", hex::encode(hash.finalize()))
}
