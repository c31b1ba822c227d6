//! The clock: 35 days with a renewal and a boleto's expiry, and followers that come and go.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{World, client};

type Taken = Arc<Mutex<Vec<(u64, String)>>>;

/// Follows the clock as a server does, until it is aborted. Records the states that it received.
fn follow(url: String, name: &'static str) -> (tokio::task::JoinHandle<()>, Taken) {
    let taken = Taken::default();
    let notes = taken.clone();
    let task = tokio::spawn(async move {
        let http = client();
        let mut query = format!("{url}/clock?follower={name}");
        loop {
            let Ok(answer) = http.get(&query).send().await else { return };
            let Ok(body) = answer.json::<Value>().await else { return };
            let revision = body["revision"].as_u64().unwrap();
            notes.lock().unwrap().push((revision, body["now"].as_str().unwrap().to_owned()));
            query = format!("{url}/clock?follower={name}&after={revision}");
        }
    });
    (task, taken)
}

#[tokio::test]
async fn thirty_five_days_process_a_renewal_and_a_boleto_expiry_in_order() {
    let world = World::start().await;
    let (renewing, waiting) = (world.session().await, world.session().await);
    world.pay_by_card(&renewing, "4242424242424242").await;
    world.issue_boleto(&waiting).await;
    let (first, taken) = follow(world.url.clone(), "servidor-1");
    let (second, _) = follow(world.url.clone(), "servidor-2");
    crate::support::eventually("the follower has connected", || !taken.lock().unwrap().is_empty()).await;
    let last_taken = {
        let notes = taken.clone();
        move || notes.lock().unwrap().last().unwrap().0
    };

    // The second follower is aborted half way: the advance waits for it once, and continues.
    let killer = tokio::spawn(async move {
        crate::support::eventually("half way", || last_taken() >= 3).await;
        second.abort();
    });
    let answer = world.advance_days(35).await;
    killer.await.unwrap();

    let renewed = world.reread(&renewing, "expand[]=subscription.latest_invoice").await;
    let expired = world.reread(&waiting, "expand[]=subscription").await;
    assert_eq!(answer["pending"], 0);
    let fell_silent = answer["fell_silent"].as_array().unwrap();
    let times = fell_silent.iter().filter(|name| *name == "servidor-2").count();
    assert!(times <= 1, "it was waited for {times} times");
    assert_eq!(renewed["subscription"]["status"], "active");
    assert_eq!(renewed["subscription"]["latest_invoice"]["billing_reason"], "subscription_cycle");
    assert_eq!(renewed["subscription"]["latest_invoice"]["amount_paid"], 21_790);
    assert_eq!(expired["subscription"]["status"], "incomplete_expired");
    let types = world.hooks.types();
    let at = |kind: &str| types.iter().position(|name| name == kind).unwrap();
    let renewal = types.iter().rposition(|name| name == "invoice.paid").unwrap();
    assert!(at("checkout.session.async_payment_failed") < renewal);
    let notes = taken.lock().unwrap().clone();
    assert!(notes.windows(2).all(|pair| pair[0].1 < pair[1].1), "time moves only forward: {notes:?}");
    // The clock stopped at the boleto's due date, at the period's end and when the draft was
    // finalized.
    let days: Vec<&str> = notes.iter().map(|(_, now)| &now[..10]).collect();
    for day in ["2026-12-03", "2026-12-30", "2027-01-04"] {
        assert!(days.contains(&day), "{day} in {days:?}");
    }
    first.abort();
}

#[tokio::test]
async fn a_shutdown_answers_a_waiting_clock_follower_at_once() {
    let mut world = World::start().await;
    let revision = world.get("/clock").await["revision"].as_u64().unwrap();
    let query = format!("{}/clock?follower=servidor-1&after={revision}", world.url);
    let waiting = tokio::spawn(async move { client().get(query).send().await.unwrap().status() });
    let home = format!("{}/", world.url);
    let deadline = Instant::now() + Duration::from_secs(5);
    while !client().get(&home).send().await.unwrap().text().await.unwrap().contains("servidor-1") {
        assert!(Instant::now() < deadline, "the follower has not connected");
    }

    world.sandbox.take().unwrap().stop().await;

    let answered = tokio::time::timeout(Duration::from_secs(5), waiting)
        .await
        .expect("an answer before the 20 s of the poll");
    assert_eq!(answered.unwrap(), 200);
}

