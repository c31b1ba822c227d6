//! Conversions over the real sandbox, on both databases: what is taken, what leaves, what payments
//! tell.

mod delivery;
mod intake;
mod payments;

use garimpo_domain::Timestamp;
use garimpo_proto::tracking::v1 as track;
use serde_json::Value;
use tonic::Request;

use crate::auth::create_service_token;
use crate::caller::Scope;
use crate::ids::Ids;
use crate::store::Store;
use crate::store::engine::ro;
use crate::tests::server::{SignedInUser, bearer};

/// A minute before the world begins.
const HAPPENED: i64 = 1_791_201_540;

/// The conversions that are stored, sent or not, by their keys.
async fn held(store: &Store) -> Vec<Value> {
    let rows: Vec<(String,)> = ro!(store, rows
        "SELECT payload FROM jobs WHERE kind = 'conversion' ORDER BY key")
    .expect("jobs are readable");
    rows.into_iter().map(|(payload,)| serde_json::from_str(&payload).expect("JSON")).collect()
}

/// A request as the gateway passes it on from a page of ours at an address.
fn from_page<T>(message: T, address: &str) -> Request<T> {
    let mut request = Request::new(message);
    for (name, value) in
        [("x-test-own-origin", "1"), ("x-test-client-address", address), ("x-test-user-agent", "Firefox")]
    {
        request.metadata_mut().insert(name, value.parse().expect("ASCII"));
    }
    request
}

/// As a service with the scope for it, which is believed.
async fn by_service<T>(store: &Store, message: T) -> Request<T> {
    let (ids, now) = (Ids::system(), Timestamp::from_unix_seconds(HAPPENED));
    let made = create_service_token(store, &ids, &ids.id("testes_"), &[Scope::TrackingWrite], now).await;
    bearer(message, &made.expect("a token is made").token)
}

/// As a page of ours that somebody is signed in to.
fn from_page_of<T>(who: &SignedInUser, message: T) -> Request<T> {
    let mut request = from_page(message, "10.0.0.1");
    let bearer = format!("Bearer {}", who.session).parse().expect("ASCII");
    request.metadata_mut().insert("authorization", bearer);
    request
}

/// An event that a visitor with consent reports.
fn event(name: &str, id: &str) -> track::TrackEventRequest {
    track::TrackEventRequest {
        event_name: name.to_owned(),
        event_time: Some(prost_types::Timestamp { seconds: HAPPENED, nanos: 0 }),
        event_id: id.to_owned(),
        user_data: Some(track::UserData {
            em: Some(" Ana@Example.com ".to_owned()),
            r#fn: Some("Ana".to_owned()),
            ph: Some("(11) 98765-4321".to_owned()),
            external_id: Some("usr_9".to_owned()),
            fbp: Some("fb.1.1791201540000.77".to_owned()),
            fbc: Some("not one".to_owned()),
        }),
        custom_data: None,
        consent: Some(true),
        event_source_url: None,
    }
}
