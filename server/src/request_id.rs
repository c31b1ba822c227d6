//! The id of the request that this task is serving, or of the one that caused the job that it runs.

tokio::task_local! {
    static CURRENT: String;
}

/// Runs a future as part of a request.
pub(crate) async fn within<F: Future>(id: String, serving: F) -> F::Output {
    CURRENT.scope(id, serving).await
}

/// The id of the request, inside of one.
pub fn current() -> Option<String> {
    CURRENT.try_with(Clone::clone).ok()
}

/// Carries this task's request over to another one.
pub(crate) fn carried<F: Future>(work: F) -> impl Future<Output = F::Output> {
    let id = current();
    async move {
        match id {
            Some(id) => within(id, work).await,
            None => work.await,
        }
    }
}
