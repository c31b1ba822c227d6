//! The bytes of a connection: the time limit of the first ones, and whether the client reads the
//! responses.

use super::usage::Usage;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// Bytes that distinguish HTTP/1.1 from HTTP/2: the preface of RFC 9113, section 3.4.
const PREFACE: usize = 24;

/// A stream with a time limit for its first bytes. It reports to the connection's usage whether the
/// socket accepts bytes. hyper limits the time of HTTP/1.1 headers only after it has detected
/// HTTP/1.1.
pub struct WatchedStream<S> {
    stream: S,
    usage: Arc<Usage>,
    awaited: usize,
    deadline: Pin<Box<Sleep>>,
}

impl<S> WatchedStream<S> {
    pub fn new(stream: S, usage: Arc<Usage>, first_bytes: Duration) -> Self {
        Self { stream, usage, awaited: PREFACE, deadline: Box::pin(sleep(first_bytes)) }
    }

    fn watched(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match written {
            Poll::Pending => self.usage.blocks(),
            Poll::Ready(_) => self.usage.flows(),
        }
        written
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WatchedStream<S> {
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

impl<S: AsyncWrite + Unpin> AsyncWrite for WatchedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watched(written)
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
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.watched(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
