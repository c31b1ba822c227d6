//! `garimpo admin provider rehearse` against the sandbox, with every value of its switches.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use e2e::TestAccount;
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Each assumption that needs a browser.
const IN_BROWSER: [&str; 4] = [
    "authentication-confirms-the-same-intent",
    "checkout-card-on-subscription",
    "portal-card-on-customer",
    "portal-leaves-invoices-open",
];
/// The assumptions that no rehearsal can check, and the one that needs a database.
const UNCHECKED: [&str; 5] = [
    "boleto-is-confirmed-a-business-day-later",
    "key-is-of-the-stored-account",
    "networks-renew-cards",
    "search-finds-within-a-minute",
    "webhooks-come-again-for-three-days",
];
/// Rehearsals at the same time: each mostly waits for the provider's clocks.
const AT_ONCE: usize = 4;

/// Effect of a sandbox switch on the report of a rehearsal.
#[derive(Clone, Copy)]
enum Effect {
    /// This assumption differs, and no other.
    Line(&'static str),
    /// No assumption differs, for this reason.
    Nothing(&'static str),
}

/// Each sandbox switch, its other values, and their effect.
fn switches() -> Vec<(&'static str, Vec<Value>, Effect)> {
    use Effect::{Line, Nothing};
    vec![
        ("coupon_rounding", vec![json!("half_even"), json!("down")], Line("percent-coupon-rounds-half-up")),
        ("portal_card", vec![json!("customer_and_subscriptions")], Line("portal-card-on-customer")),
        ("portal_pays_open_invoices", vec![json!(true)], Line("portal-leaves-invoices-open")),
        (
            "cancellation_stops",
            vec![json!("subscription")],
            Line("cancellation-stops-the-customers-collection"),
        ),
        (
            "authentication_status",
            vec![json!("requires_payment_method")],
            Line("authentication-waits-as-requires-action"),
        ),
        (
            "authentication_events",
            vec![json!("action_required"), json!("payment_failed")],
            Line("authentication-sends-both-events"),
        ),
        ("retry_schedule", vec![json!("smart"), json!("none")], Line("retries-after-3-5-7-days")),
        ("retry_end", vec![json!("unpaid"), json!("past_due")], Line("retries-end-in-cancellation")),
        ("retry_intent", vec![json!("new")], Line("retries-use-one-payment-intent")),
        ("boleto_incomplete", vec![json!("after_23_hours")], Line("boleto-waits-while-incomplete")),
        ("boleto_without_reissue", vec![json!(true)], Line("renewal-boleto-is-reissued")),
        (
            "boleto_confirmation",
            vec![json!("next_business_day_after_expiry"), json!("next_business_day")],
            Nothing("test mode confirms at once, and the product takes a confirmation at any time"),
        ),
        ("trial_uses_once_coupon", vec![json!(true)], Line("trial-keeps-the-once-coupon")),
        ("void_reactivates", vec![json!(true)], Line("void-keeps-past-due")),
        ("events_omit_test_clocks", vec![json!(true)], Line("events-have-test-clocks")),
        ("search_delay_ms", vec![json!(500)], Nothing("the product reads by ids and lists, never by search")),
        ("unknown_customer", vec![json!("refused")], Line("unknown-customer-has-an-empty-list")),
        (
            "deleted_customer",
            vec![json!("listed"), json!("refused")],
            Line("deleted-customer-cannot-be-expanded"),
        ),
        ("other_account", vec![json!(true)], Line("key-is-of-the-stored-account")),
        // With the third value no rehearsal starts:
        // `a_key_that_cannot_read_the_balance_starts_no_rehearsal`.
        (
            "key_reads",
            vec![json!("account_refused_by_name"), json!("account_refused")],
            Line("key-reads-its-account"),
        ),
    ]
}

/// The ids of the assumptions with this outcome, sorted.
fn ids(report: &Value, outcome: &str) -> Vec<String> {
    let all = report["assumptions"].as_array().unwrap_or_else(|| panic!("{report}"));
    let mut ids: Vec<_> = all
        .iter()
        .filter(|assumption| assumption["outcome"] == outcome)
        .map(|assumption| assumption["id"].as_str().expect("an id").to_owned())
        .collect();
    ids.sort();
    ids
}

#[tokio::test]
async fn a_rehearsal_confirms_each_assumption_and_leaves_nothing() {
    let account = TestAccount::start().await;

    let (code, report) = account.rehearses_in_browser(&[]).await;

    assert_eq!(ids(&report, "differs"), [""; 0], "{report:#}");
    assert_eq!(ids(&report, "not_checked"), UNCHECKED, "{report:#}");
    assert_eq!((code, &report["error"], &report["not_removed"]), (0, &Value::Null, &json!([])), "{report:#}");
    assert_eq!(account.leftovers().await, TestAccount::nothing());
    assert_eq!(account.files(), [""; 0], "a rehearsal needs no database");
}

#[tokio::test]
async fn a_rehearsal_with_full_stripe_settings_runs_without_a_browser() {
    let mut account = TestAccount::start().await;
    let url = account.url().to_owned();
    account.uses_key(&url, "sk_test_garimpo");

    let ran = account.rehearses(&[]).await;

    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    for id in IN_BROWSER {
        let said =
            format!("not checked  {id}\n             reason    needs a browser: run without --no-browser\n");
        assert!(ran.stdout.contains(&said), "{id}: {}", ran.stdout);
    }
    assert!(ran.stdout.ends_with(" hold, 0 differ, 9 not checked\n"), "{}", ran.stdout);
    assert_eq!(account.leftovers().await, TestAccount::nothing());
}

#[tokio::test]
async fn a_rehearsal_with_a_database_confirms_that_the_key_is_of_its_account() {
    let account = TestAccount::start().await;
    account.adopt().await;

    let ran = account.rehearses(&["--only", "key-is-of-the-stored-account"]).await;

    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    assert!(ran.stdout.starts_with("holds        key-is-of-the-stored-account\n"), "{}", ran.stdout);
}

#[tokio::test]
async fn a_key_and_a_provider_address_are_enough_for_a_rehearsal() {
    let mut account = TestAccount::start().await;
    let url = account.url().to_owned();
    account.uses_only(&[
        ("GARIMPO_PAYMENTS", "stripe"),
        ("GARIMPO_STRIPE_URL", &url),
        ("GARIMPO_STRIPE_SECRET_KEY", "sk_test_garimpo"),
    ]);

    let ran = account.rehearses(&["--only", "amount-coupon-is-exact"]).await;

    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
}

#[tokio::test]
async fn each_sandbox_switch_contradicts_only_its_own_assumption() {
    let known = TestAccount::start().await.provider().object("/_test/behavior").await;
    let mut played: Vec<_> = switches().into_iter().map(|(switch, ..)| switch.to_owned()).collect();
    let mut expected: Vec<_> = known.as_object().expect("an object").keys().cloned().collect();
    played.sort();
    expected.sort();
    assert_eq!(played, expected, "each switch of the sandbox has a row here");

    let settings = switches().into_iter().flat_map(|(switch, values, turns)| {
        values.into_iter().map(move |value| (json!({ switch: value }), turns))
    });
    let outcomes = settings.map(|(behavior, turns)| async move {
        let account = TestAccount::start().await;
        if behavior["other_account"] == true {
            account.adopt().await;
        }
        account.provider().behaves(behavior.clone()).await;
        let (code, report) = account.rehearses_in_browser(&[]).await;
        let differs = match turns {
            Effect::Line(assumption) => vec![assumption],
            Effect::Nothing(_) => vec![],
        };
        let as_expected = ids(&report, "differs") == differs && code == i32::from(!differs.is_empty());
        let left = account.leftovers().await;
        let is_clean = left == TestAccount::nothing();
        (!as_expected || !is_clean).then(|| format!("{behavior}: exit {code}, left {left}, {report:#}"))
    });
    let wrong: Vec<_> = futures::stream::iter(outcomes).buffer_unordered(AT_ONCE).collect().await;

    let wrong: Vec<_> = wrong.into_iter().flatten().collect();
    let reasons = switches().into_iter().filter_map(|(switch, _, turns)| match turns {
        Effect::Nothing(why) => Some(format!("{switch} turns nothing: {why}")),
        Effect::Line(_) => None,
    });
    let reasons: Vec<_> = reasons.collect();
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), reasons.join("\n"));
}

