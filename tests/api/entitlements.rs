//! Entitlements, as our own services read them on the internal port.

use std::time::Duration;

use e2e::{App, Person, Visitor};
use garimpo_proto::billing::v1::entitlement_service_client::EntitlementServiceClient;
use garimpo_proto::billing::v1::limit::Amount;
use garimpo_proto::billing::v1::{
    BatchGetEntitlementsRequest, CheckLimitRequest, CheckLimitResponse, GetEntitlementsRequest,
    GetEntitlementsResponse, WatchEntitlementsRequest,
};
use tonic::transport::Channel;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

const TRIAL_SECONDS: i64 = 7 * 86_400;

/// A client of the internal port with a token for `billing.read`.
struct Service {
    who: Visitor,
    port: EntitlementServiceClient<Channel>,
}

impl Service {
    async fn of(app: &App) -> Self {
        let port = EntitlementServiceClient::new(e2e::app::channel(app.internal_url()).await);
        Self { who: app.service("billing.read").await, port }
    }

    async fn entitlements(&mut self, uid: &str) -> Result<GetEntitlementsResponse, Status> {
        let asked = self.who.authorized(GetEntitlementsRequest { uid: uid.into() });
        self.port.get_entitlements(asked).await.map(tonic::Response::into_inner)
    }

    async fn check(&mut self, uid: &str, resource: &str, wanted: i64) -> Result<CheckLimitResponse, Status> {
        let asked = CheckLimitRequest { uid: uid.into(), resource: resource.into(), wanted };
        self.port.check_limit(self.who.authorized(asked)).await.map(tonic::Response::into_inner)
    }
}

fn reason(status: &Status) -> String {
    status.get_details_error_info().expect("a reason").reason
}

fn max_of(entitlements: &GetEntitlementsResponse, resource: &str) -> Option<Amount> {
    entitlements.limits.iter().find(|limit| limit.resource == resource).and_then(|limit| limit.amount)
}

#[tokio::test]
async fn entitlements_follow_the_trial_the_purchase_and_time() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let eva = app.visitor().signs_up(&Person::new()).await;
    let mut service = Service::of(&app).await;
    let now = app.provider().now().await;

    let trial = service.entitlements(&ana.uid).await.expect("an answer");
    assert_eq!((trial.plan_id.as_str(), trial.status.as_str()), ("profissional", "trialing"));
    assert_eq!(max_of(&trial, "whatsapp_groups"), Some(Amount::Max(10)));
    assert_eq!((trial.limits.len(), trial.features.len()), (12, 7), "all of them, each by its name");
    let end = trial.next_change_at.expect("the trial ends").seconds;
    assert!((now + TRIAL_SECONDS - 60..=now + TRIAL_SECONDS + 60).contains(&end), "{end}");
    assert_eq!(trial.valid_until, trial.next_change_at);
    assert_eq!(trial.cache_for.expect("how long").seconds, 60);

    let session = ana.opens_checkout("Elite Nível 2", "month").await;
    app.provider().pays_by_card(&session, "4242424242424242").await;
    ana.becomes_active().await;
    let bought = service.entitlements(&ana.uid).await.expect("an answer");
    assert_eq!((bought.plan_id.as_str(), bought.status.as_str()), ("elite_nivel_2", "active"));
    assert_eq!(max_of(&bought, "whatsapp_groups"), Some(Amount::Max(20)));
    assert!(bought.revision > trial.revision, "{} after {}", bought.revision, trial.revision);
    assert_eq!(bought.suspended_reason, None);

    app.provider().advances(TRIAL_SECONDS + 60).await;
    let free = service.entitlements(&eva.uid).await.expect("an answer");
    assert_eq!((free.plan_id.as_str(), free.status.as_str()), ("free", "free"));
    assert_eq!(max_of(&free, "whatsapp_groups"), Some(Amount::Max(0)));
    assert_eq!((free.valid_until, free.next_change_at), (None, None));
    assert!(free.features.iter().all(|feature| !feature.enabled));
}

