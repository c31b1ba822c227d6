//! A response stream that ends: after a time, and after a number of bytes.

use crate::budget::Share;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use http_body::{Body as HttpBody, Frame, SizeHint};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tonic::body::Body;
use tonic::{Code, Status};

/// Bytes that one stream sends at most; all descriptors of the public services are a tenth of it.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// A stream that holds a share of a budget while it is open.
pub(crate) struct BoundedStream {
    state: Arc<Mutex<State>>,
    bytes_left: usize,
    /// Whether the client has its last frame.
    is_over: bool,
    /// Ends the stream. It runs beside the body, because HTTP/2 does not poll the body of a client
    /// whose window is closed. Dropping it frees the share.
    timer: JoinSet<()>,
}

struct State {
    /// `None` once the time is over.
    open: Option<Body>,
    waiting: Option<Waker>,
}

impl BoundedStream {
    pub fn new(body: Body, share: Share, life: Duration) -> Self {
        let state = Arc::new(Mutex::new(State { open: Some(body), waiting: None }));
        let mut timer = JoinSet::new();
        timer.spawn(end_after(life, share, state.clone()));
        Self { state, bytes_left: MAX_BYTES, is_over: false, timer }
    }

    /// Ends the stream with the status that makes a client open another one.
    fn end(&mut self) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        self.is_over = true;
        self.timer.abort_all();
        locked(&self.state).open = None;
        let code = HeaderValue::from(Code::Unavailable as i32);
        let message = HeaderValue::from_static("the stream is over");
        let trailers = [("grpc-status", code), ("grpc-message", message)];
        let trailers = trailers.map(|(name, value)| (http::HeaderName::from_static(name), value));
        Poll::Ready(Some(Ok(Frame::trailers(HeaderMap::from_iter(trailers)))))
    }
}

/// Closes the stream after its time, or when another client needs its place.
async fn end_after(life: Duration, share: Share, state: Arc<Mutex<State>>) {
    // Either way it is over.
    let _ = timeout(life, share.evicted()).await;
    drop(share);
    let (closed, waiting) = {
        let mut state = locked(&state);
        (state.open.take(), state.waiting.take())
    };
    drop(closed);
    if let Some(waiting) = waiting {
        waiting.wake();
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HttpBody for BoundedStream {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let polled = {
            let mut state = locked(&self.state);
            state.waiting = Some(cx.waker().clone());
            state.open.as_mut().map(|body| Pin::new(body).poll_frame(cx))
        };
        match polled {
            None => self.end(),
            Some(Poll::Pending) => Poll::Pending,
            Some(Poll::Ready(frame)) => {
                let bytes = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref().map(Bytes::len));
                match self.bytes_left.checked_sub(bytes.unwrap_or_default()) {
                    Some(left) => self.bytes_left = left,
                    None => return self.end(),
                }
                Poll::Ready(frame)
            }
        }
    }

    /// A stream that was closed still owes its status.
    fn is_end_stream(&self) -> bool {
        self.is_over || locked(&self.state).open.as_ref().is_some_and(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
