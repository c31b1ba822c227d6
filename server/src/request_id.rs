//! The id of the request that this task is serving.

tokio::task_local! {
    static CURRENT: String;
}

/// Runs a future as part of a request.
pub(crate) async fn within<F: Future>(id: String, serving: F) -> F::Output {
    CURRENT.scope(id, serving).await
}

/// The id of the request, inside of one.
pub(crate) fn current() -> Option<String> {
    CURRENT.try_with(Clone::clone).ok()
}