#[tokio::test]
async fn a_difference_reports_the_expected_value_the_seen_value_and_the_meaning() {
    let account = TestAccount::start_with_behavior(&json!({ "coupon_rounding": "half_even" })).await;

    let ran = account.rehearses(&["--only", "percent-coupon-rounds-half-up"]).await;

    assert_eq!(ran.code, 1, "{ran:?}");
    let lines: Vec<_> = ran.stdout.lines().collect();
    assert_eq!(lines[0], "differs      percent-coupon-rounds-half-up");
    assert!(lines[1].starts_with("             expected  15% of R$ 49,90 take R$ 7,49 off"), "{}", lines[1]);
    assert_eq!(lines[2], "             seen      748.5 and 751.5 centavos became 748 and 752 (half to even)");
    assert!(lines[3].starts_with("             meaning   Every monthly price"), "{}", lines[3]);
    assert_eq!(lines[5], "0 hold, 1 differ, 0 not checked");
}

#[tokio::test]
async fn a_live_key_is_refused_by_its_prefix_and_by_its_mode() {
    let (url, calls) = live_provider().await;
    let mut account = TestAccount::start().await;
    for key in ["sk_live_garimpo", "rk_live_garimpo"] {
        account.uses_key(&url, key);

        let ran = account.rehearses(&[]).await;

        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{key}: {ran:?}");
        // The settings refuse it before the rehearsal does, because the address is not Stripe's.
        assert!(
            ran.stderr.contains("GARIMPO_STRIPE_SECRET_KEY: found \"***\"; allowed: a test key"),
            "{ran:?}"
        );
        assert_eq!(*calls.lock().unwrap(), [""; 0], "{key}: no call may leave with it");
    }

    // The prefix can be wrong, but the balance has the key's real mode.
    account.uses_key(&url, "sk_test_garimpo");
    let ran = account.rehearses(&[]).await;

    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("the key is a live key"), "{ran:?}");
    assert_eq!(*calls.lock().unwrap(), ["GET /v1/balance"]);
}

