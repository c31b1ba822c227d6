//! Everything that can go wrong in a payment. Each case ends in the agreement of both sides' books.

mod boleto;
mod cartao;
mod duas_compras;
mod eventos;
mod provedor;
mod sessao;

use e2e::provider::Provider;
use e2e::{Answer, App, Person, Visitor};
use serde_json::json;

/// Pays at once.
const GOOD_CARD: &str = "4242424242424242";
/// Pays the first time; every renewal is declined.
const DYING_CARD: &str = "4000000000000341";

/// A new account.
async fn somebody(app: &App) -> Visitor {
    app.visitor().signs_up(&Person::new()).await
}

/// Asks for a checkout as the page does, and answers whatever comes.
async fn asks(who: &Visitor, plan: &str, interval: &str) -> Answer {
    let body = json!({ "email": who.email, "planName": plan, "interval": interval });
    who.calls("POST", "/create-embedded-checkout-session", Some(body)).await
}

/// Asks until a checkout opens, once the fault is over; answers its session.
async fn opens_again(who: &Visitor, plan: &str, interval: &str) -> String {
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

/// Waits until the record shows this status.
async fn shows_status(who: &Visitor, status: &str) {
    e2e::eventually(status, || async { (who.record().await["subscription_status"] == status).then_some(()) })
        .await;
}
