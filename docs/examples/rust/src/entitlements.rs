//! A client of EntitlementService that caches replies, sets deadlines and uses the last reply for a
//! while when Garimpo does not respond (docs/grpc.md, "How a caller should behave").

use std::collections::HashMap;
use std::time::{Duration, Instant};

use garimpo_proto::billing::v1::entitlement_service_client::EntitlementServiceClient;
use garimpo_proto::billing::v1::limit::Amount;
use garimpo_proto::billing::v1::{
    BatchGetEntitlementsRequest, BatchGetEntitlementsResponse, CheckLimitRequest, CheckLimitResponse,
    GetEntitlementsRequest, GetEntitlementsResponse, WatchEntitlementsRequest, WatchEntitlementsResponse,
};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};
use tonic_types::StatusExt as _;

/// A user waits for each call, so its deadline is short.
const DEADLINE: Duration = Duration::from_secs(1);
/// A batch of 1,000 may take longer.
const BATCH_DEADLINE: Duration = Duration::from_secs(5);
/// Maximum pause between two tries.
const MAX_PAUSE: Duration = Duration::from_secs(10);

/// How long replies are used.
#[derive(Debug, Clone, Copy)]
pub struct CacheSettings {
    /// Longest use of a cached reply while Garimpo does not respond.
    pub fail_open: Duration,
    /// Upper limit for the cache time that a reply allows.
    pub max_cache: Duration,
}

/// The source of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A reply to this call.
    Fresh,
    /// A cached reply that is still fresh.
    Cached,
    /// An older cached reply, because Garimpo does not respond.
    Stale,
}

/// The reason why a lookup has no result.
#[derive(Debug)]
pub enum LookupError {
    /// Garimpo does not respond, and the cached reply is too old or missing.
    Unreachable,
    /// The request is malformed. Other requests are not affected.
    Malformed(Status),
}

/// An event of a watch.
#[derive(Debug)]
pub enum WatchEvent {
    /// The account's rights when the watch begins, or after a change if the message has a cursor.
    Account(WatchEntitlementsResponse),
    /// All states were sent, or nothing changed for 30 s. The message has a newer cursor.
    UpToDate(WatchEntitlementsResponse),
    /// The cursor had expired. All states are sent again. Accounts without a state were deleted.
    Restarted,
}

struct CachedReply {
    reply: GetEntitlementsResponse,
    fresh_until: Instant,
    usable_until: Instant,
}

/// Exponential backoff with random pauses, so that callers do not retry all at once.
#[derive(Default)]
struct BackOff {
    failures: u32,
}

impl BackOff {
    fn pause(&mut self, error: &Status) -> Duration {
        let bound = MAX_PAUSE.min(Duration::from_millis(100) * 2_u32.saturating_pow(self.failures.min(10)));
        self.failures += 1;
        let retry_delay = error.get_details_retry_info().and_then(|info| info.retry_delay);
        retry_delay.unwrap_or_default() + bound.mul_f64(rand::random())
    }
}

/// A client of EntitlementService.
pub struct Entitlements {
    client: EntitlementServiceClient<Channel>,
    authorization: MetadataValue<Ascii>,
    settings: CacheSettings,
    cache: HashMap<String, CachedReply>,
    back_off: BackOff,
    /// Time of the next allowed call. `None` after a refused token: no more calls are made.
    retry_at: Option<Instant>,
}

impl Entitlements {
    /// Connects at the first call, and again after a lost connection.
    ///
    /// # Errors
    /// The address or the token is malformed.
    pub fn new(
        address: &str,
        token: &str,
        settings: CacheSettings,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        // Pings detect a dead connection, on which a watch would wait forever.
        let endpoint = Endpoint::new(format!("http://{address}"))?
            .connect_timeout(DEADLINE)
            .http2_keep_alive_interval(Duration::from_secs(30))
            .keep_alive_timeout(Duration::from_secs(10));
        Ok(Self {
            client: EntitlementServiceClient::new(endpoint.connect_lazy()),
            authorization: format!("Bearer {token}").parse()?,
            settings,
            cache: HashMap::new(),
            back_off: BackOff::default(),
            retry_at: Some(Instant::now()),
        })
    }

