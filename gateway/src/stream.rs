//! A response stream that ends: after a time, and after a number of bytes.

use crate::budget::Share;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use http_body::{Body as HttpBody, Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Sleep;
use tonic::body::Body;
use tonic::{Code, Status};

/// Bytes that one stream sends at most; all descriptors of the public services are a tenth of it.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// A stream that holds a share of a budget while it is open.
pub(crate) struct BoundedStream {
    /// `None` once it has ended.
    open: Option<Body>,
    bytes_left: usize,
    deadline: Pin<Box<Sleep>>,
    _share: Share,
}

impl BoundedStream {
    pub fn new(body: Body, share: Share, life: Duration) -> Self {
        let deadline = Box::pin(tokio::time::sleep(life));
        Self { open: Some(body), bytes_left: MAX_BYTES, deadline, _share: share }
    }

    /// Ends the stream with the status that makes a client open another one.
    fn end(&mut self) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        self.open = None;
        let code = HeaderValue::from(Code::Unavailable as i32);
        let message = HeaderValue::from_static("the stream is over");
        let trailers = [("grpc-status", code), ("grpc-message", message)];
        let trailers = trailers.map(|(name, value)| (http::HeaderName::from_static(name), value));
        Poll::Ready(Some(Ok(Frame::trailers(HeaderMap::from_iter(trailers)))))
    }
}

impl HttpBody for BoundedStream {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let Some(body) = &mut self.open else { return Poll::Ready(None) };
        if let Poll::Ready(frame) = Pin::new(body).poll_frame(cx) {
            let bytes = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref().map(Bytes::len));
            match self.bytes_left.checked_sub(bytes.unwrap_or_default()) {
                Some(left) => self.bytes_left = left,
                None => return self.end(),
            }
            return Poll::Ready(frame);
        }
        match self.deadline.as_mut().poll(cx) {
            Poll::Ready(()) => self.end(),
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.open.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
