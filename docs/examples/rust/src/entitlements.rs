//! Reads an account's rights from Garimpo as a service should: cached, with a deadline, and from
//! the last reply while Garimpo does not respond (docs/grpc.md, "How a caller should behave").

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

/// Somebody waits behind each call, so it must not wait for long.
const DEADLINE: Duration = Duration::from_secs(1);
/// A batch of 1,000 may take longer.
const BATCH_DEADLINE: Duration = Duration::from_secs(5);
/// The longest pause between two tries.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// How answers are kept.
#[derive(Debug, Clone, Copy)]
pub struct Keeping {
    /// An answer stands in for so long while Garimpo does not answer.
    pub fail_open: Duration,
    /// An answer is fresh as long as Garimpo says, and no longer than this.
    pub cache_at_most: Duration,
}

/// How an answer is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Garimpo said so just now.
    Fresh,
    /// Garimpo said so lately.
    Cached,
    /// Garimpo said so a while ago, and does not answer now.
    Stale,
}

/// Why nothing is known of an account.
#[derive(Debug)]
pub enum Unknown {
    /// Garimpo does not answer, and what was known is too old.
    Unreachable,
    /// A defect of ours in this one question, which says nothing of the next.
    Malformed(Status),
}

/// A message of a watch.
#[derive(Debug)]
pub enum Told {
    /// The account's rights when the watch begins, or after a change if the message has a cursor.
    Account(WatchEntitlementsResponse),
    /// All states were sent, or nothing happened for 30 s. The message has a newer cursor.
    Level(WatchEntitlementsResponse),
    /// The cursor had expired. All states follow; accounts without one were deleted.
    Again,
}

struct Known {
    answer: GetEntitlementsResponse,
    fresh_until: Instant,
    stands_in_until: Instant,
}

/// Pauses that double, each drawn at random below its bound, so that callers do not retry all at
/// once.
#[derive(Default)]
struct BackOff {
    failures: u32,
}

impl BackOff {
    fn pause(&mut self, error: &Status) -> Duration {
        let bound =
            LONGEST_PAUSE.min(Duration::from_millis(100) * 2_u32.saturating_pow(self.failures.min(10)));
        self.failures += 1;
        let asked = error.get_details_retry_info().and_then(|info| info.retry_delay);
        asked.unwrap_or_default() + bound.mul_f64(rand::random())
    }
}

/// A client of EntitlementService.
pub struct Entitlements {
    client: EntitlementServiceClient<Channel>,
    authorization: MetadataValue<Ascii>,
    keeping: Keeping,
    known: HashMap<String, Known>,
    back_off: BackOff,
    /// When the next question may be asked; never again where there is none.
    not_before: Option<Instant>,
}

