//! The layer around every service: it identifies the caller, measures and logs the call.
//!
//! It trusts `x-garimpo-*` from a gateway in this process, or over the wire with the fleet's
//! secret. It returns UNAVAILABLE while the clock is unknown, and INTERNAL after a panic.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::extract::ConnectInfo;
use futures::FutureExt as _;
use garimpo_proto::metadata::{FLEET_CHALLENGE, FLEET_PROOF, FLEET_SECRET, SESSION, UID};
use garimpo_proto::{Surround, fleet, is_read};
use garimpo_telemetry::TraceContext;
use http::{HeaderMap, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use subtle::ConstantTimeEq as _;
use tonic::{Code, Request, Status};
use tower::{Layer, Service};

use crate::auth::{Resolved, Sessions, set_session_metadata};
use crate::caller::denial::Denial;
use crate::caller::{Caller, Principal, bearers, set_uid};
use crate::clock::Clock;
use crate::error::{Error, ErrorReason, Result, log_failure};
use crate::ids::Ids;
use crate::request_id;
use crate::wire::Reply;

pub(super) mod meters;

use meters::OTHER;

/// Message of the refusal before the product's clock is known.
const UNKNOWN_TIME: &str = "the product's clock is not known yet";

/// When `x-garimpo-*` is trusted.
#[derive(Clone)]
pub(crate) enum Trust {
    /// The gateway runs in this process.
    InProcess,
    /// The gateway sends the fleet's secret; without a secret no caller is trusted.
    Fleet {
        secret: Option<SecretString>,
        /// Id of the database, which a gateway compares between servers.
        database_id: Arc<str>,
    },
}

impl Trust {
    /// Whether the caller is trusted. A wrong secret is refused, because a gateway with it would
    /// serve without addresses and cookies unnoticed. A server without a secret cannot prove one,
    /// so no gateway of a fleet calls it.
    fn covers(&self, headers: &HeaderMap) -> Result<bool> {
        let Self::Fleet { secret, .. } = self else { return Ok(true) };
        let (Some(secret), Some(shown)) = (secret, headers.get(FLEET_SECRET)) else { return Ok(false) };
        let is_ours = shown.as_bytes().ct_eq(secret.expose_secret().as_bytes());
        if is_ours.into() { Ok(true) } else { Err(not_ours()) }
    }

    /// The proof for a gateway's health check. It makes no call trusted, because a challenge can be
    /// recorded.
    fn proof(&self, headers: &HeaderMap) -> Result<Option<HeaderValue>> {
        let (Self::Fleet { secret, database_id }, Some(challenge)) = (self, headers.get(FLEET_CHALLENGE))
        else {
            return Ok(None);
        };
        let secret = secret.as_ref().ok_or_else(not_ours)?.expose_secret().as_bytes();
        let proof = challenge.to_str().ok().and_then(|shown| fleet::proof(secret, shown, database_id));
        proof.and_then(|proof| HeaderValue::try_from(proof).ok()).map(Some).ok_or_else(not_ours)
    }
}

/// UNAVAILABLE, because UNAUTHENTICATED would end the session of the visitor behind that gateway.
fn not_ours() -> Error {
    Error::refused(ErrorReason::Unavailable, "the fleet secret is not ours")
}

#[derive(Clone)]
pub(crate) struct CallerLayer {
    pub sessions: Arc<Sessions>,
    pub clock: Arc<dyn Clock>,
    pub ids: Ids,
    pub trust: Trust,
}

impl<S> Layer<S> for CallerLayer {
    type Service = CallerService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        CallerService { layer: self.clone(), inner }
    }
}

/// A service whose requests carry their caller.
#[derive(Clone)]
pub(crate) struct CallerService<S> {
    layer: CallerLayer,
    inner: S,
}

