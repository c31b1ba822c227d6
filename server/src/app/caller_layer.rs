//! What surrounds every call of a service: the caller is identified, the call measured and logged.
//!
//! It returns UNAVAILABLE while the clock is unknown, and INTERNAL after a panic.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::extract::ConnectInfo;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use garimpo_proto::{Credential, DirectCall, Surround, is_read};
use garimpo_telemetry::TraceContext;
use http::header::AUTHORIZATION;
use tonic::{Code, Extensions, Status};
use tower::{Layer, Service};

use crate::auth::{Resolved, Sessions};
use crate::caller::denial::Denial;
use crate::caller::{Caller, Principal};
use crate::clock::Clock;
use crate::error::{Error, ErrorReason, Result, log_failure};
use crate::ids::Ids;
use crate::request_id;

pub(super) mod meters;

use meters::OTHER;

/// Message of the refusal before the product's clock is known.
const UNKNOWN_TIME: &str = "the product's clock is not known yet";

#[derive(Clone)]
pub(crate) struct CallerLayer {
    pub sessions: Arc<Sessions>,
    pub clock: Arc<dyn Clock>,
    pub ids: Ids,
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
    fn surround<'a>(
        &'a self,
        rpc: &'static str,
        port: Arc<garimpo_proto::Caller>,
        call: DirectCall<'a>,
    ) -> BoxFuture<'a, Result<(), Status>> {
        Box::pin(self.serve(rpc, port, |caller| {
            let mut extensions = Extensions::new();
            extensions.insert(caller);
            call(extensions)
        }))
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
        let rpc = garimpo_proto::rpc_name(request.uri().path()).unwrap_or(OTHER);
        // The gateway has read the caller of a public call.
        let port = request.extensions_mut().remove::<Arc<garimpo_proto::Caller>>();
        let port = port.unwrap_or_else(|| Arc::new(self.internal_caller(&request)));
        let call = async |caller: Arc<Caller>| {
            request.extensions_mut().insert(caller);
            let Ok(response) = inner.call(request).await;
            if is_unreadable_request(&response) { unreadable() } else { response }
        };
        self.serve(rpc, port, call).await
    }

    /// The caller of the internal port: a program with a token.
    fn internal_caller<B>(&self, request: &http::Request<B>) -> garimpo_proto::Caller {
        let headers = request.headers();
        garimpo_proto::Caller {
            peer: request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip()),
            request_id: self.ids.id("req_"),
            trace: TraceContext::of_peer(headers),
            credential: headers.get(AUTHORIZATION).map(Credential::bearer).unwrap_or_default(),
            ..garimpo_proto::Caller::default()
        }
    }

    /// Serves a call: identifies its caller, measures and logs it.
    async fn serve<T: Answer, F: Future<Output = T> + Send>(
        &self,
        rpc: &'static str,
        port: Arc<garimpo_proto::Caller>,
        call: impl FnOnce(Arc<Caller>) -> F + Send,
    ) -> T {
        let started = Instant::now();
        let (request_id, client) = (port.request_id.clone(), port.address);
        let mut span = meters::span(rpc, &request_id, &port.trace);
        let trace = span.context().clone();
        // Pinned in place, because a future that is moved into another one is allocated twice.
        let answering = pin!(self.answer(rpc, port.clone(), call));
        let guarded = pin!(async {
            // The process's panic hook has counted and logged the panic.
            let answered = AssertUnwindSafe(answering).catch_unwind().await;
            let (answer, denied) = answered.unwrap_or_else(|_| {
                (T::refused(Error::internal(anyhow::anyhow!("a call panicked")).into()), None)
            });
            Self::record(rpc, &answer, denied, &port, started.elapsed());
            meters::end_span(&mut span, answer.code());
            answer
        });
        request_id::within_call(request_id, client, trace, guarded).await
    }

    /// Measures and logs one call. The gateway logs the calls that come through it.
    fn record(
        rpc: &'static str,
        answer: &impl Answer,
        denied: Option<(Denial, Arc<Caller>)>,
        port: &garimpo_proto::Caller,
        took: Duration,
    ) {
        answer.failure().inspect(|status| log_failure(status));
        let code = answer.code();
        meters::CALLS.record(rpc, code, took);
        if let Some((denial, caller)) = denied {
            return caller.log_denial(denial, rpc);
        }
        let uid = port.uid();
        // Milliseconds with one decimal.
        let duration_ms = (took.as_secs_f64() * 10_000.0).round() / 10.0;
        // Successful reads are too many for the log; metrics count them.
        let is_quiet = port.address.is_some() || rpc == OTHER || (code == Code::Ok && is_read(rpc));
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
        port: Arc<garimpo_proto::Caller>,
        call: impl FnOnce(Arc<Caller>) -> F + Send,
    ) -> (T, Option<(Denial, Arc<Caller>)>) {
        // Health and reflection do not need the time.
        if !self.clock.is_known() && rpc != OTHER {
            let refused = Error::refused(ErrorReason::Unavailable, UNKNOWN_TIME);
            return (T::refused(refused.into()), None);
        }
        let resolved = match self.resolve(port.credential.tokens()).await {
            Ok(resolved) => resolved,
            Err(error) => return (T::refused(error.into()), None),
        };
        let caller = Arc::new(Caller::resolved(port.clone(), resolved.principal, resolved.revoked));
        if let Some(identity) = caller.known() {
            port.set_uid(&identity.uid);
        }
        if let Some(renewed) = resolved.renewed {
            port.set_session(renewed);
        }
        let answer = call(caller.clone()).await;
        let denied = caller.denial().map(|denial| (denial, caller));
        (answer, denied)
    }
}

