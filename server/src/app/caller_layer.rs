//! The layer around every service: it identifies the caller, measures and logs the call.
//!
//! It trusts `x-garimpo-*` from a gateway in this process, or over the wire with the fleet's
//! secret. It returns UNAVAILABLE while the clock is unknown, and INTERNAL after a panic.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures::FutureExt as _;
use garimpo_proto::metadata::{FLEET_CHALLENGE, FLEET_PROOF, FLEET_SECRET, SESSION, UID};
use garimpo_proto::{fleet, is_read};
use garimpo_telemetry::TraceContext;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use secrecy::{ExposeSecret as _, SecretString};
use subtle::ConstantTimeEq as _;
use tonic::{Code, Status};
use tower::{Layer, Service};

use crate::auth::{Resolved, Sessions, set_session_metadata};
use crate::caller::denial::Denial;
use crate::caller::{Caller, bearer};
use crate::clock::Clock;
use crate::error::{Error, ErrorReason, Result};
use crate::ids::Ids;
use crate::request_id;

pub(super) mod meters;

/// Message of the refusal before the product's clock is known.
const UNKNOWN_TIME: &str = "the product's clock is not known yet";
const PROOF: HeaderName = HeaderName::from_static(FLEET_PROOF);
/// Prefix of the path of every service of the contract.
const PRODUCT: &str = "/garimpo.";

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

/// Response extension: a service was denied its call, for the log line.
#[derive(Clone)]
struct Denied(Denial, Arc<Caller>);

/// A service whose requests carry their caller.
#[derive(Clone)]
pub(crate) struct CallerService<S> {
    layer: CallerLayer,
    inner: S,
}

impl<S, B, R> Service<Request<B>> for CallerService<S>
where
    S: Service<Request<B>, Response = Response<R>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    B: Send + 'static,
    R: Default + Send + 'static,
{
    type Response = Response<R>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // The instance that is ready serves this request; its clone serves later ones.
        let later = self.inner.clone();
        let inner = std::mem::replace(&mut self.inner, later);
        let layer = self.layer.clone();
        Box::pin(async move { Ok(layer.serve(inner, request).await) })
    }
}

impl CallerLayer {
    async fn serve<S, B, R>(self, inner: S, request: Request<B>) -> Response<R>
    where
        S: Service<Request<B>, Response = Response<R>, Error = Infallible>,
        R: Default,
    {
        let started = Instant::now();
        let covered = self.trust.covers(request.headers());
        let trusted = matches!(covered, Ok(true));
        let proof = covered.and_then(|_| self.trust.proof(request.headers()));
        let caller = Caller::read(&request, trusted, &self.ids);
        let (request_id, client) = (caller.request_id.clone(), caller.limit_address());
        let path = request.uri().path().to_owned();
        let mut span = meters::span(&path, &request_id, &TraceContext::of_peer(request.headers()));
        let trace = span.context().clone();

        // Pinned in place, because a future that is moved into another one is allocated twice.
        let answering = pin!(async {
            match proof {
                Ok(proof) => {
                    let mut response = self.answer(inner, request, caller).await;
                    response.headers_mut().extend(proof.map(|proof| (PROOF, proof)));
                    response
                }
                Err(refused) => Status::from(refused).into_http(),
            }
        });
        let serving = AssertUnwindSafe(answering).catch_unwind();
        let guarded = pin!(async {
            // The process's panic hook has counted and logged the panic.
            let response = serving.await.unwrap_or_else(|_| {
                Status::from(Error::internal(anyhow::anyhow!("a call panicked"))).into_http()
            });
            let code = Self::record(&path, &response, trusted, started.elapsed());
            meters::end_span(&mut span, code);
            response
        });
        let mut response = request_id::within_call(request_id, client, trace, guarded).await;
        if !trusted {
            response.headers_mut().remove(UID);
        }
        response
    }

