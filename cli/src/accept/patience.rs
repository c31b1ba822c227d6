//! How long a sender may take: over the first bytes of a connection, and over a whole body.
//!
//! hyper has a clock for the headers of HTTP/1.1, once it knows that it is HTTP/1.1, and none for bodies; the layers of
//! tower-http begin anew with each piece, so that a byte now and then holds a call for ever.

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

/// As many bytes tell HTTP/1.1 from HTTP/2: the preface of RFC 9113, section 3.4.
const PREFACE: usize = 24;

/// A connection whose first bytes must come by an instant.
pub struct FirstBytes<S> {
    stream: S,
    awaited: usize,
    deadline: Pin<Box<Sleep>>,
}

impl<S> FirstBytes<S> {
    pub fn within(patience: Duration, stream: S) -> Self {
        Self { stream, awaited: PREFACE, deadline: Box::pin(sleep_until(Instant::now() + patience)) }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for FirstBytes<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        match Pin::new(&mut self.stream).poll_read(cx, buffer) {
            Poll::Pending if self.awaited > 0 => {
                ready!(self.deadline.as_mut().poll(cx));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
            read => {
                self.awaited = self.awaited.saturating_sub(buffer.filled().len() - before);
                read
            }
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for FirstBytes<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

/// A body that must have come whole within a time, counted from when it is first waited for.
struct WholeBody<B> {
    body: B,
    patience: Duration,
    deadline: Option<Pin<Box<Sleep>>>,
}

/// The body, ended with an error when it is late.
pub fn whole_body(
    patience: Duration,
    body: impl HttpBody<Data = Bytes, Error: Into<axum::BoxError>> + Send + Unpin + 'static,
) -> Body {
    if body.is_end_stream() {
        Body::new(body)
    } else {
        Body::new(WholeBody { body, patience, deadline: None })
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
        let patience = self.patience;
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep(patience)));
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