/// The response of a call, encoded or not.
trait Answer: Send {
    fn refused(status: Status) -> Self;
    fn code(&self) -> Code;
    fn failure(&self) -> Option<&Status>;
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
}

impl Answer for Result<(), Status> {
    fn refused(status: Status) -> Self {
        Err(status)
    }

    fn code(&self) -> Code {
        self.as_ref().err().map_or(Code::Ok, Status::code)
    }

    fn failure(&self) -> Option<&Status> {
        self.as_ref().err()
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
        CallerLayer { sessions: Arc::new(sessions), clock, ids: Ids::system() }
    }

    fn request(caller: garimpo_proto::Caller) -> Request<()> {
        let request = Request::builder().uri("/garimpo.auth.v1.AuthService/SignIn");
        request.extension(Arc::new(caller)).body(()).expect("a request")
    }

    #[tokio::test]
    async fn the_client_of_a_call_is_carried_to_the_tasks_that_it_spawns() {
        let service = in_process().await.layer(tower::service_fn(|_: Request<()>| async {
            let spawned = tokio::spawn(request_id::carried(async { request_id::client() })).await;
            assert_eq!(spawned.expect("it ends"), request_id::client());
            let client = request_id::client().expect("a client");
            Ok(Response::builder().header("x-client", client).body(()).expect("a response"))
        }));
        let address = "2001:db8:1:2:3::4".parse().ok();
        let request = request(garimpo_proto::Caller { address, ..Default::default() });

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
        let request_id = "req_do_gateway".to_owned();
        let request = request(garimpo_proto::Caller { request_id, ..Default::default() });

        let answer = tokio::time::timeout(Duration::from_secs(5), service.oneshot(request)).await;

        let Ok(response) = answer.expect("it answers");
        let status = Status::from_header_map(response.headers()).expect("a status");
        let info = status.get_details_error_info().expect("a reason");
        assert_eq!(info.reason, garimpo_proto::reasons::reason_name(ErrorReason::Internal));
        assert_eq!(info.metadata["request_id"], "req_do_gateway");
    }
}