#[tokio::test]
async fn the_clock_moves_only_forward_and_keeps_its_time_over_a_restart() {
    let mut world = World::start().await;

    let start = world.get("/clock").await;
    let (_, moved) = world.json("POST", "/clock", json!({"set": "2027-03-01T12:00:00Z"})).await;
    let (_, spared) =
        world.json("POST", "/clock", json!({"advance_seconds": 90, "keep_sessions": true})).await;
    let back = world.json("POST", "/clock", json!({"set": "2027-02-01T12:00:00Z"})).await;
    let nonsense = world.json("POST", "/clock", json!({"advance_seconds": -1})).await;
    world.crash_and_restart().await;
    let after = world.get("/clock").await;

    assert!(start["now"].as_str().unwrap().starts_with("2026-11-30T00:53"));
    assert!(moved["now"].as_str().unwrap().starts_with("2027-03-01T12:00:0"));
    assert_eq!((moved["spared_seconds"].as_i64(), spared["spared_seconds"].as_i64()), (Some(0), Some(90)));
    assert_eq!((back.0, nonsense.0), (400, 400));
    assert!(after["now"].as_str().unwrap() > spared["now"].as_str().unwrap());
    assert_eq!(after["revision"], spared["revision"]);
    assert_eq!(after["spared_seconds"], 90);
}

#[tokio::test]
async fn an_advance_stops_at_the_due_time_that_a_follower_announced() {
    let world = World::start().await;
    let url = format!("{}/clock?follower=f", world.url);
    let due = "2026-12-05T10:00:00Z";
    let announced = client().get(format!("{url}&next_due={due}")).send().await.unwrap();
    let revision = announced.json::<Value>().await.unwrap()["revision"].as_u64().unwrap();
    let poll = tokio::spawn(client().get(format!("{url}&after={revision}&next_due={due}")).send());
    tokio::task::yield_now().await;

    let walking = tokio::spawn({
        let url = world.url.clone();
        async move { client().post(format!("{url}/clock")).body(r#"{"advance_seconds": 864000}"#).send().await }
    });
    let stood = poll.await.unwrap().unwrap().json::<Value>().await.unwrap();
    walking.await.unwrap().unwrap();

    assert!(stood["now"].as_str().unwrap().starts_with("2026-12-05T10:00:00"), "{stood}");
}

#[tokio::test]
async fn a_declined_renewal_is_past_due_then_retried_then_canceled() {
    let world = World::start().await;
    let session = world.session().await;
    world.pay_by_card(&session, "4000000000000341").await;

    world.advance_days(31).await;
    let late = world.reread(&session, "expand[]=subscription.latest_invoice").await;
    world.advance_days(20).await;
    let over = world.reread(&session, "expand[]=subscription").await;

    assert_eq!(late["subscription"]["status"], "past_due");
    assert_eq!(late["subscription"]["latest_invoice"]["status"], "open");
    assert_eq!(over["subscription"]["status"], "canceled");
    assert_eq!(over["subscription"]["cancellation_details"]["reason"], "payment_failed");
    assert_eq!(world.hooks.count("invoice.payment_failed"), 4);
}

#[tokio::test]
async fn a_cancellation_at_period_end_can_be_undone_and_takes_effect_at_the_end() {
    let world = World::start().await;
    let session = world.session().await;
    world.pay_by_card(&session, "4242424242424242").await;
    let path =
        format!("/v1/subscriptions/{}", world.reread(&session, "").await["subscription"].as_str().unwrap());

    let wished = world.post(&path, "cancel_at_period_end=true").await;
    let undone = world.post(&path, "cancel_at_period_end=false").await;
    world.post(&path, "cancel_at_period_end=true").await;
    world.advance_days(31).await;
    let over = world.get(&path).await;

    assert!(wished["cancel_at"].is_i64());
    assert_eq!(
        (undone["cancel_at_period_end"].as_bool(), undone["cancel_at"].is_null()),
        (Some(false), true)
    );
    assert_eq!(over["status"], "canceled");
    assert_eq!(world.hooks.count("customer.subscription.deleted"), 1);
}

#[tokio::test]
async fn a_renewal_by_boleto_issues_a_new_boleto() {
    let world = World::start().await;
    let session = world.session().await;
    world.issue_boleto(&session).await;
    let pay = format!("/_test/boletos/{}/pay", crate::support::id(&session));
    world.json("POST", &pay, Value::Null).await;

    world.advance_days(31).await;
    let renewing = world.reread(&session, "expand[]=subscription.latest_invoice").await;
    let (status, _) = world.json("POST", &pay, Value::Null).await;
    let renewed = world.reread(&session, "expand[]=subscription.latest_invoice").await;

    assert_eq!(renewing["subscription"]["latest_invoice"]["status"], "open");
    assert_eq!(renewing["subscription"]["status"], "active");
    assert_eq!(status, 200);
    assert_eq!(renewed["subscription"]["latest_invoice"]["status"], "paid");
    assert_eq!(renewed["subscription"]["latest_invoice"]["amount_paid"], 21_790);
}
