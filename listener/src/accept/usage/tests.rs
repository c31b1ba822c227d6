//! Responses that a client reads slowly.

use super::*;
use futures::FutureExt as _;

#[tokio::test]
async fn a_response_is_sent_in_pieces_and_ends_only_with_its_last_byte() {
    let usage = Arc::new(Usage::new(None));
    let whole = vec![b'a'; 2 * PIECE + 1];
    let mut body = running_body(Body::from(whole.clone()), usage.begin());
    let (mut lengths, mut read) = (Vec::new(), Vec::new());
    while !body.is_end_stream() {
        assert_eq!(body.size_hint().exact(), Some((whole.len() - read.len()) as u64));
        let frame = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await;
        let data = frame.unwrap().unwrap().into_data().unwrap();
        lengths.push(data.len());
        read.extend_from_slice(&data);
    }

    assert_eq!((lengths, read), (vec![PIECE, PIECE, 1], whole));
    assert!(usage.idle_since().is_none());
    drop(body);
    assert!(usage.idle_since().is_some());
}

#[tokio::test]
async fn a_response_waits_and_counts_as_unread_while_the_socket_is_blocked() {
    let usage = Arc::new(Usage::new(None));
    let mut body = running_body(Body::from("oi"), usage.begin());
    let mut next = std::pin::pin!(std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)));
    usage.blocks();

    assert!(next.as_mut().now_or_never().is_none());
    assert_eq!(usage.unread.lock().len(), 1);
    usage.flows();
    assert!(next.now_or_never().is_some());
}
