//! Crashes between a change at the external identity provider and ours.

use e2e::identity::{Identity, REVEALS_UNKNOWN_EMAIL};
use e2e::{Cluster, Layout};
use serde_json::{Value, json};

use super::{Apart, Together};

/// The product with the emulator; `None` without the emulator.
async fn cluster(layout: Layout) -> Option<(Identity, Cluster)> {
    let Some(identity) = Identity::of(REVEALS_UNKNOWN_EMAIL).await else {
        e2e::skips("identity emulator");
        return None;
    };
    let settings = identity.settings();
    let settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let cluster = Cluster::start_with(layout, &settings).await;
    cluster.wait_until_idle().await;
    Some((identity, cluster))
}

/// The identity provider's reply to email and password.
async fn signs_in_there(identity: &Identity, (email, password): (String, String)) -> Value {
    let form = json!({ "email": email, "password": password });
    identity.does("accounts:signInWithPassword", form).await
}

#[tokio::test]
async fn a_sign_up_that_crashes_after_the_identity_provider_gives_one_complete_account() {
    for layout in [Together, Apart] {
        let Some((identity, mut cluster)) = cluster(layout).await else { return };
        cluster.restart_with_crash_point("identity.changed");
        let mut who = cluster.retrying_visitor();
        let signing_up = tokio::spawn(async move {
            who.signs_up().await;
            who
        });

        let who = cluster.crash_and_restart("identity.changed", signing_up).await;

        let there = signs_in_there(&identity, who.credentials()).await;
        assert_eq!(there["localId"], who.visitor().uid, "one identity, one account");
        assert_eq!(who.record().await["phoneNumber"], "11987654321", "all of the form is kept");
        assert_eq!(cluster.ours("SELECT uid FROM accounts").await, [who.visitor().uid.clone()]);
        cluster.wait_until_idle().await;
        who.assert_acknowledged_kept().await;
    }
}

#[tokio::test]
async fn a_deletion_that_crashes_still_removes_the_identity_and_frees_the_email() {
    for (crash_at, layout) in
        [("account.deleted", Together), ("job.delivered", Apart), ("job.delivered:2", Together)]
    {
        let Some((identity, mut cluster)) = cluster(layout).await else { return };
        let mut who = cluster.retrying_visitor();
        who.signs_up().await;
        cluster.wait_until_idle().await;
        let (uid, credentials) = (who.visitor().uid.clone(), who.credentials());
        cluster.restart_with_crash_point(crash_at);
        let deleting = tokio::spawn(async move {
            who.deletes_account().await;
            who
        });
        let mut who = cluster.crash_and_restart(crash_at, deleting).await;
        cluster.wait_until_idle().await;

        let there = signs_in_there(&identity, credentials).await;
        assert_eq!(there["error"]["message"], "EMAIL_NOT_FOUND", "{crash_at}");
        who.assert_cannot_sign_in().await;
        who.signs_up().await;
        assert_ne!(who.visitor().uid, uid, "another account");
        who.assert_acknowledged_kept().await;
    }
}

#[tokio::test]
async fn a_recovery_that_crashes_after_the_identity_provider_ends_earlier_sessions() {
    for crash_at in ["identity.changed", "password.stored"] {
        let Some((identity, mut cluster)) = cluster(Together).await else { return };
        let mut who = cluster.retrying_visitor();
        who.signs_up().await;
        cluster.wait_until_idle().await;
        cluster.restart_with_crash_point(crash_at);
        let recovering = tokio::spawn(async move {
            who.recovers_password().await;
            who
        });

        let who = cluster.crash_and_restart(crash_at, recovering).await;

        cluster.wait_until_idle().await;
        who.assert_acknowledged_kept().await;
        let there = signs_in_there(&identity, who.credentials()).await;
        assert_eq!(there["localId"], who.visitor().uid, "{crash_at}");
    }
}

#[tokio::test]
async fn a_password_change_that_crashes_after_the_identity_provider_ends_earlier_sessions() {
    for (crash_at, layout) in [("identity.changed", Together), ("password.stored", Apart)] {
        let Some((identity, mut cluster)) = cluster(layout).await else { return };
        let mut who = cluster.retrying_visitor();
        who.signs_up().await;
        // Another device, whose session ends too.
        who.signs_in().await;
        cluster.wait_until_idle().await;
        cluster.restart_with_crash_point(crash_at);
        let changing = tokio::spawn(async move {
            who.changes_password().await;
            who
        });

        let who = cluster.crash_and_restart(crash_at, changing).await;

        cluster.wait_until_idle().await;
        who.assert_acknowledged_kept().await;
        let there = signs_in_there(&identity, who.credentials()).await;
        assert_eq!(there["localId"], who.visitor().uid, "{crash_at}");
    }
}
