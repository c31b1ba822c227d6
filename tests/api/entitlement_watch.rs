//! WatchEntitlements: a watcher receives every change exactly once.

use e2e::watch::{self, ReceivedChange, ReconnectingWatcher};
use e2e::{App, Person, eventually};
use tonic::Code;
use tonic_types::StatusExt as _;

const CARD_OF_ONE_CHARGE: &str = "4000000000000341";
const GOOD_CARD: &str = "4242424242424242";
const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

#[tokio::test(flavor = "multi_thread")]
async fn a_watcher_cut_off_at_random_sees_each_change_once_even_over_server_crashes() {
    let mut app = App::start().await;
    let provider = app.provider();
    let service = app.service("billing.read").await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let eva = app.visitor().signs_up(&Person::new()).await;
    let (states, start) = watch::present(app.internal_url(), &service, &[]).await;
    assert_eq!(states.len(), 2);
    assert!(
        states
            .iter()
            .all(|state| (state.plan.as_str(), state.status.as_str()) == ("profissional", "trialing"))
    );
    let mut watcher =
        ReconnectingWatcher::from(start.clone(), vec![app.internal_url().to_owned()], service.clone());

    let session = ana.opens_checkout("Elite Nível 2", "month").await;
    provider.pays_by_card(&session, CARD_OF_ONE_CHARGE).await;
    let ends = ana.becomes_active().await["subscription_end"].as_i64().expect("an end");
    app.dies_and_restarts().await;
    // Eva's trial ends without any call.
    walks(&app, &mut watcher, provider.now().await + 8 * DAY).await;
    eventually("eva is free", || async { ends_with(&watcher, &eva.uid, "free", "free") }).await;
    walks(&app, &mut watcher, ends + HOUR + MINUTE).await;
    eventually("ana is suspended", || async { ends_with(&watcher, &ana.uid, "free", "suspended") }).await;
    app.dies_and_restarts().await;
    provider.takes_card_in_portal(&ana.portal().await, GOOD_CARD).await;
    eventually("ana is back", || async { ends_with(&watcher, &ana.uid, "elite_nivel_2", "active") }).await;

    let seen = watcher.seen();
    let places: Vec<_> = seen.iter().map(place).collect();
    assert!(places.is_sorted_by(|a, b| a < b), "in order, and nothing twice: {seen:?}");
    let (middle, last) = (&seen[seen.len() - 2], &seen[seen.len() - 1]);
    let again = watch::replay(app.internal_url(), &service, &middle.cursor, &last.cursor).await;
    assert_eq!(again, seen[seen.len() - 1..]);
    let of = |uid: &str| {
        let mut states: Vec<_> = seen
            .iter()
            .filter(|change| change.uid == uid)
            .map(|change| (&*change.plan, &*change.status))
            .collect();
        states.dedup();
        states
    };
    assert_eq!(of(&eva.uid), [("free", "free")]);
    assert_eq!(
        of(&ana.uid),
        [("elite_nivel_2", "active"), ("free", "suspended"), ("elite_nivel_2", "active")]
    );
}

/// Moves the clock in steps shorter than the lifetime of a cursor.
async fn walks(app: &App, watcher: &mut ReconnectingWatcher, to: i64) {
    while app.provider().now().await < to {
        let step = (to - app.provider().now().await).min(5 * DAY);
        app.provider().advances_kept(step).await;
        watcher.wait_for_new_cursor().await;
    }
}

/// Position of a change in the feed.
fn place(change: &ReceivedChange) -> i64 {
    let seq = change.cursor.split('.').next().expect("a cursor");
    i64::from_str_radix(seq, 16).expect("a cursor of ours")
}

fn ends_with(watcher: &ReconnectingWatcher, uid: &str, plan: &str, status: &str) -> Option<()> {
    let seen = watcher.seen();
    let change: &ReceivedChange = seen.iter().rfind(|change| change.uid == uid)?;
    (change.plan == plan && change.status == status).then_some(())
}

