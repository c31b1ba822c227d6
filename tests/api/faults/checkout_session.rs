//! Checkout sessions that expire, and prices that change during them.

use e2e::visitor::session_id;
use e2e::{App, ledger};
use garimpo_proto::billing::v1::CreateCheckoutSessionRequest;
use tonic_types::StatusExt;

use super::{GOOD_CARD, somebody};

#[tokio::test]
async fn a_checkout_session_expires_after_24_hours_and_the_choice_opens_another() {
    let app = App::start().await;
    let ana = somebody(&app).await;
    let session = ana.opens_checkout("Elite Nível 2", "anual").await;

    app.provider().advances_days(1).await;
    app.provider().advances(60).await;

    let path = format!("/session-status?session_id={session}");
    assert_eq!(app.visitor().calls("GET", &path, None).await.body["status"], "expired");
    assert_ne!(
        app.provider().pays_by_card(&session, GOOD_CARD).await,
        200,
        "an expired session cannot be paid"
    );
    let again = ana.opens_checkout("Elite Nível 2", "anual").await;
    assert_ne!(again, session);
    app.provider().pays_by_card(&again, GOOD_CARD).await;
    ana.becomes_active().await;
    ledger::eventually_agrees(&app.provider(), &ana).await;
}

#[tokio::test]
async fn paying_an_old_tab_after_thirty_minutes_expires_the_newer_session() {
    let app = App::start().await;
    let ana = somebody(&app).await;
    let old = ana.opens_checkout("Elite Nível 1", "mensal").await;
    app.provider().advances(31 * 60).await;
    let new = ana.opens_checkout("Elite Nível 1", "mensal").await;
    assert_ne!(old, new);

    assert_eq!(app.provider().pays_by_card(&old, GOOD_CARD).await, 200);

    ana.becomes_active().await;
    ledger::eventually_agrees(&app.provider(), &ana).await;
    assert_eq!(ana.checkout(&new).await.unwrap().status, "expired");
    assert_ne!(app.provider().pays_by_card(&new, GOOD_CARD).await, 200);
}

#[tokio::test]
async fn a_price_changed_by_the_end_of_a_campaign_is_refused_and_creates_no_customer() {
    let app = App::start_with(&[
        ("GARIMPO_BLACK_NOVEMBER", "auto"),
        ("GARIMPO_SANDBOX_CLOCK", "2026-11-30T20:00:00-03:00"),
    ])
    .await;
    let ana = somebody(&app).await;
    let request = |coupon: &str, shown: i64| CreateCheckoutSessionRequest {
        email: ana.email.clone(),
        plan_name: "Elite Nível 1".into(),
        interval: "month".into(),
        coupon_id: coupon.into(),
        shown_price_centavos: Some(shown),
        ..Default::default()
    };
    // Beyond the campaign and its tolerance of a day.
    app.provider().advances_days(2).await;
    let mut billing = ana.billing().await;

    let refused = billing.create_checkout_session(ana.authorized(request("", 9_790))).await.unwrap_err();
    let late = billing.create_checkout_session(ana.authorized(request("blacknovember", 9_790))).await;

    let info = refused.get_details_error_info().expect("ErrorInfo");
    assert_eq!((info.reason.as_str(), info.metadata["price_centavos"].as_str()), ("PRICE_CHANGED", "19790"));
    let late = late.unwrap_err().get_details_error_info().expect("ErrorInfo");
    assert_eq!(late.reason, "COUPON_NOT_APPLICABLE");
    assert!(app.provider().list(&format!("/v1/customers?email={}", ana.email)).await.is_empty());
    let accepted = billing.create_checkout_session(ana.authorized(request("", 19_790))).await.unwrap();
    let session = session_id(&accepted.into_inner().client_secret);
    app.provider().pays_by_card(&session, GOOD_CARD).await;
    ana.becomes_active().await;
    ledger::eventually_agrees(&app.provider(), &ana).await;
}
