//! Every acknowledged write was synced to disk before its response. strace counts the syncs.
//!
//! SIGKILL cannot show this, because the kernel keeps the data that an ended process has written.
//! Disks that acknowledge a sync without doing it are out of scope. The tests run only in `make
//! soak`, because not every user may trace.

use std::collections::BTreeMap;

use e2e::postgres::OwnServer;
use e2e::syncs::{self, Syncs};
use e2e::{Cluster, Layout, Person, Provider, soak};
use garimpo_proto::auth::v1::ChangePasswordRequest;
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use garimpo_proto::billing::v1::billing_service_client::BillingServiceClient;
use garimpo_proto::billing::v1::{
    CancelSubscriptionRequest, ChangePlanRequest, PlanInterval, PreviewPlanChangeRequest,
};
use garimpo_proto::users::v1::DeleteMyAccountRequest;
use garimpo_proto::users::v1::user_service_client::UserServiceClient;
use serde_json::json;

const GOOD_CARD: &str = "4242424242424242";
/// Rounds of all writes.
const ROUNDS: usize = 10;

/// Calls of one kind, the syncs that ended during them, and the calls during which none ended.
#[derive(Default)]
struct Counted {
    calls: usize,
    syncs: usize,
    without: usize,
}

#[tokio::test(flavor = "multi_thread")]
async fn every_acknowledged_write_on_sqlite_was_synced() {
    if !soak::is_long() {
        return;
    }
    let cluster = start("").await;
    let syncs = Syncs::of(&[cluster.server_process()]).await;
    Box::pin(Traced { cluster, syncs, counts: BTreeMap::new() }.counts("SQLite")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_acknowledged_write_on_postgresql_was_synced() {
    if !soak::is_long() {
        return;
    }
    let postgres = OwnServer::with_fsync().await;
    let cluster = start(&postgres.fresh().await).await;
    let syncs = Syncs::of(&syncs::with_children(postgres.process())).await;
    Box::pin(Traced { cluster, syncs, counts: BTreeMap::new() }.counts("PostgreSQL")).await;
}

async fn start(database: &str) -> Cluster {
    let settings = [("GARIMPO_DATABASE_URL", database), ("GARIMPO_LIMIT_RECOVERY_ADDRESS", "100000")];
    let cluster = Cluster::start_with(Layout::Apart, &settings).await;
    cluster.wait_until_idle().await;
    cluster
}

/// A cluster whose syncs are traced, and the counts per call.
struct Traced {
    cluster: Cluster,
    syncs: Syncs,
    counts: BTreeMap<&'static str, Counted>,
}

impl Traced {
    /// Makes every kind of write, one call at a time. Reads in between show that the syncs belong
    /// to the writes.
    async fn counts(mut self, database: &str) {
        for round in 0..ROUNDS {
            Box::pin(self.writes(round)).await;
            Box::pin(self.subscriber_writes()).await;
        }
        for (what, Counted { calls, syncs, without }) in &self.counts {
            eprintln!("{database}: {what}: {calls} calls, {syncs} syncs, {without} calls without one");
        }
        let read = self.counts.remove("GetUser").expect("there were reads");
        assert!(read.without * 2 > read.calls, "the syncs are not the calls' own");
        for (what, counted) in &self.counts {
            assert_eq!(counted.without, 0, "{what}");
        }
    }

    /// Counts the syncs between a request and its response, while no job runs.
    async fn of<T>(&mut self, what: &'static str, call: impl Future<Output = T>) -> T {
        self.cluster.wait_until_idle().await;
        let before = self.syncs.count();
        let answer = call.await;
        let within = self.syncs.count() - before;
        let counted = self.counts.entry(what).or_default();
        counted.calls += 1;
        counted.syncs += within;
        counted.without += usize::from(within == 0);
        answer
    }

    async fn writes(&mut self, round: usize) {
        let mut person = Person::new();
        let signing_up = Box::pin(self.cluster.visitor().signs_up(&person));
        let mut ana = self.of("SignUp", signing_up).await;

        let path = format!("/api/users/{}", ana.uid);
        for _ in 0..5 {
            assert_eq!(self.of("GetUser", ana.calls("GET", &path, None)).await.status, 200);
        }
        let record = json!({ "uid": ana.uid, "email": ana.email, "displayName": "Ana de Novo" });
        let saved = self.of("SaveUser", ana.calls("POST", "/api/users", Some(record))).await;
        assert_eq!(saved.status, 200, "{saved:?}");

        self.of("CreateCheckoutSession", ana.opens_checkout("Elite Nível 2", "mensal")).await;

        let id = format!("evt_sync{round:04}{:08x}", rand::random::<u32>());
        let event = json!({ "id": id, "object": "event", "type": "soak.noted", "data": { "object": {} } });
        let event = event.to_string();
        let proof = Provider::signs("whsec_garimpo", self.cluster.provider().now().await, &event);
        let event = ana.request("POST", "/webhooks/stripe").header("stripe-signature", proof).body(event);
        assert_eq!(self.of("ReceiveEvent", event.send()).await.expect("an answer").status(), 200);

        let asked = Some(json!({ "email": ana.email }));
        let asked = self.of("RequestPasswordReset", ana.calls("POST", "/api/password-reset", asked)).await;
        assert_eq!(asked.status, 200, "{asked:?}");

        let change = ChangePasswordRequest {
            current_password: std::mem::replace(&mut person.password, "outra-senha".into()),
            new_password: person.password.clone(),
        };
        let mut auth = AuthServiceClient::new(e2e::app::channel(ana.url()).await);
        let changed = auth.change_password(ana.with_cookie(change));
        self.of("ChangePassword", changed).await.expect("the password is changed");

        ana = self.of("SignIn", ana.signs_in(&person)).await;
        let out = self.of("SignOut", ana.calls_with_cookie("POST", "/api/auth/clear-cookie", None)).await;
        assert_eq!(out.status, 200, "{out:?}");

        ana = ana.signs_in(&person).await;
        let mut users = UserServiceClient::new(e2e::app::channel(ana.url()).await);
        let end =
            users.delete_my_account(ana.authorized(DeleteMyAccountRequest { password: person.password }));
        self.of("DeleteMyAccount", end).await.expect("the account is deleted");
    }

    /// The writes of a subscriber.
    async fn subscriber_writes(&mut self) {
        let ana = self.cluster.visitor().signs_up(&Person::new()).await;
        let session = ana.opens_checkout("Elite Nível 2", "mensal").await;
        assert_eq!(self.cluster.provider().pays_by_card(&session, GOOD_CARD).await, 200);
        ana.becomes_active().await;
        let mut billing = BillingServiceClient::new(e2e::app::channel(ana.url()).await);

        let wanted = PreviewPlanChangeRequest {
            plan_id: "elite_nivel_3".into(),
            interval: PlanInterval::Monthly.into(),
        };
        let preview = billing.preview_plan_change(ana.authorized(wanted)).await.expect("a preview");
        let change =
            ChangePlanRequest { preview_token: preview.into_inner().preview_token, request_id: None };
        let changed = self.of("ChangePlan", billing.change_plan(ana.authorized(change)));
        changed.await.expect("the plan is changed");

        let cancel = CancelSubscriptionRequest { reason: None, request_id: None };
        let cancelled = self.of("CancelSubscription", billing.cancel_subscription(ana.authorized(cancel)));
        cancelled.await.expect("it is cancelled");
    }
}
