//! The body of a response. Its request is under way until the client has read it.

use crate::budget::{AnswerEviction, Exceeded, Share};
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http_body::{Body as HttpBody, Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};

/// A body that holds the place of its request.
struct CountedBody {
    body: Body,
    _place: Share,
}

/// The response with the place of its request. With `eviction` another client may get the place
/// before the response is read.
pub(crate) fn counted(response: Response, place: Share, eviction: Option<AnswerEviction>) -> Response {
    let place = match eviction {
        Some(eviction) => place.evictable(eviction),
        None => place,
    };
    response.map(|body| Body::new(CountedBody { body, _place: place }))
}

/// A response without a place. Over HTTP/2 it loses its body, because a client can leave any number
/// of bodies unread there. HTTP/1.1 has one response at a time on a connection.
pub(crate) fn uncounted(response: Response, exceeded: Exceeded, is_grpc: bool, is_http2: bool) -> Response {
    if is_grpc {
        return tonic::Status::from(exceeded).into_http();
    }
    if !is_http2 {
        return response;
    }
    let mut response = response.map(|_| Body::empty());
    response.headers_mut().remove(CONTENT_LENGTH);
    response.headers_mut().remove(CONTENT_TYPE);
    response
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
