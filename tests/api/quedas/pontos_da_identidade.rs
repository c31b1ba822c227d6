//! Deaths between the account of the outside identity provider and ours.

use e2e::identity::{Identity, TELLS_APART};
use e2e::{Cluster, Layout};
use serde_json::{Value, json};

use super::{Apart, Together};

/// The product over the emulator; nothing without it.
async fn cluster(layout: Layout) -> Option<(Identity, Cluster)> {
    let Some(identity) = Identity::of(TELLS_APART).await else {
        e2e::skips("identity emulator");
        return None;
    };
    let settings = identity.settings();
    let settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let cluster = Cluster::start_with(layout, &settings).await;
    cluster.comes_to_rest().await;
    Some((identity, cluster))
}

/// What the provider answers to email and password.
async fn signs_in_there(identity: &Identity, (email, password): (String, String)) -> Value {
    let form = json!({ "email": email, "password": password });
    identity.does("accounts:signInWithPassword", form).await
}

#[tokio::test]
async fn cadastro_que_morre_depois_do_provedor_da_uma_conta_inteira() {
    for layout in [Together, Apart] {
        let Some((identity, mut cluster)) = cluster(layout).await else { return };
        cluster.is_doomed("identity.changed");
        let mut who = cluster.survivor();
        let signing_up = tokio::spawn(async move {
            who.signs_up().await;
            who
        });

        let who = cluster.dies_and_rises("identity.changed", signing_up).await;

        let there = signs_in_there(&identity, who.credentials()).await;
        assert_eq!(there["localId"], who.visitor().uid, "one identity, one account");
        assert_eq!(who.record().await["phoneNumber"], "11987654321", "all of the form is kept");
        assert_eq!(cluster.ours("SELECT uid FROM accounts").await, [who.visitor().uid.clone()]);
        cluster.comes_to_rest().await;
        who.finds_all_again().await;
    }
}

#[tokio::test]
async fn exclusao_que_morre_apaga_a_identidade_e_o_email_serve_a_outra_conta() {
    for (crash_at, layout) in
        [("account.deleted", Together), ("job.delivered", Apart), ("job.delivered:2", Together)]
    {
        let Some((identity, mut cluster)) = cluster(layout).await else { return };
        let mut who = cluster.survivor();
        who.signs_up().await;
        cluster.comes_to_rest().await;
        let (uid, credentials) = (who.visitor().uid.clone(), who.credentials());
        cluster.is_doomed(crash_at);
        let deleting = tokio::spawn(async move {
            who.deletes_account().await;
            who
        });
        let mut who = cluster.dies_and_rises(crash_at, deleting).await;
        cluster.comes_to_rest().await;

        let there = signs_in_there(&identity, credentials).await;
        assert_eq!(there["error"]["message"], "EMAIL_NOT_FOUND", "{crash_at}");
        who.is_not_let_in().await;
        who.signs_up().await;
        assert_ne!(who.visitor().uid, uid, "another account");
        who.finds_all_again().await;
    }
}

#[tokio::test]
async fn recuperacao_que_morre_depois_do_provedor_encerra_as_sessoes_de_antes() {
    for crash_at in ["identity.changed", "password.stored"] {
        let Some((identity, mut cluster)) = cluster(Together).await else { return };
        let mut who = cluster.survivor();
        who.signs_up().await;
        cluster.comes_to_rest().await;
        cluster.is_doomed(crash_at);
        let recovering = tokio::spawn(async move {
            who.recovers_password().await;
            who
        });

        let who = cluster.dies_and_rises(crash_at, recovering).await;

        cluster.comes_to_rest().await;
        who.finds_all_again().await;
        let there = signs_in_there(&identity, who.credentials()).await;
        assert_eq!(there["localId"], who.visitor().uid, "{crash_at}");
    }
}

#[tokio::test]
async fn troca_de_senha_que_morre_depois_do_provedor_encerra_as_sessoes_de_antes() {
    for (crash_at, layout) in [("identity.changed", Together), ("password.stored", Apart)] {
        let Some((identity, mut cluster)) = cluster(layout).await else { return };
        let mut who = cluster.survivor();
        who.signs_up().await;
        // Another device, whose session ends too.
        who.signs_in().await;
        cluster.comes_to_rest().await;
        cluster.is_doomed(crash_at);
        let changing = tokio::spawn(async move {
            who.changes_password().await;
            who
        });

        let who = cluster.dies_and_rises(crash_at, changing).await;

        cluster.comes_to_rest().await;
        who.finds_all_again().await;
        let there = signs_in_there(&identity, who.credentials()).await;
        assert_eq!(there["localId"], who.visitor().uid, "{crash_at}");
    }
}
