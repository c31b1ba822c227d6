//! The request that this task is serving, or the one that caused the job that it runs.

tokio::task_local! {
    static CURRENT: Request;
}

#[derive(Clone)]
struct Request {
    id: String,
    /// The address by which limits count; `None` in a job.
    client: Option<String>,
}

/// Runs a future as part of a request that nobody waits for.
pub(crate) async fn within<F: Future>(id: String, serving: F) -> F::Output {
    CURRENT.scope(Request { id, client: None }, serving).await
}

/// Runs a future as part of a client's request.
pub(crate) async fn within_call<F: Future>(id: String, client: String, serving: F) -> F::Output {
    CURRENT.scope(Request { id, client: Some(client) }, serving).await
}

/// The id of the request, inside of one.
pub fn current() -> Option<String> {
    CURRENT.try_with(|request| request.id.clone()).ok()
}

/// The address by which limits count the client of the request, inside of a client's.
pub(crate) fn client() -> Option<String> {
    CURRENT.try_with(|request| request.client.clone()).ok().flatten()
}

/// Carries this task's request over to another one.
pub(crate) fn carried<F: Future>(work: F) -> impl Future<Output = F::Output> {
    let request = CURRENT.try_with(Clone::clone).ok();
    async move {
        match request {
            Some(request) => CURRENT.scope(request, work).await,
            None => work.await,
        }
    }
}
