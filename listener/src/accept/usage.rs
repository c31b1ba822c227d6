//! The requests of one connection: running requests, unread responses, and the idle time.

use axum::body::{Body, Bytes, HttpBody};
use garimpo_gateway::budget::AnswerEviction;
use http::Version;
use hyper::body::{Frame, SizeHint};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;
use tokio::time::Instant;

/// The requests of one connection.
pub struct Usage {
    /// Whether its last request was HTTP/2.
    is_http2: AtomicBool,
    running: AtomicUsize,
    /// Last time at which a request began, ended or sent a piece of its response.
    last_progress: Mutex<Instant>,
    /// By response: time since which we wait for the client to read.
    unread: Mutex<HashMap<u64, Instant>>,
    next_answer: AtomicU64,
    /// Responses that wait until the socket accepts bytes; `None` while it does.
    blocked: Mutex<Option<Vec<Waker>>>,
    /// Ends the connection to evict a response; `None` for our own machines and for proxies.
    eviction: Option<AnswerEviction>,
}

/// A request, which runs until its response is written.
pub struct Running(Arc<Usage>);

impl Usage {
    pub(super) fn new(eviction: Option<AnswerEviction>) -> Self {
        Self {
            is_http2: AtomicBool::new(false),
            running: AtomicUsize::new(0),
            last_progress: Mutex::new(Instant::now()),
            unread: Mutex::default(),
            next_answer: AtomicU64::default(),
            blocked: Mutex::default(),
            eviction,
        }
    }

    /// Ends the connection when the memory of one of its responses is needed.
    pub fn eviction(&self) -> Option<AnswerEviction> {
        self.eviction.clone()
    }

    /// Records that the socket accepts no bytes.
    pub fn blocks(&self) {
        self.blocked.lock().get_or_insert_default();
    }

    /// Records that the socket has accepted bytes.
    pub fn flows(&self) {
        let waiting = self.blocked.lock().take();
        waiting.into_iter().flatten().for_each(Waker::wake);
    }

    /// Whether the socket accepts no bytes. If so, the task is woken when it accepts some.
    fn is_blocked(&self, cx: &Context<'_>) -> bool {
        let mut blocked = self.blocked.lock();
        let Some(waiting) = blocked.as_mut() else { return false };
        if !waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
            waiting.push(cx.waker().clone());
        }
        true
    }

    /// Records the HTTP version of a request.
    pub fn speaks(&self, version: Version) {
        self.is_http2.store(version == Version::HTTP_2, Ordering::Relaxed);
    }

    /// Begins a request.
    pub fn begin(self: &Arc<Self>) -> Running {
        self.running.fetch_add(1, Ordering::SeqCst);
        self.progresses();
        Running(self.clone())
    }

    /// Time since which the connection is idle; `None` while a request runs.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let since = self.last_progress();
        (self.running.load(Ordering::SeqCst) == 0).then_some(since)
    }

    pub(super) fn last_progress(&self) -> Instant {
        *self.last_progress.lock()
    }

    pub(super) fn progresses(&self) {
        *self.last_progress.lock() = Instant::now();
    }

    /// Waits until the client has read nothing of a response for this time.
    pub(super) async fn unread_for(&self, limit: Duration) {
        let oldest = || self.unread.lock().values().min().copied();
        wait_until(limit, || oldest().map_or(Duration::ZERO, |since| since.elapsed())).await;
    }

    /// Waits until the connection has had no request for this time.
    pub(super) async fn idle_for(&self, limit: Duration) {
        wait_until(limit, || self.idle_time()).await;
    }

    /// Waits until the connection can be ended without losing a request. HTTP/2 can be ended at
    /// once, because GOAWAY names the calls that are processed. HTTP/1.1 has no such message, so it
    /// is ended after it has been idle.
    pub(super) async fn settled(&self, linger: Duration) {
        let is_http2 = || self.is_http2.load(Ordering::Relaxed);
        wait_until(linger, || if is_http2() { Duration::MAX } else { self.idle_time() }).await;
    }

    fn idle_time(&self) -> Duration {
        self.idle_since().map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// Waits until a duration that grows with time, or restarts at zero, reaches the limit.
async fn wait_until(limit: Duration, duration: impl Fn() -> Duration) {
    loop {
        let left = limit.saturating_sub(duration());
        if left.is_zero() {
            return;
        }
        tokio::time::sleep(left).await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.progresses();
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Largest piece of a response, in bytes: hyper holds one piece for each response that its client
/// does not read.
const PIECE: usize = 16 * 1024;

/// The body of a response; its request runs until the client has read it.
struct RunningBody {
    body: Body,
    /// Bytes left of the frame that hyper is sending.
    rest: Bytes,
    /// Id of the response within the connection.
    id: u64,
    running: Running,
}

/// Wraps the body of a running request.
pub fn running_body(body: Body, running: Running) -> Body {
    let usage = &running.0;
    let id = usage.next_answer.fetch_add(1, Ordering::Relaxed);
    usage.unread.lock().insert(id, Instant::now());
    Body::new(RunningBody { body, rest: Bytes::new(), id, running })
}

/// The next piece of a frame. The last byte is a piece of its own, because hyper drops a body with
/// the last piece, and polls for that once the client's HTTP/2 window fits all bytes before it.
fn next_piece(rest: &mut Bytes) -> Bytes {
    rest.split_to(rest.len().saturating_sub(1).clamp(1, PIECE))
}

impl RunningBody {
    fn poll_body(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            let frame = match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => frame,
                ended => return Poll::Ready(ended),
            };
            match frame.into_data() {
                Ok(data) if !data.is_empty() => self.rest = data,
                Ok(empty) => return Poll::Ready(Some(Ok(Frame::data(empty)))),
                Err(other) => return Poll::Ready(Some(Ok(other))),
            }
        }
        Poll::Ready(Some(Ok(Frame::data(next_piece(&mut self.rest)))))
    }
}

impl Drop for RunningBody {
    fn drop(&mut self) {
        self.running.0.unread.lock().remove(&self.id);
    }
}

impl HttpBody for RunningBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        // The response stays unread until the client reads.
        if self.running.0.is_blocked(cx) {
            return Poll::Pending;
        }
        let polled = self.poll_body(cx);
        let usage = &self.running.0;
        // hyper polls again once the client has read some of the sent bytes.
        if polled.is_pending() {
            usage.unread.lock().remove(&self.id);
        } else {
            usage.progresses();
            usage.unread.lock().insert(self.id, Instant::now());
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (mut hint, rest) = (self.body.size_hint(), self.rest.len() as u64);
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(hint.lower() + rest);
        hint
    }
}

#[cfg(test)]
mod tests;
