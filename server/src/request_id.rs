//! The request that this task serves, or the request that caused the job that it runs.

use std::net::IpAddr;

use garimpo_telemetry::TraceContext;

use crate::client_network::limit_address;

tokio::task_local! {
    static CURRENT: Request;
}

#[derive(Clone)]
struct Request {
    id: String,
    /// Whether a client waits for it: a job has none.
    is_call: bool,
    /// The client's address.
    address: Option<IpAddr>,
    /// The span in which the task works.
    trace: TraceContext,
}

/// The request that caused a write or a job: its log lines and its trace continue the request's.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cause {
    pub request_id: Option<String>,
    /// The span of the cause, if its trace is recorded.
    pub traceparent: Option<String>,
}

impl Cause {
    /// The current request.
    pub(crate) fn current() -> Self {
        Self { request_id: current(), traceparent: trace().stored() }
    }
}

/// Runs a job's future as part of a request.
pub(crate) async fn within<F: Future>(id: String, trace: TraceContext, serving: F) -> F::Output {
    CURRENT.scope(Request { id, is_call: false, address: None, trace }, serving).await
}

/// Runs a future as part of the request of a client with this address.
pub(crate) async fn within_call<F: Future>(
    id: String,
    address: Option<IpAddr>,
    trace: TraceContext,
    serving: F,
) -> F::Output {
    CURRENT.scope(Request { id, is_call: true, address, trace }, serving).await
}

/// Runs a future as a span of the current request.
pub(crate) async fn within_span<F: Future>(trace: TraceContext, work: F) -> F::Output {
    match CURRENT.try_with(Clone::clone) {
        Ok(request) => CURRENT.scope(Request { trace, ..request }, work).await,
        Err(_) => work.await,
    }
}

/// The id of the current request, if there is one.
pub fn current() -> Option<String> {
    CURRENT.try_with(|request| request.id.clone()).ok()
}

/// The address by which limits count the client of the current request, if a client waits for it.
pub(crate) fn client() -> Option<String> {
    let client = |request: &Request| request.is_call.then(|| limit_address(request.address));
    CURRENT.try_with(client).ok().flatten()
}

/// Whether the client of the current request has an address: it is a visitor of the public port.
pub(crate) fn is_of_visitor() -> bool {
    CURRENT.try_with(|request| request.address.is_some()).unwrap_or_default()
}

/// The span in which this task works; empty outside of a request.
pub(crate) fn trace() -> TraceContext {
    CURRENT.try_with(|request| request.trace.clone()).unwrap_or_default()
}

/// Makes a future for another task part of this task's request.
pub(crate) fn carried<F: Future>(work: F) -> impl Future<Output = F::Output> {
    let request = CURRENT.try_with(Clone::clone).ok();
    async move {
        match request {
            Some(request) => CURRENT.scope(request, work).await,
            None => work.await,
        }
    }
}