/// A provider in live mode that records its calls.
async fn live_provider() -> (String, Arc<Mutex<Vec<String>>>) {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let app = Router::new().fallback(live_answer).with_state(calls.clone());
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    tokio::spawn(async { axum::serve(listener, app).await });
    (url, calls)
}

async fn live_answer(State(calls): State<Arc<Mutex<Vec<String>>>>, request: Request) -> (StatusCode, String) {
    calls.lock().expect("no test panics with it").push(format!(
        "{} {}",
        request.method(),
        request.uri().path()
    ));
    (StatusCode::OK, json!({ "object": "balance", "livemode": true }).to_string())
}

#[tokio::test]
async fn a_key_that_cannot_read_the_balance_starts_no_rehearsal() {
    let account =
        TestAccount::start_with_behavior(&json!({ "key_reads": "account_and_balance_refused" })).await;

    let ran = account.rehearses(&[]).await;

    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    assert!(ran.stderr.contains("allow it to read Balance"), "{ran:?}");
    assert_eq!(account.leftovers().await, TestAccount::nothing());
}

#[tokio::test]
async fn a_refused_key_is_reported_as_refused() {
    let mut account = TestAccount::start().await;
    let url = account.url().to_owned();
    account.uses_key(&url, "sk_test_outra");

    let ran = account.rehearses(&[]).await;

    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    assert!(ran.stderr.contains("the provider refused the key"), "{ran:?}");
}