impl<S, B, R> Service<http::Request<B>> for CallerService<S>
where
    S: Service<http::Request<B>, Response = http::Response<R>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    B: Send + 'static,
    R: Default + Send + 'static,
{
    type Response = http::Response<R>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        // The instance that is ready serves this request; its clone serves later ones.
        let later = self.inner.clone();
        let inner = std::mem::replace(&mut self.inner, later);
        let layer = self.layer.clone();
        Box::pin(async move { Ok(layer.serve_encoded(inner, request).await) })
    }
}

impl Surround for CallerLayer {
    async fn run<Q: Send, R: Send, F>(
        &self,
        rpc: &'static str,
        mut request: Request<Q>,
        call: impl FnOnce(Request<Q>) -> F + Send,
    ) -> Reply<R>
    where
        F: Future<Output = Reply<R>> + Send,
    {
        let headers: &HeaderMap = request.metadata().as_ref();
        let caller = Caller::read(headers, None, true, &self.ids);
        let (tokens, parent) = (tokens(headers), TraceContext::of_peer(headers));
        let call = |caller: Arc<Caller>| {
            request.extensions_mut().insert(caller);
            call(request)
        };
        self.serve(rpc, caller, tokens, &parent, call).await
    }
}

impl CallerLayer {
    /// Serves a call that came encoded.
    async fn serve_encoded<S, B, R>(self, mut inner: S, mut request: http::Request<B>) -> http::Response<R>
    where
        S: Service<http::Request<B>, Response = http::Response<R>, Error = Infallible> + Send,
        S::Future: Send,
        B: Send,
        R: Default + Send,
    {
        let headers = request.headers();
        let covered = self.trust.covers(headers);
        let trusted = matches!(covered, Ok(true));
        let proof = covered.and_then(|_| self.trust.proof(headers));
        let rpc = garimpo_proto::rpc_name(request.uri().path()).unwrap_or(OTHER);
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        let caller = Caller::read(headers, peer, trusted, &self.ids);
        let tokens = if proof.is_ok() { tokens(headers) } else { Vec::new() };
        let parent = TraceContext::of_peer(headers);
        let call = async |caller: Arc<Caller>| {
            let proof = match proof {
                Ok(proof) => proof,
                Err(refused) => return Status::from(refused).into_http(),
            };
            request.extensions_mut().insert(caller);
            let Ok(response) = inner.call(request).await;
            let mut response = if is_unreadable_request(&response) { unreadable() } else { response };
            response.headers_mut().extend(proof.map(|proof| (FLEET_PROOF, proof)));
            response
        };
        let mut response = self.serve(rpc, caller, tokens, &parent, call).await;
        if !trusted {
            response.headers_mut().remove(UID);
        }
        response
    }

    /// Serves a call: identifies its caller, measures and logs it.
    async fn serve<T: Answer, F: Future<Output = T> + Send>(
        &self,
        rpc: &'static str,
        caller: Caller,
        tokens: Vec<String>,
        parent: &TraceContext,
        call: impl FnOnce(Arc<Caller>) -> F + Send,
    ) -> T {
        let started = Instant::now();
        let (request_id, client, trusted) =
            (caller.request_id.clone(), caller.client_address.clone(), caller.trusted);
        let mut span = meters::span(rpc, &request_id, parent);
        let trace = span.context().clone();
        // Pinned in place, because a future that is moved into another one is allocated twice.
        let answering = pin!(self.answer(rpc, caller, tokens, call));
        let guarded = pin!(async {
            // The process's panic hook has counted and logged the panic.
            let answered = AssertUnwindSafe(answering).catch_unwind().await;
            let (answer, denied) = answered.unwrap_or_else(|_| {
                (T::refused(Error::internal(anyhow::anyhow!("a call panicked")).into()), None)
            });
            Self::record(rpc, &answer, denied, trusted, started.elapsed());
            meters::end_span(&mut span, answer.code());
            answer
        });
        request_id::within_call(request_id, client, trace, guarded).await
    }