    fn request<T>(&self, message: T, deadline: Option<Duration>) -> Request<T> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", self.authorization.clone());
        if let Some(deadline) = deadline {
            request.set_timeout(deadline);
        }
        request
    }

    /// Reads the rights of one account.
    ///
    /// # Errors
    /// The status of the failed call.
    pub async fn get(&mut self, uid: &str) -> Result<GetEntitlementsResponse, Status> {
        let request = self.request(GetEntitlementsRequest { uid: uid.to_owned() }, Some(DEADLINE));
        Ok(self.client.get_entitlements(request).await?.into_inner())
    }

    /// Reads up to 1,000 accounts in one call, for the start of a program.
    ///
    /// # Errors
    /// The status of the failed call.
    pub async fn batch(&mut self, uids: Vec<String>) -> Result<BatchGetEntitlementsResponse, Status> {
        let request = self.request(BatchGetEntitlementsRequest { uids }, Some(BATCH_DEADLINE));
        Ok(self.client.batch_get_entitlements(request).await?.into_inner())
    }

    /// Returns whether a limit allows an amount, and the smallest plan that allows it.
    ///
    /// # Errors
    /// The status of the failed call.
    pub async fn check(
        &mut self,
        uid: &str,
        resource: &str,
        wanted: i64,
    ) -> Result<CheckLimitResponse, Status> {
        let request = CheckLimitRequest { uid: uid.to_owned(), resource: resource.to_owned(), wanted };
        Ok(self.client.check_limit(self.request(request, Some(DEADLINE))).await?.into_inner())
    }

    /// Returns whether the account may have `wanted` of a resource, and the source of the result.
    ///
    /// # Errors
    /// Garimpo does not respond and there is no recent reply, or the request is malformed.
    pub async fn check_cached(
        &mut self,
        uid: &str,
        resource: &str,
        wanted: i64,
    ) -> Result<(bool, Source), LookupError> {
        let (reply, source) = self.look_up(uid).await?;
        let limits = reply.map(|reply| reply.limits).unwrap_or_default();
        let limit = limits.into_iter().find(|limit| limit.resource == resource);
        let allowed = match limit.and_then(|limit| limit.amount) {
            Some(Amount::Unlimited(_)) => true,
            Some(Amount::Max(max)) => wanted <= max,
            None => false,
        };
        Ok((allowed, source))
    }

    async fn look_up(&mut self, uid: &str) -> Result<(Option<GetEntitlementsResponse>, Source), LookupError> {
        let now = Instant::now();
        if let Some(cached) = self.cache.get(uid).filter(|cached| now < cached.fresh_until) {
            return Ok((Some(cached.reply.clone()), Source::Cached));
        }
        if self.retry_at.is_some_and(|retry_at| now >= retry_at) {
            match self.get(uid).await {
                Ok(reply) => {
                    self.store(uid, reply.clone(), now);
                    return Ok((Some(reply), Source::Fresh));
                }
                Err(error) if reason_of(&error) == "USER_NOT_FOUND" => {
                    self.cache.remove(uid);
                    return Ok((None, Source::Fresh));
                }
                Err(error) if error.code() == Code::InvalidArgument => {
                    return Err(LookupError::Malformed(error));
                }
                Err(error) => self.retry_at = self.pause_after(&error).map(|pause| now + pause),
            }
        }
        let cached = self.cache.get(uid).filter(|cached| now < cached.usable_until);
        Ok((Some(cached.ok_or(LookupError::Unreachable)?.reply.clone()), Source::Stale))
    }

    /// Returns the pause before the next call, because a failing server needs fewer calls. `None`:
    /// the token is refused, and a person must replace it.
    fn pause_after(&mut self, error: &Status) -> Option<Duration> {
        if !matches!(error.code(), Code::Unauthenticated | Code::PermissionDenied) {
            return Some(self.back_off.pause(error));
        }
        // Cached replies are used as in an outage, until the program is started with another token.
        raise_alarm(error);
        None
    }

    fn store(&mut self, uid: &str, reply: GetEntitlementsResponse, now: Instant) {
        self.back_off = BackOff::default();
        let cache_for =
            reply.cache_for.and_then(|cache_for| Duration::try_from(cache_for).ok()).unwrap_or_default();
        let fresh_until = now + cache_for.min(self.settings.max_cache);
        let usable_until = now + self.settings.fail_open;
        self.cache.insert(uid.to_owned(), CachedReply { reply, fresh_until, usable_until });
    }

    /// Calls `handle` for each state and change, forever. The caller stores the cursor of each
    /// message after it has handled the message.
    ///
    /// # Errors
    /// An error that a person must repair: a refused token or a malformed request.
    pub async fn watch(
        &mut self,
        mut cursor: Option<String>,
        mut handle: impl FnMut(WatchEvent),
    ) -> Result<(), Status> {
        let mut back_off = BackOff::default();
        loop {
            let error = self.watch_once(&mut cursor, &mut handle, &mut back_off).await;
            match error.code() {
                _ if reason_of(&error) == "CURSOR_EXPIRED" => {
                    cursor = None;
                    handle(WatchEvent::Restarted);
                }
                Code::Unauthenticated | Code::PermissionDenied => {
                    raise_alarm(&error);
                    return Err(error);
                }
                Code::InvalidArgument => return Err(error),
                _ => tokio::time::sleep(back_off.pause(&error)).await,
            }
        }
    }

    /// Watches until the connection ends. Returns the reason.
    async fn watch_once(
        &mut self,
        cursor: &mut Option<String>,
        handle: &mut impl FnMut(WatchEvent),
        back_off: &mut BackOff,
    ) -> Status {
        let request = WatchEntitlementsRequest { uids: Vec::new(), cursor: cursor.clone() };
        let mut messages = match self.client.watch_entitlements(self.request(request, None)).await {
            Ok(reply) => reply.into_inner(),
            Err(error) => return error,
        };
        loop {
            match messages.message().await {
                Ok(Some(message)) => {
                    *back_off = BackOff::default();
                    if !message.cursor.is_empty() {
                        *cursor = Some(message.cursor.clone());
                    }
                    handle(if message.uid.is_empty() {
                        WatchEvent::UpToDate(message)
                    } else {
                        WatchEvent::Account(message)
                    });
                }
                Ok(None) => return Status::unavailable("the stream ended without a status"),
                Err(error) => return error,
            }
        }
    }
}

fn raise_alarm(refused: &Status) {
    eprintln!("ALARM: Garimpo refuses the token ({:?}): no more calls are made", refused.code());
}

/// Returns the ErrorReason of a failed call, such as USER_NOT_FOUND. Empty if the transport failed.
pub fn reason_of(error: &Status) -> String {
    error.get_details_error_info().map(|info| info.reason).unwrap_or_default()
}