impl Entitlements {
    /// A client that connects when it is first needed, and again whenever the connection is lost.
    ///
    /// # Errors
    /// An address or a token that cannot be one.
    pub fn new(address: &str, token: &str, keeping: Keeping) -> Result<Self, Box<dyn std::error::Error>> {
        // Pings find a connection that died without a word; a watch would wait on it for ever.
        let endpoint = Endpoint::new(format!("http://{address}"))?
            .connect_timeout(DEADLINE)
            .http2_keep_alive_interval(Duration::from_secs(30))
            .keep_alive_timeout(Duration::from_secs(10));
        Ok(Self {
            client: EntitlementServiceClient::new(endpoint.connect_lazy()),
            authorization: format!("Bearer {token}").parse()?,
            keeping,
            known: HashMap::new(),
            back_off: BackOff::default(),
            not_before: Some(Instant::now()),
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
    /// As the call answers.
    pub async fn get(&mut self, uid: &str) -> Result<GetEntitlementsResponse, Status> {
        let asked = self.request(GetEntitlementsRequest { uid: uid.to_owned() }, Some(DEADLINE));
        Ok(self.client.get_entitlements(asked).await?.into_inner())
    }

    /// Up to 1,000 uids at once: what a program asks when it starts.
    ///
    /// # Errors
    /// As the call answers.
    pub async fn batch(&mut self, uids: Vec<String>) -> Result<BatchGetEntitlementsResponse, Status> {
        let asked = self.request(BatchGetEntitlementsRequest { uids }, Some(BATCH_DEADLINE));
        Ok(self.client.batch_get_entitlements(asked).await?.into_inner())
    }

    /// Whether a plan's limit allows an amount, and the smallest plan that would.
    ///
    /// # Errors
    /// As the call answers.
    pub async fn check(
        &mut self,
        uid: &str,
        resource: &str,
        wanted: i64,
    ) -> Result<CheckLimitResponse, Status> {
        let asked = CheckLimitRequest { uid: uid.to_owned(), resource: resource.to_owned(), wanted };
        Ok(self.client.check_limit(self.request(asked, Some(DEADLINE))).await?.into_inner())
    }

    /// Whether the account may have `wanted` of a resource, and how that is known.
    ///
    /// # Errors
    /// Garimpo does not answer, and nothing recent enough is known; or the question is malformed.
    pub async fn may(&mut self, uid: &str, resource: &str, wanted: i64) -> Result<(bool, How), Unknown> {
        let (answer, how) = self.answer_for(uid).await?;
        let limits = answer.map(|answer| answer.limits).unwrap_or_default();
        let limit = limits.into_iter().find(|limit| limit.resource == resource);
        let allowed = match limit.and_then(|limit| limit.amount) {
            Some(Amount::Unlimited(_)) => true,
            Some(Amount::Max(max)) => wanted <= max,
            None => false,
        };
        Ok((allowed, how))
    }

    async fn answer_for(&mut self, uid: &str) -> Result<(Option<GetEntitlementsResponse>, How), Unknown> {
        let now = Instant::now();
        if let Some(known) = self.known.get(uid).filter(|known| now < known.fresh_until) {
            return Ok((Some(known.answer.clone()), How::Cached));
        }
        if self.not_before.is_some_and(|not_before| now >= not_before) {
            match self.get(uid).await {
                Ok(answer) => {
                    self.keep(uid, answer.clone(), now);
                    return Ok((Some(answer), How::Fresh));
                }
                Err(error) if reason_of(&error) == "USER_NOT_FOUND" => {
                    self.known.remove(uid);
                    return Ok((None, How::Fresh));
                }
                Err(error) if error.code() == Code::InvalidArgument => return Err(Unknown::Malformed(error)),
                Err(error) => self.not_before = self.pause(&error).map(|pause| now + pause),
            }
        }
        let known = self.known.get(uid).filter(|known| now < known.stands_in_until);
        Ok((Some(known.ok_or(Unknown::Unreachable)?.answer.clone()), How::Stale))
    }

    /// Time without calls after a failure, because a failing server needs fewer calls. `None` is
    /// for ever: the token is refused, and a person has to repair that.
    fn pause(&mut self, error: &Status) -> Option<Duration> {
        if !matches!(error.code(), Code::Unauthenticated | Code::PermissionDenied) {
            return Some(self.back_off.pause(error));
        }
        // Known replies are used as in an outage, until the service is started with another token.
        alarm(error);
        None
    }

    fn keep(&mut self, uid: &str, answer: GetEntitlementsResponse, now: Instant) {
        self.back_off = BackOff::default();
        let cache_for = answer.cache_for.and_then(|told| Duration::try_from(told).ok()).unwrap_or_default();
        let fresh_until = now + cache_for.min(self.keeping.cache_at_most);
        let stands_in_until = now + self.keeping.fail_open;
        self.known.insert(uid.to_owned(), Known { answer, fresh_until, stands_in_until });
    }

    /// Passes on every state and change, for ever. The caller stores the cursor of each message
    /// after it has handled the message.
    ///
    /// # Errors
    /// An error that a person has to repair: a refused token, or a malformed request.
    pub async fn watch(
        &mut self,
        mut cursor: Option<String>,
        mut tell: impl FnMut(Told),
    ) -> Result<(), Status> {
        let mut back_off = BackOff::default();
        loop {
            let error = self.watch_once(&mut cursor, &mut tell, &mut back_off).await;
            match error.code() {
                _ if reason_of(&error) == "CURSOR_EXPIRED" => {
                    cursor = None;
                    tell(Told::Again);
                }
                Code::Unauthenticated | Code::PermissionDenied => {
                    alarm(&error);
                    return Err(error);
                }
                Code::InvalidArgument => return Err(error),
                _ => tokio::time::sleep(back_off.pause(&error)).await,
            }
        }
    }

    /// One connection's worth of a watch; answers why it ended.
    async fn watch_once(
        &mut self,
        cursor: &mut Option<String>,
        tell: &mut impl FnMut(Told),
        back_off: &mut BackOff,
    ) -> Status {
        let asked = WatchEntitlementsRequest { uids: Vec::new(), cursor: cursor.clone() };
        let mut messages = match self.client.watch_entitlements(self.request(asked, None)).await {
            Ok(answer) => answer.into_inner(),
            Err(error) => return error,
        };
        loop {
            match messages.message().await {
                Ok(Some(message)) => {
                    *back_off = BackOff::default();
                    if !message.cursor.is_empty() {
                        *cursor = Some(message.cursor.clone());
                    }
                    tell(if message.uid.is_empty() { Told::Level(message) } else { Told::Account(message) });
                }
                Ok(None) => return Status::unavailable("the stream ended without a word"),
                Err(error) => return error,
            }
        }
    }
}

fn alarm(refused: &Status) {
    eprintln!("ALARM: Garimpo refuses the token ({:?}): nothing is asked any more", refused.code());
}

/// The ErrorReason of a failed call, for instance USER_NOT_FOUND; empty if the transport failed.
pub fn reason_of(error: &Status) -> String {
    error.get_details_error_info().map(|info| info.reason).unwrap_or_default()
}