    /// Measures and logs one call. A gateway logs the calls that come through it.
    fn record(
        rpc: &'static str,
        answer: &impl Answer,
        denied: Option<(Denial, Arc<Caller>)>,
        trusted: bool,
        took: Duration,
    ) {
        answer.failure().inspect(|status| log_failure(status));
        let code = answer.code();
        meters::CALLS.record(rpc, code, took);
        if let Some((denial, caller)) = denied {
            return caller.log_denial(denial, rpc);
        }
        let uid = answer.metadata().get(UID).and_then(|uid| uid.to_str().ok());
        // Milliseconds with one decimal.
        let duration_ms = (took.as_secs_f64() * 10_000.0).round() / 10.0;
        // Successful reads are too many for the log; metrics count them.
        let is_quiet = trusted || rpc == OTHER || (code == Code::Ok && is_read(rpc));
        if is_quiet {
            tracing::debug!(target: "garimpo::call", rpc, ?code, duration_ms, user.id = uid, "{rpc} {code:?}");
        } else {
            tracing::info!(target: "garimpo::call", rpc, ?code, duration_ms, user.id = uid, "{rpc} {code:?}");
        }
    }

    /// The holder of the first live token: an ended session does not hide a live one.
    async fn resolve(&self, tokens: &[String]) -> Result<Resolved> {
        let mut resolved = Resolved::anonymous();
        for token in tokens {
            resolved = self.sessions.resolve(token).await?;
            if !matches!(resolved.principal, Principal::Anonymous) {
                break;
            }
        }
        Ok(resolved)
    }

    /// The response to the identified caller, and why a service was denied its call.
    async fn answer<T: Answer, F: Future<Output = T> + Send>(
        &self,
        rpc: &'static str,
        mut caller: Caller,
        tokens: Vec<String>,
        call: impl FnOnce(Arc<Caller>) -> F + Send,
    ) -> (T, Option<(Denial, Arc<Caller>)>) {
        // Health and reflection do not need the time.
        if !self.clock.is_known() && rpc != OTHER {
            let refused = Error::refused(ErrorReason::Unavailable, UNKNOWN_TIME);
            return (T::refused(refused.into()), None);
        }
        let resolved = match self.resolve(&tokens).await {
            Ok(resolved) => resolved,
            Err(error) => return (T::refused(error.into()), None),
        };
        (caller.principal, caller.revoked) = (resolved.principal, resolved.revoked);
        let caller = Arc::new(caller);
        let mut answer = call(caller.clone()).await;
        let headers = answer.metadata_mut();
        if let Some(identity) = caller.known().filter(|_| !headers.contains_key(UID)) {
            set_uid(headers, &identity.uid);
        }
        if let Some(grant) = resolved.renewed.filter(|_| caller.trusted && !headers.contains_key(SESSION)) {
            set_session_metadata(headers, &grant);
        }
        let denied = caller.denial().map(|denial| (denial, caller));
        (answer, denied)
    }
}

fn tokens(headers: &HeaderMap) -> Vec<String> {
    bearers(headers).map(str::to_owned).collect()
}

/// The response of a call, encoded or not.
trait Answer: Send {
    fn refused(status: Status) -> Self;
    fn code(&self) -> Code;
    fn failure(&self) -> Option<&Status>;
    fn metadata(&self) -> &HeaderMap;
    fn metadata_mut(&mut self) -> &mut HeaderMap;
}

impl<R: Default + Send> Answer for http::Response<R> {
    fn refused(status: Status) -> Self {
        status.into_http()
    }

    fn code(&self) -> Code {
        self.headers().get("grpc-status").map_or(Code::Ok, |code| Code::from_bytes(code.as_bytes()))
    }

    fn failure(&self) -> Option<&Status> {
        self.extensions().get()
    }

    fn metadata(&self) -> &HeaderMap {
        self.headers()
    }

    fn metadata_mut(&mut self) -> &mut HeaderMap {
        self.headers_mut()
    }
}

impl<T: Send> Answer for Reply<T> {
    fn refused(status: Status) -> Self {
        Err(status)
    }

    fn code(&self) -> Code {
        self.as_ref().err().map_or(Code::Ok, Status::code)
    }