#[tokio::test]
async fn the_next_rehearsal_removes_what_a_killed_one_left() {
    let account = TestAccount::start().await;
    let mut rehearsal = account.begins_rehearsal(&["--only", "checkout-card-on-subscription"]);
    rehearsal.asks().await.expect("a link to the checkout");
    rehearsal.dies().await;
    let expected = json!({ "test_clocks": 2, "coupons": 0, "prices": 3, "products": 1, "sessions": 1 });
    assert_eq!(account.leftovers().await, expected);
    let customers = account.customers().await;
    assert_eq!(customers.len(), 2, "{customers:?}");

    let ran = account.rehearses(&["--only", "amount-coupon-is-exact"]).await;

    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(account.leftovers().await, TestAccount::nothing());
    for customer in customers {
        let path = format!("/v1/customers/{}", customer["id"].as_str().unwrap());
        assert_eq!(account.provider().object(&path).await["deleted"], true, "{path}");
    }
}

#[tokio::test]
async fn an_interrupted_rehearsal_removes_what_it_created() {
    let account = TestAccount::start().await;
    for signal in ["INT", "TERM"] {
        let mut rehearsal = account.begins_rehearsal(&["--only", "checkout-card-on-subscription"]);
        rehearsal.asks().await.expect("a link to the checkout");
        rehearsal.send_signal(signal);

        let (code, said) = rehearsal.ends().await;

        assert_eq!(code, 2, "{signal}: {said}");
        assert!(said.contains("interrupted; what was made is removed"), "{signal}: {said}");
        assert_eq!(account.leftovers().await, TestAccount::nothing(), "{signal}");
    }
}

#[tokio::test]
async fn a_second_signal_ends_the_rehearsal_immediately() {
    let account = TestAccount::start().await;
    let mut rehearsal = account.begins_rehearsal(&["--only", "checkout-card-on-subscription"]);
    rehearsal.asks().await.expect("a link to the checkout");
    let removal = json!({ "path": "/v1/test_helpers/test_clocks", "method": "GET", "delay_ms": 30_000 });
    account.provider().add_fault(removal).await;
    rehearsal.send_signal("TERM");
    rehearsal.wait_for_line("stopping: what was made is removed").await;
    rehearsal.send_signal("TERM");

    let (code, said) = rehearsal.ends().await;

    assert_eq!(code, 130, "{said}");
    account.provider().recovers().await;
    let ran = account.rehearses(&["--only", "amount-coupon-is-exact"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(account.leftovers().await, TestAccount::nothing(), "the next one removes the rest");
}

#[tokio::test]
async fn a_missing_permission_or_a_failed_call_is_not_a_difference() {
    let account = TestAccount::start().await;
    for (status, code, reason) in
        [(403, 0, "the key lacks a permission"), (500, 2, "failed: payment provider unavailable")]
    {
        account
            .provider()
            .add_fault(json!({ "path": "/v1/coupons", "method": "POST", "status": status }))
            .await;

        let ran = account
            .rehearses(&["--only", "amount-coupon-is-exact", "--only", "checkout-can-be-expired"])
            .await;

        assert_eq!(ran.code, code, "{status}: {ran:?}");
        assert!(
            ran.stdout
                .contains(&format!("not checked  amount-coupon-is-exact\n             reason    {reason}")),
            "{}",
            ran.stdout
        );
        assert!(ran.stdout.contains("holds        checkout-can-be-expired\n"), "{}", ran.stdout);
        account.provider().recovers().await;
        assert_eq!(account.leftovers().await, TestAccount::nothing());
    }
}

#[tokio::test]
async fn an_unknown_assumption_is_refused_with_the_known_ones() {
    let account = TestAccount::start().await;

    let ran = account.rehearses(&["--only", "nenhuma"]).await;

    assert_eq!((ran.code, ran.stderr.lines().count()), (2, 1), "{ran:?}");
    assert!(
        ran.stderr.contains("unknown assumption nenhuma; allowed are percent-coupon-rounds-half-up, "),
        "{ran:?}"
    );
}
