//! Time limit for sending a whole body.
//!
//! The layers of tower-http restart their time limit with each piece, so a byte now and then would
//! keep a call open for ever.

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Sleep, sleep};

/// A body with a time limit, which starts when the body is first polled.
struct WholeBody<B> {
    body: B,
    timeout: Duration,
    deadline: Option<Pin<Box<Sleep>>>,
}

/// The body, ended with an error when it is late.
pub fn whole_body(
    timeout: Duration,
    body: impl HttpBody<Data = Bytes, Error: Into<axum::BoxError>> + Send + Unpin + 'static,
) -> Body {
    if body.is_end_stream() {
        Body::new(body)
    } else {
        Body::new(WholeBody { body, timeout, deadline: None })
    }
}

impl<B: HttpBody<Error: Into<axum::BoxError>> + Unpin> HttpBody for WholeBody<B> {
    type Data = B::Data;
    type Error = axum::BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let timeout = self.timeout;
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep(timeout)));
        ready!(deadline.as_mut().poll(cx));
        Poll::Ready(Some(Err(io::Error::from(io::ErrorKind::TimedOut).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
