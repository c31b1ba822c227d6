//! A response stream with limits of time and bytes.

use crate::budget::Share;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use http_body::{Body as HttpBody, Frame, SizeHint};
use parking_lot::Mutex;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tonic::body::Body;
use tonic::{Code, Status};

/// Most bytes of one stream. All descriptors of the public services are a tenth of it.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// A stream that holds a share of a budget while it is open.
pub(crate) struct BoundedStream {
    state: Arc<Mutex<State>>,
    bytes_left: usize,
    /// Whether the last frame was sent.
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

    /// Ends the stream with UNAVAILABLE, so that clients open another one.
    fn end(&mut self) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        self.is_over = true;
        self.timer.abort_all();
        self.state.lock().open = None;
        let code = HeaderValue::from(Code::Unavailable as i32);
        let message = HeaderValue::from_static("the stream is over");
        let trailers = [("grpc-status", code), ("grpc-message", message)];
        let trailers = trailers.map(|(name, value)| (http::HeaderName::from_static(name), value));
        Poll::Ready(Some(Ok(Frame::trailers(HeaderMap::from_iter(trailers)))))
    }
}

/// Closes the stream after its time, or when another client needs its place.
async fn end_after(life: Duration, share: Share, state: Arc<Mutex<State>>) {
    let _ = timeout(life, share.evicted()).await;
    drop(share);
    let (closed, waiting) = {
        let mut state = state.lock();
        (state.open.take(), state.waiting.take())
    };
    drop(closed);
    if let Some(waiting) = waiting {
        waiting.wake();
    }
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
            let mut state = self.state.lock();
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

    /// A closed stream has still to send its status.
    fn is_end_stream(&self) -> bool {
        self.is_over || self.state.lock().open.as_ref().is_some_and(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
