//! The body of a response. Its request is under way until the client has read it.

use crate::budget::{AnswerEviction, Exceeded, Share};
use axum::body::Body;
use axum::response::Response;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http_body_util::BodyExt;

/// The response with the place of its request. With `eviction` another client may get the place
/// before the response is read.
pub(crate) fn counted(response: Response, place: Share, eviction: Option<AnswerEviction>) -> Response {
    let place = match eviction {
        Some(eviction) => place.evictable(eviction),
        None => place,
    };
    // The closure lives as long as the body.
    response.map(|body| {
        Body::new(body.map_err(move |error| {
            let _held = &place;
            error
        }))
    })
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
