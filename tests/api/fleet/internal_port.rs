//! What the internal port serves, and what it reads of a call.

use e2e::Person;
use e2e::app::channel;
use e2e::fleet::Fleet;
use garimpo_proto::auth::v1::SignInRequest;
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use garimpo_proto::billing::v1::entitlement_service_client::EntitlementServiceClient;
use garimpo_proto::billing::v1::webhook_service_client::WebhookServiceClient;
use garimpo_proto::billing::v1::{GetEntitlementsRequest, ReceiveEventRequest};
use tonic::Code;
use tonic::metadata::MetadataMap;

use super::fleet;

/// Sign-ins of one account from one address that may fail in a quarter of an hour.
const FAILURES: u8 = 10;

/// A message with headers that would name the visitor.
fn claiming<T>(message: T, address: &str) -> tonic::Request<T> {
    let mut metadata = MetadataMap::new();
    for name in ["x-garimpo-client-address", "x-forwarded-for"] {
        metadata.insert(name, address.parse().expect("ascii"));
    }
    tonic::Request::from_parts(metadata, tonic::Extensions::default(), message)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_internal_port_reads_no_visitor_from_headers_and_gives_no_cookie() {
    let fleet = fleet!(Fleet::start_with(1, &[]));
    let person = Person::new();
    let ana = fleet.visitor().signs_up(&person).await;
    let internal = channel(&fleet.nodes[0].addresses["grpc"]).await;
    let mut auth = AuthServiceClient::new(internal.clone());

    // All tries count for one caller, whatever address they claim.
    let sign_in = |password: &str| SignInRequest { email: person.email.clone(), password: password.into() };
    for n in 0..FAILURES {
        let tried = claiming(sign_in("errada1"), &format!("203.0.113.{n}"));
        assert_eq!(auth.sign_in(tried).await.unwrap_err().code(), Code::Unauthenticated, "{n}");
    }
    let blocked = claiming(sign_in("errada1"), "203.0.113.99");
    assert_eq!(auth.sign_in(blocked).await.unwrap_err().code(), Code::ResourceExhausted);

    let signed_up = auth.sign_up(Person::new().sign_up_form()).await.expect("anyone may sign up");
    let named: Vec<_> = signed_up.metadata().keys().map(|key| format!("{key:?}")).collect();
    assert!(!named.iter().any(|name| name.contains("cookie") || name.contains("x-garimpo")), "{named:?}");

    // Its services ask for a token. Events of the payment provider come over the public port alone.
    let asked = || GetEntitlementsRequest { uid: ana.uid.clone() };
    let mut rights = EntitlementServiceClient::new(internal.clone());
    assert_eq!(rights.get_entitlements(asked()).await.unwrap_err().code(), Code::Unauthenticated);
    let event = WebhookServiceClient::new(internal).receive_event(ReceiveEventRequest::default()).await;
    assert_eq!(event.unwrap_err().code(), Code::Unimplemented);
    let mut rights = EntitlementServiceClient::new(channel(fleet.balancer.url()).await);
    assert_eq!(rights.get_entitlements(asked()).await.unwrap_err().code(), Code::Unimplemented);
}
