//! Lost disks with a replica during purchases: every payer whose payment the provider acknowledged
//! is active again automatically, and refused payers are printed.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use e2e::{App, Person, soak};
use futures::future::join_all;
use garimpo_proto::auth::v1::SignInRequest;
use rand::Rng as _;
use serde_json::Value;

use super::adoption::recover_password;

const CARD: &str = "4242424242424242";
/// Simultaneous buyers of a round.
const BUYERS: usize = 4;
/// Time after which the event list shows all events of a round.
const EVENTS_AGE_SECONDS: i64 = 15 * 60;

#[tokio::test]
async fn every_payer_is_active_again_after_lost_disks_with_a_replica() {
    let mut app = App::start().await;
    if app.database_url().is_some() {
        // A replica copies the log of the embedded database.
        return;
    }
    let rounds = soak::number("GARIMPO_SOAK_DISKS", if soak::is_long() { 100 } else { 3 });
    let seed = soak::seed();
    eprintln!("GARIMPO_SOAK_SEED={seed} GARIMPO_SOAK_DISKS={rounds}");
    app.visitor().signs_up(&Person::new()).await;
    let (mut lost, mut payers) = (0, 0);
    for round in 0..rounds {
        let people: Vec<_> = (0..BUYERS).map(|_| Person::new()).collect();
        let copies = copies_under_purchases(&app, &people).await;
        // The replica is behind by a random time, and in the first round by all purchases.
        let behind = if round == 0 { 1 } else { copies.len() };
        let copy = &copies[soak::random(seed, round).random_range(0..behind)];

        app.loses_disk(copy).await;

        for copy in &copies {
            std::fs::remove_file(copy).expect("the copy is there");
        }
        app.provider().advances_kept(EVENTS_AGE_SECONDS).await;
        for person in &people {
            let request = SignInRequest { email: person.email.clone(), password: person.password.clone() };
            let who = if app.auth().await.sign_in(request).await.is_ok() {
                app.visitor().signs_in(person).await
            } else {
                lost += 1;
                recover_password(&app, person).await
            };
            who.becomes_active().await;
            payers += 1;
        }
    }
    // After an hour the doctor names a payer whose adoption never ran.
    app.provider().advances_kept(2 * 3600).await;
    let refused = refused(&app).await;
    eprintln!("{payers} payers, {lost} of them lost with {rounds} disks; refused: {refused:?}");
    assert!(lost > 0, "no round lost an account");
    assert_eq!(refused, [] as [String; 0]);
    let compared = app.admin(&["reconcile"]).await;
    assert_eq!(compared.code, 0, "{compared:?}");
}

/// Lets people buy while a replica copies the database again and again. It ends when the provider
/// has acknowledged the last payment, which the product may not know yet.
async fn copies_under_purchases(app: &App, people: &[Person]) -> Vec<String> {
    let (is_over, copies) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let replica = async {
        while !is_over.load(Ordering::Relaxed) {
            let file = app.folder(&format!(".replica-{:016x}", rand::random::<u64>()));
            let file = file.to_str().expect("UTF-8").to_owned();
            app.executes(&format!("VACUUM INTO '{file}'")).await;
            copies.lock().expect("no holder panics").push(file);
        }
    };
    let purchases = async {
        let first = || async { (!copies.lock().expect("no holder panics").is_empty()).then_some(()) };
        e2e::eventually("the first copy", first).await;
        join_all(people.iter().map(|person| async move {
            let buyer = app.visitor().signs_up(person).await;
            let session = buyer.opens_checkout("Elite Nível 2", "semestral").await;
            assert_eq!(app.provider().pays_by_card(&session, CARD).await, 200);
        }))
        .await;
        is_over.store(true, Ordering::Relaxed);
    };
    tokio::join!(replica, purchases);
    copies.into_inner().expect("no holder panics")
}

/// Payers whose adoption was refused, as the doctor names them.
async fn refused(app: &App) -> Vec<String> {
    let ran = app.admin(&["doctor", "--json"]).await;
    let checked: Vec<Value> = serde_json::from_str(&ran.stdout).expect("JSON");
    let rule = checked.iter().find(|one| one["invariant"] == "payer_without_account").expect("it is checked");
    let findings = rule["findings"].as_array().expect("findings");
    findings.iter().map(|found| found["what"].as_str().expect("a text").to_owned()).collect()
}