    fn failure(&self) -> Option<&Status> {
        self.as_ref().err()
    }

    fn metadata(&self) -> &HeaderMap {
        match self {
            Ok(response) => response.metadata().as_ref(),
            Err(status) => status.metadata().as_ref(),
        }
    }

    fn metadata_mut(&mut self) -> &mut HeaderMap {
        match self {
            Ok(response) => response.metadata_mut().as_mut(),
            Err(status) => status.metadata_mut().as_mut(),
        }
    }
}

/// Whether tonic could not read the request's message: its INTERNAL has no details, unlike every
/// error of ours.
fn is_unreadable_request<R: Default + Send>(response: &http::Response<R>) -> bool {
    response.code() == Code::Internal && !response.headers().contains_key("grpc-status-details-bin")
}

fn unreadable<R: Default>() -> http::Response<R> {
    let refused = Error::refused(ErrorReason::InvalidArgument, "the request message cannot be read");
    Status::from(refused).into_http()
}

#[cfg(test)]
mod tests {
    use garimpo_proto::metadata::{CLIENT_ADDRESS, REQUEST_ID};
    use http::{Request, Response};
    use tonic_types::StatusExt as _;
    use tower::ServiceExt as _;

    use super::*;
    use crate::auth::local::LocalIdentity;
    use crate::auth::{HashSettings, LimitSettings, PasswordHashing};
    use crate::context::AppContext;
    use crate::tests::clock::TestClock;
    use crate::tests::database::Database;

    async fn in_process() -> CallerLayer {
        let store = Database::sqlite().open().await;
        let clock: Arc<dyn Clock> = Arc::new(TestClock::at("2026-11-20T12:00:00Z"));
        let context = AppContext { store, clock: clock.clone(), ids: Ids::system() };
        let hashing = PasswordHashing::new(HashSettings::default());
        let identity = LocalIdentity { context: context.clone(), hashing };
        let sessions = Sessions::new(context, Arc::new(identity), LimitSettings::default());
        CallerLayer { sessions: Arc::new(sessions), clock, ids: Ids::system(), trust: Trust::InProcess }
    }

    #[tokio::test]
    async fn the_client_of_a_call_is_carried_to_the_tasks_that_it_spawns() {
        let service = in_process().await.layer(tower::service_fn(|_: Request<()>| async {
            let spawned = tokio::spawn(request_id::carried(async { request_id::client() })).await;
            assert_eq!(spawned.expect("it ends"), request_id::client());
            let client = request_id::client().expect("a client");
            Ok(Response::builder().header("x-client", client).body(()).expect("a response"))
        }));
        let request = Request::builder().uri("/garimpo.auth.v1.AuthService/SignIn");
        let request = request.header(CLIENT_ADDRESS, "2001:db8:1:2:3::4").body(()).expect("a request");

        let Ok(response) = service.oneshot(request).await;

        assert_eq!(response.headers()["x-client"], "2001:db8:1:2::/64");
    }

    #[tokio::test]
    async fn a_panic_in_a_service_returns_internal_with_the_request_id() {
        let service = in_process().await.layer(tower::service_fn(|_: Request<()>| async {
            panic!("a defect in a service");
            #[expect(unreachable_code, reason = "names the type of the answer")]
            Ok::<Response<()>, Infallible>(Response::default())
        }));
        let request = Request::builder().uri("/garimpo.auth.v1.AuthService/SignIn");
        let request = request.header(REQUEST_ID, "req_do_gateway").body(()).expect("a request");

        let answer = tokio::time::timeout(Duration::from_secs(5), service.oneshot(request)).await;

        let Ok(response) = answer.expect("it answers");
        let status = Status::from_header_map(response.headers()).expect("a status");
        let info = status.get_details_error_info().expect("a reason");
        assert_eq!(info.reason, garimpo_proto::reasons::reason_name(ErrorReason::Internal));
        assert_eq!(info.metadata["request_id"], "req_do_gateway");
    }
}