#[tokio::test]
async fn a_deleted_account_leaves_the_watch_and_old_or_invalid_cursors_are_refused() {
    let app = App::start().await;
    let service = app.service("billing.read").await;
    let person = Person::new();
    let ana = app.visitor().signs_up(&person).await;
    let (_, start) = watch::present(app.internal_url(), &service, &[&ana.uid]).await;

    app.users()
        .await
        .delete_my_account(ana.authorized(garimpo_proto::users::v1::DeleteMyAccountRequest {
            password: person.password.clone(),
        }))
        .await
        .expect("the account ends");

    let mut stream =
        watch::open(app.internal_url(), &service, &[&ana.uid], Some(start.clone())).await.expect("opens");
    let mut gone = stream.message().await.expect("an open stream").expect("a message");
    while gone.uid.is_empty() {
        gone = stream.message().await.expect("an open stream").expect("a message");
    }
    assert_eq!((gone.uid.as_str(), gone.entitlements), (ana.uid.as_str(), None));
    let (states, _) = watch::present(app.internal_url(), &service, &[]).await;
    assert!(states.iter().all(|state| state.uid != ana.uid));

    let refused = |cursor: &str| {
        let (url, service, cursor) = (app.internal_url().to_owned(), service.clone(), cursor.to_owned());
        async move { watch::open(&url, &service, &[], Some(cursor)).await.expect_err("refused") }
    };
    assert_eq!(refused("amanhã").await.code(), Code::InvalidArgument);
    app.provider().advances_kept(8 * DAY).await;
    let old = refused(&start).await;
    assert_eq!(old.code(), Code::FailedPrecondition);
    assert_eq!(old.get_details_error_info().expect("a reason").reason, "CURSOR_EXPIRED");
}

#[tokio::test]
async fn a_watch_needs_the_scope_known_uids_and_a_free_watch_of_its_token() {
    let app = App::start_with(&[("GARIMPO_LIMIT_WATCHES_TOKEN", "2")]).await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let url = app.internal_url();

    let code = |answer: Result<_, tonic::Status>| answer.map(drop).err().map(|status| status.code());
    assert_eq!(code(watch::open(url, &app.visitor(), &[], None).await), Some(Code::Unauthenticated));
    assert_eq!(code(watch::open(url, &ana, &[], None).await), Some(Code::PermissionDenied));
    let other = app.service("users.read").await;
    assert_eq!(code(watch::open(url, &other, &[], None).await), Some(Code::PermissionDenied));
    let outside = watch::open(app.url(), &other, &[], None).await.map(drop).expect_err("not the public port");
    assert_eq!(outside.code(), Code::Unimplemented);
    assert_eq!(outside.get_details_error_info().expect("a reason").reason, "UNIMPLEMENTED");
    let service = app.service("billing.read").await;
    let mut stream = watch::open(url, &service, &["ninguem"], None).await.expect("opens");
    let unknown = stream.message().await.expect_err("an unknown uid");
    assert_eq!(unknown.code(), Code::NotFound);
    let many: Vec<_> = (0..1_001).map(|n| format!("u{n}")).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    assert_eq!(code(watch::open(url, &service, &many, None).await), Some(Code::InvalidArgument));
    let long = "u".repeat(10_000);
    assert_eq!(code(watch::open(url, &service, &[&long], None).await), Some(Code::InvalidArgument));

    let first = watch::open(url, &service, &[], None).await.expect("opens");
    let _second = eventually("those that were refused left", || async {
        watch::open(url, &service, &[], None).await.ok()
    })
    .await;
    let third = watch::open(url, &service, &[], None).await.expect_err("two are open");
    assert_eq!(third.code(), Code::ResourceExhausted);
    let denied = app.metric(r#"garimpo_denials_total{reason="too_many_watches",port="internal"}"#).await;
    assert!(denied.is_some_and(|count| count.parse::<u64>().is_ok_and(|count| count >= 1)));
    drop(first);
    eventually("the place is free", || async { watch::open(url, &service, &[], None).await.ok() }).await;
}

#[tokio::test]
async fn a_watch_reports_changes_by_calls_in_order_and_changes_by_time_once_each() {
    let app = App::start().await;
    let service = app.service("billing.read").await;
    let mut stream = watch::open(app.internal_url(), &service, &[], None).await.expect("opens");
    while stream.message().await.expect("an open stream").expect("a message").cursor.is_empty() {}

    let mut people = Vec::new();
    for _ in 0..3 {
        let who = app.visitor().signs_up(&Person::new()).await;
        let change = watch::next(&mut stream).await;
        assert_eq!((&change.uid, change.status.as_str()), (&who.uid, "trialing"));
        people.push(who.uid);
    }
    app.provider().advances_kept(7 * DAY + MINUTE).await;
    let mut over = Vec::new();
    for _ in 0..3 {
        let change = watch::next(&mut stream).await;
        assert_eq!((change.plan.as_str(), change.status.as_str()), ("free", "free"), "the trial is over");
        over.push(change.uid);
    }
    over.sort();
    people.sort();
    assert_eq!(over, people, "of each once");
}
