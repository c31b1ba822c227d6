//! A watcher of entitlements that reconnects to any server receives each change exactly once.

use e2e::app::channel;
use e2e::fleet::Fleet;
use e2e::watch::{self, ReconnectingWatcher};
use e2e::{Person, Visitor, eventually_within};
use garimpo_proto::billing::v1::GetEntitlementsRequest;
use garimpo_proto::billing::v1::entitlement_service_client::EntitlementServiceClient;

use super::fleet;

const GOOD_CARD: &str = "4242424242424242";

#[tokio::test(flavor = "multi_thread")]
async fn a_watcher_that_reconnects_to_any_server_sees_each_change_once() {
    let mut fleet = fleet!(Fleet::start());
    let service = fleet.service("billing.read").await;
    let urls: Vec<_> = fleet.nodes.iter().map(|server| server.addresses["grpc"].clone()).collect();
    let first = fleet.visitor().signs_up(&Person::new()).await;
    let (_, start) = watch::present(&urls[1], &service, &[]).await;
    let watcher = ReconnectingWatcher::from(start.clone(), urls.clone(), service.clone());

    let mut people = vec![first];
    for round in 0..6 {
        // Read before the change, so that a server may have the old reply in its cache.
        for url in &urls[1..] {
            assert_eq!(plan_of(url, &service, &people[round].uid).await, "profissional");
        }
        let who = fleet.visitor().signs_up(&Person::new()).await;
        let mut change = watch::open(&urls[1], &service, &[&people[round].uid], None).await.expect("opens");
        let session = people[round].opens_checkout("Top Afiliado", "month").await;
        fleet.provider().pays_by_card(&session, GOOD_CARD).await;
        people[round].becomes_active().await;
        // A server that has received a change returns no older reply.
        while watch::next(&mut change).await.plan != "top_afiliado" {}
        assert_eq!(plan_of(&urls[1], &service, &people[round].uid).await, "top_afiliado");
        people.push(who);
        match round {
            1 => fleet.nodes[0].kill(),
            3 => fleet.nodes[0].restart().await,
            _ => {}
        }
    }
    let last = people.last().expect("six of them").uid.clone();
    let bought = people[5].uid.clone();
    eventually_within(e2e::fleet::TIMEOUT, "every change was seen", || async {
        let seen = watcher.seen();
        let has = |uid: &str, plan: &str| seen.iter().any(|change| change.uid == uid && change.plan == plan);
        (has(&last, "profissional") && has(&bought, "top_afiliado")).then_some(())
    })
    .await;

    let seen = watcher.seen();
    let end = seen.last().expect("at least one change was seen").cursor.clone();
    for url in &urls {
        assert_eq!(watch::replay(url, &service, &start, &end).await, seen, "the same on every server");
    }
    for who in &people[..6] {
        let paid = seen.iter().filter(|change| change.uid == who.uid && change.status == "active").count();
        assert_eq!(paid, 1, "{}", who.uid);
    }
}

async fn plan_of(url: &str, service: &Visitor, uid: &str) -> String {
    let mut entitlements = EntitlementServiceClient::new(channel(url).await);
    let asked = service.authorized(GetEntitlementsRequest { uid: uid.into() });
    entitlements.get_entitlements(asked).await.expect("an answer").into_inner().plan_id
}