    /// Measures and logs one call, and returns its code. A gateway logs the calls that come through
    /// it.
    fn record<R>(path: &str, response: &Response<R>, trusted: bool, took: Duration) -> Code {
        let headers = response.headers();
        let code = headers.get("grpc-status").map_or(Code::Ok, |code| Code::from_bytes(code.as_bytes()));
        let rpc = meters::record(path, code, took);
        if let Some(Denied(denial, caller)) = response.extensions().get() {
            caller.log_denial(*denial, rpc);
            return code;
        }
        let uid = headers.get(UID).and_then(|uid| uid.to_str().ok());
        // Milliseconds with one decimal.
        let duration_ms = (took.as_secs_f64() * 10_000.0).round() / 10.0;
        // Successful reads are too many for the log; metrics count them.
        let is_quiet = trusted || !path.starts_with(PRODUCT) || (code == Code::Ok && is_read(path));
        if is_quiet {
            tracing::debug!(target: "garimpo::call", rpc, ?code, duration_ms, user.id = uid, "{rpc} {code:?}");
        } else {
            tracing::info!(target: "garimpo::call", rpc, ?code, duration_ms, user.id = uid, "{rpc} {code:?}");
        }
        code
    }

    async fn answer<S, B, R>(&self, mut inner: S, mut request: Request<B>, mut caller: Caller) -> Response<R>
    where
        S: Service<Request<B>, Response = Response<R>, Error = Infallible>,
        R: Default,
    {
        // Health and reflection do not need the time.
        if !self.clock.is_known() && request.uri().path().starts_with(PRODUCT) {
            return Status::from(Error::refused(ErrorReason::Unavailable, UNKNOWN_TIME)).into_http();
        }
        let token = bearer(request.headers()).map(str::to_owned);
        let resolved = match token {
            None => Resolved::anonymous(),
            Some(token) => match self.sessions.resolve(&token).await {
                Ok(resolved) => resolved,
                Err(error) => return Status::from(error).into_http(),
            },
        };
        let trusted = caller.trusted;
        (caller.principal, caller.revoked) = (resolved.principal, resolved.revoked);
        let uid = caller.known().and_then(|identity| HeaderValue::from_str(&identity.uid).ok());
        let caller = Arc::new(caller);
        request.extensions_mut().insert(caller.clone());
        let Ok(response) = inner.call(request).await;
        let mut response = if is_unreadable_request(&response) { unreadable() } else { response };
        if let Some(denial) = caller.denial() {
            response.extensions_mut().insert(Denied(denial, caller.clone()));
        }
        if let Some(uid) = uid {
            response.headers_mut().entry(UID).or_insert(uid);
        }
        if let Some(grant) = resolved.renewed.filter(|_| trusted && !response.headers().contains_key(SESSION))
        {
            set_session_metadata(response.headers_mut(), &grant);
        }
        response
    }
}

/// Whether tonic could not read the request's message: its INTERNAL has no details, unlike every
/// error of ours.
fn is_unreadable_request<R>(response: &Response<R>) -> bool {
    let headers = response.headers();
    headers.get("grpc-status").is_some_and(|code| Code::from_bytes(code.as_bytes()) == Code::Internal)
        && !headers.contains_key("grpc-status-details-bin")
}

fn unreadable<R: Default>() -> Response<R> {
    let refused = Error::refused(ErrorReason::InvalidArgument, "the request message cannot be read");
    Status::from(refused).into_http()
}

#[cfg(test)]
mod tests {
    use garimpo_proto::metadata::{CLIENT_ADDRESS, REQUEST_ID};
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
        let identity = LocalIdentity::new(context.clone(), PasswordHashing::new(HashSettings::default()));
        let sessions = Sessions::new(context, Arc::new(identity), &LimitSettings::default());
        CallerLayer { sessions: Arc::new(sessions), clock, ids: Ids::system(), trust: Trust::InProcess }
    }

    #[tokio::test]
    async fn chamada_sabe_o_cliente_e_o_leva_as_tarefas_que_comeca() {
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
    async fn panico_em_um_servico_vira_internal_com_o_id_do_pedido() {
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
