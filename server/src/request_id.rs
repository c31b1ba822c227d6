//! The request that this task serves, or the request that caused the job that it runs.

tokio::task_local! {
    static CURRENT: Request;
}

#[derive(Clone)]
struct Request {
    id: String,
    /// The address by which limits count the client; `None` in a job.
    client: Option<String>,
}

/// Runs a job's future as part of a request.
pub(crate) async fn within<F: Future>(id: String, serving: F) -> F::Output {
    CURRENT.scope(Request { id, client: None }, serving).await
}

/// Runs a future as part of a client's request.
pub(crate) async fn within_call<F: Future>(id: String, client: String, serving: F) -> F::Output {
    CURRENT.scope(Request { id, client: Some(client) }, serving).await
}

/// The id of the current request, if there is one.
pub fn current() -> Option<String> {
    CURRENT.try_with(|request| request.id.clone()).ok()
}

/// The address by which limits count the client of the current request, if a client waits for it.
pub(crate) fn client() -> Option<String> {
    CURRENT.try_with(|request| request.client.clone()).ok().flatten()
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
