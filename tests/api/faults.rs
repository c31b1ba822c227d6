//! Faults during a payment. Each test ends with a comparison of the provider's ledger and ours.

mod boleto;
mod card;
mod checkout_session;
mod provider;
mod two_purchases;
mod webhook_events;

use e2e::provider::Provider;
use e2e::{Answer, App, Person, Visitor};
use serde_json::json;

/// Every charge succeeds.
const GOOD_CARD: &str = "4242424242424242";
/// The first charge succeeds, and every renewal is declined.
const CARD_OF_ONE_CHARGE: &str = "4000000000000341";

/// A new account.
async fn somebody(app: &App) -> Visitor {
    app.visitor().signs_up(&Person::new()).await
}

/// Opens a checkout as the page does, and returns the response.
async fn asks(who: &Visitor, plan: &str, interval: &str) -> Answer {
    let body = json!({ "email": who.email, "planName": plan, "interval": interval });
    who.calls("POST", "/create-embedded-checkout-session", Some(body)).await
}

/// Retries until a checkout opens, once the fault has ended, and returns its session id.
async fn open_after_fault(who: &Visitor, plan: &str, interval: &str) -> String {
    let secret = e2e::eventually("a checkout after the fault", || async {
        let answer = asks(who, plan, interval).await;
        (answer.status == 200).then(|| answer.body["clientSecret"].as_str().expect("a secret").to_owned())
    })
    .await;
    e2e::visitor::session_id(&secret)
}

/// The object of a session at the provider.
async fn session_of(provider: &Provider, session: &str) -> serde_json::Value {
    provider.object(&format!("/v1/checkout/sessions/{session}")).await
}

/// Waits until the record has this status.
async fn wait_for_status(who: &Visitor, status: &str) {
    e2e::eventually(status, || async { (who.record().await["subscription_status"] == status).then_some(()) })
        .await;
}
