//! The rights of an account as services read them, and their age.

use crate::app::{ClockSettings, Settings};
use crate::operator::Operator;
use crate::store::Text as _;
use crate::tests::server::TestServer;

#[tokio::test(flavor = "multi_thread")]
async fn a_rights_change_by_time_has_a_new_revision_before_the_feed_reports_it() {
    let server = TestServer::new().await;
    let ana = server.signs_up("ana@exemplo.com.br").await;
    let trial = server.app.billing().entitlements.read_rights(&ana.uid).await.expect("an answer");
    server.app.stop().await;

    server.clock.advance_days(8);
    let mut settings = Settings::new(server.database.settings());
    settings.clock = ClockSettings::Given(server.clock.clone());
    let nobody_works = Operator::open(settings).await.expect("the database opens");
    let before = nobody_works.billing().entitlements.read_rights(&ana.uid).await.expect("an answer");
    let of_batch = nobody_works
        .billing()
        .entitlements
        .read_many_rights(std::slice::from_ref(&ana.uid))
        .await
        .expect("answers");
    nobody_works.close().await;
    let node = TestServer::node(&server.database, server.clock.clone(), |_| {}).await;
    assert!(node.queue().settle(std::time::Duration::from_secs(20)).await, "the feed is told");
    let after = node.billing().entitlements.read_rights(&ana.uid).await.expect("an answer");

    assert_eq!((trial.status.text(), before.status.text()), ("trialing", "free"));
    assert!(before.equals_state(&after) && of_batch[0].equals_state(&before), "{before:?} {after:?}");
    assert!(
        trial.revision < before.revision && before.revision <= after.revision,
        "{trial:?} {before:?} {after:?}"
    );
    assert_eq!(of_batch[0].revision, before.revision);
    node.stop().await;
}