#[tokio::test]
async fn entitlements_need_scope_and_rate_and_each_denial_is_counted_and_logged_without_tokens() {
    let app = App::start_with(&[("GARIMPO_LIMIT_CALLS_TOKEN", "5")]).await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let mut service = Service::of(&app).await;
    let asked = || GetEntitlementsRequest { uid: ana.uid.clone() };

    let nobody = service.port.get_entitlements(asked()).await.expect_err("no token");
    let person = service.port.get_entitlements(ana.authorized(asked())).await.expect_err("no service");
    let mut forged = app.visitor();
    forged.id_token = Some("gv_inventado".into());
    let unknown =
        service.port.get_entitlements(forged.authorized(asked())).await.expect_err("an unknown token");
    let other = app.service("tracking.write").await;
    let scope = service.port.get_entitlements(other.authorized(asked())).await.expect_err("another scope");
    assert_eq!(
        [nobody.code(), unknown.code(), person.code(), scope.code()],
        [Code::Unauthenticated, Code::Unauthenticated, Code::PermissionDenied, Code::PermissionDenied]
    );
    for uid in ["usr_de_ninguem", "usr_\0"] {
        assert_eq!(reason(&service.entitlements(uid).await.expect_err("an unknown uid")), "USER_NOT_FOUND");
    }
    assert_eq!(reason(&service.entitlements("").await.expect_err("no uid")), "INVALID_ARGUMENT");

    let batch = || BatchGetEntitlementsRequest { uids: vec![ana.uid.clone(); 50] };
    let fast = e2e::eventually("the pace of the token ends", || async {
        let asked = service.who.authorized(batch());
        service.port.clone().batch_get_entitlements(asked).await.err()
    })
    .await;
    assert_eq!((fast.code(), reason(&fast).as_str()), (Code::ResourceExhausted, "TOO_MANY_REQUESTS"));
    let pause = fast.get_details_retry_info().and_then(|info| info.retry_delay).expect("a pause");
    assert!(pause <= Duration::from_secs(1), "{pause:?}");
    let second = app.service("billing.read").await;
    service.port.get_entitlements(second.authorized(asked())).await.expect("each token has its own pace");
    e2e::eventually("the pause ends", || async {
        service.port.clone().get_entitlements(service.who.authorized(asked())).await.ok()
    })
    .await;

    let count = async |reason: &str| {
        let series = format!(r#"garimpo_denials_total{{reason="{reason}",port="internal"}}"#);
        app.metric(&series).await.and_then(|count| count.parse::<u64>().ok()).expect("a count")
    };
    assert_eq!(
        [count("no_token").await, count("unknown_token").await, count("wrong_scope").await],
        [1, 1, 2]
    );
    assert!(count("too_many_calls").await >= 1);
    let log = app.log_text();
    let lines = |denied: &str| {
        let denied_label = format!(r#""denied":"{denied}""#);
        log.lines().filter(|line| line.contains(&denied_label)).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        [lines("no_token").len(), lines("unknown_token").len(), lines("wrong_scope").len()],
        [1, 1, 2]
    );
    let fast = lines("too_many_calls");
    assert!(
        fast[0].contains(r#""token.name":"cenario""#) && fast[0].contains("BatchGetEntitlements"),
        "{fast:?}"
    );
    for token in [&service.who, &forged, &other].map(|who| who.id_token.clone().expect("a token")) {
        assert!(!log.contains(&token), "a token in the log");
    }
}

#[tokio::test]
async fn an_entitlement_request_reports_all_invalid_fields_at_once() {
    let app = App::start().await;
    let mut service = Service::of(&app).await;
    let fields = |status: &Status| {
        let bad = status.get_details_bad_request().expect("fields are named").field_violations;
        bad.into_iter().map(|violation| violation.field).collect::<Vec<_>>()
    };

    let check = service.check("", "grupos", -1).await.expect_err("refused");
    assert_eq!(fields(&check), ["uid", "resource", "wanted"]);
    let get = service.entitlements("").await.expect_err("refused");
    assert_eq!(fields(&get), ["uid"]);
    let uids = |count| [vec!["usr_x".to_owned(), String::new()], vec!["usr_y".to_owned(); count]].concat();
    let asked = service.who.authorized(BatchGetEntitlementsRequest { uids: uids(999) });
    let batch = service.port.batch_get_entitlements(asked).await.expect_err("refused");
    assert_eq!(fields(&batch), ["uids", "uids[1]"]);
    let watch = WatchEntitlementsRequest { uids: uids(999), cursor: Some("amanhã".into()) };
    let watch = service.port.watch_entitlements(service.who.authorized(watch)).await.expect_err("refused");
    assert_eq!(fields(&watch), ["uids", "uids[1]", "cursor"]);
}

#[tokio::test]
async fn a_batch_returns_entitlements_by_uid_and_lists_unknown_uids() {
    let app = App::start().await;
    let people = [
        app.visitor().signs_up(&Person::new()).await,
        app.visitor().signs_up(&Person::new()).await,
        app.visitor().signs_up(&Person::new()).await,
    ];
    let mut service = Service::of(&app).await;

    let mut uids: Vec<String> = people.iter().map(|person| person.uid.clone()).collect();
    uids.push("usr_de_ninguem".into());
    uids.push(people[0].uid.clone());
    let asked = service.who.authorized(BatchGetEntitlementsRequest { uids });
    let batch = service.port.batch_get_entitlements(asked).await.expect("an answer").into_inner();
    assert_eq!(batch.not_found, ["usr_de_ninguem"]);
    assert_eq!(batch.entitlements.len(), 3);
    for person in &people {
        assert_eq!(
            batch.entitlements[&person.uid],
            service.entitlements(&person.uid).await.expect("the same")
        );
    }

    for uids in [vec![], vec![String::new()], vec!["usr_x".to_owned(); 1_001]] {
        let asked = service.who.authorized(BatchGetEntitlementsRequest { uids });
        let refused = service.port.batch_get_entitlements(asked).await.expect_err("refused");
        assert_eq!(reason(&refused), "INVALID_ARGUMENT");
    }
    let uids = (0..1_000).map(|nth| format!("usr_{nth}")).collect();
    let asked = service.who.authorized(BatchGetEntitlementsRequest { uids });
    let batch = service.port.batch_get_entitlements(asked).await.expect("an answer").into_inner();
    assert_eq!(batch.not_found.len(), 1_000);
}

#[tokio::test]
async fn check_limit_decides_by_plan_and_names_the_smallest_plan_that_would_allow_it() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let mut service = Service::of(&app).await;

    // Profissional has the limits of Elite Nível 1.
    let within = service.check(&ana.uid, "whatsapp_groups", 10).await.expect("an answer");
    assert!(within.allowed);
    assert_eq!(within.limit.expect("the limit").amount, Some(Amount::Max(10)));
    assert_eq!(within.smallest_plan_id.as_deref(), Some("elite_nivel_1"));
    let beyond = service.check(&ana.uid, "whatsapp_groups", 11).await.expect("an answer");
    assert!(!beyond.allowed);
    assert_eq!(beyond.smallest_plan_id.as_deref(), Some("elite_nivel_2"));
    let more = service.check(&ana.uid, "whatsapp_groups", i64::MAX).await.expect("an answer");
    assert_eq!((more.allowed, more.smallest_plan_id.as_deref()), (false, Some("elite_nivel_4")));
    let none = service.check(&ana.uid, "whatsapp_numbers", 1_000_000).await.expect("an answer");
    assert_eq!((none.allowed, none.smallest_plan_id), (false, None));

    for (resource, wanted) in [("grupos", 1), ("", 1), ("whatsapp_groups", -1)] {
        let refused = service.check(&ana.uid, resource, wanted).await.expect_err("refused");
        assert_eq!(reason(&refused), "INVALID_ARGUMENT");
    }
    let nobody = service.check("usr_de_ninguem", "queues", 1).await.expect_err("an unknown uid");
    assert_eq!(reason(&nobody), "USER_NOT_FOUND");
}
