//! `garimpo admin restore`, and the empty database of a start in the middle of a restore.

use std::path::Path;

use e2e::{App, Person, Visitor};
use garimpo_proto::auth::v1::SignInRequest;
use garimpo_proto::billing::v1::RequestRefundRequest;
use garimpo_proto::users::v1::DeleteMyAccountRequest;
use serde_json::{Value, json};

const CARD: &str = "4242424242424242";
const PLAN: &str = "Elite Nível 2";
const DAY: i64 = 86_400;

async fn subscriber(app: &App, person: &Person) -> Visitor {
    let ana = app.visitor().signs_up(person).await;
    let session = ana.opens_checkout(PLAN, "mensal").await;
    assert_eq!(app.provider().pays_by_card(&session, CARD).await, 200);
    ana.becomes_active().await;
    ana
}

/// Bought by boleto, which is refunded by Pix.
async fn boleto_subscriber(app: &App) -> Visitor {
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout(PLAN, "mensal").await;
    assert_eq!(app.provider().asks_for_boleto(&session).await, 200);
    assert_eq!(app.provider().pays_boleto(&session).await, 200);
    ana.becomes_active().await;
    ana
}

/// Requests the guarantee's refund; returns its protocol.
async fn request_refund(who: &Visitor) -> String {
    let request = who.authorized(RequestRefundRequest { request_id: None });
    who.billing().await.request_refund(request).await.expect("a refund").into_inner().protocol
}

/// The refunds of `garimpo admin refunds list`.
async fn listed_refunds(app: &App) -> Vec<Value> {
    let ran = app.admin(&["refunds", "list", "--json"]).await;
    serde_json::from_str(&ran.stdout).expect("JSON")
}

/// The status of an attempt to open a checkout.
async fn checkout_status(who: &Visitor) -> u16 {
    let body = json!({ "email": who.email, "planName": PLAN, "interval": "mensal" });
    who.calls("POST", "/create-embedded-checkout-session", Some(body)).await.status
}

/// Whether a person can sign in.
async fn can_sign_in(app: &App, person: &Person) -> bool {
    let request = SignInRequest { email: person.email.clone(), password: person.password.clone() };
    app.auth().await.sign_in(request).await.is_ok()
}

/// Refunds at the provider.
async fn refunds(app: &App) -> usize {
    app.provider().list("/v1/refunds").await.len()
}

/// The folders of replaced databases.
fn replaced(app: &App) -> Vec<String> {
    let entries = std::fs::read_dir(app.folder("")).expect("the data folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("replaced-")).collect()
}

/// A backup, and its folder; `None` on PostgreSQL, which has its own tools.
async fn backup_to(app: &App, name: &str) -> Option<String> {
    if app.database_url().is_some() {
        return None;
    }
    let folder = app.folder(name).to_str().expect("UTF-8").to_owned();
    let made = app.admin(&["backup", &folder]).await;
    assert_eq!(made.code, 0, "{made:?}");
    Some(folder)
}

async fn backup(app: &App) -> Option<String> {
    backup_to(app, ".backup").await
}

/// The doctor's rules with findings, without missing payers, whom a job finds later.
async fn violated_rules(app: &App) -> Vec<String> {
    let ran = app.admin(&["doctor", "--json"]).await;
    let mut checked: Vec<Value> = serde_json::from_str(&ran.stdout).expect("JSON");
    checked.retain(|one| one["findings"] != json!([]) && one["invariant"] != "payer_without_account");
    checked.iter().map(|one| one["invariant"].as_str().expect("a name").to_owned()).collect()
}

#[tokio::test]
async fn an_empty_database_beside_payers_sells_nothing_until_the_operator_accepts_it() {
    let mut app = App::start().await;
    if app.database_url().is_some() {
        return;
    }
    let known = Person::new();
    subscriber(&app, &known).await;
    let early = app.admin(&["provider", "accept-empty"]).await;
    assert_eq!((early.code, early.stderr.contains("nothing to accept")), (2, true), "{early:?}");
    app.kill();
    app.loses_database();
    app.restart().await;

    // Everything else works: the new database accepts sign-ups.
    let new = app.visitor().signs_up(&Person::new()).await;
    assert_eq!(checkout_status(&new).await, 503);
    // The stop survives a restart, although the database has an account now.
    app.dies_and_restarts().await;
    assert_eq!(checkout_status(&new).await, 503);
    assert_eq!(violated_rules(&app).await, ["empty_beside_payers"]);
    app.wait_for_metric("garimpo_selling_stopped", "1").await;

    let accepted = app.admin(&["provider", "accept-empty"]).await;

    assert_eq!(accepted.code, 0, "{accepted:?}");
    assert_eq!(violated_rules(&app).await, [""; 0]);
    new.opens_checkout(PLAN, "mensal").await;
    app.dies_and_restarts().await;
    new.opens_checkout(PLAN, "mensal").await;
}

#[tokio::test]
async fn a_restore_after_a_visitor_made_an_empty_shop_brings_everybody_back() {
    let mut app = App::start().await;
    let Some(folder) = backup_after_purchase(&app).await else { return };
    let (folder, mut before, mut late) = folder;
    let lost = subscriber(&app, &Person::new()).await;
    app.kill();
    app.loses_database();
    // A visitor comes between the two commands of a manual restore, so the product creates a
    // database.
    app.restart().await;
    assert_eq!(app.visitor().calls("GET", "/planos", None).await.status, 200);
    app.kill();
    let sandbox = app.sandbox_alone().await;

    let restored = app.admin(&["restore", &folder]).await;

    // All is repaired but what only the lost database had.
    assert!(restored.code == 1 && restored.stdout.contains("; all repaired"), "{restored:?}");
    assert!(restored.stdout.contains("the database in place was another one"), "{restored:?}");
    assert!(restored.stdout.contains("between") && restored.stdout.contains("are not known"), "{restored:?}");
    let adopted = format!("of {}: adopted by the account {}", lost.email, lost.uid);
    assert!(restored.stdout.contains("no_account") && restored.stdout.contains(&adopted), "{restored:?}");
    assert_eq!(replaced(&app).len(), 1, "the empty database is kept");
    drop(sandbox);
    app.restart().await;
    for ana in [&mut before, &mut late] {
        ana.goes_to(app.url());
        ana.becomes_active().await;
    }
    app.wait_for_metric("garimpo_selling_stopped", "0").await;
}

/// A backup, an account that bought before it, and one that signed up before it and pays after it.
async fn backup_after_purchase(app: &App) -> Option<(String, Visitor, Visitor)> {
    let before = subscriber(app, &Person::new()).await;
    let late = app.visitor().signs_up(&Person::new()).await;
    let folder = backup(app).await?;
    let session = late.opens_checkout(PLAN, "mensal").await;
    assert_eq!(app.provider().pays_by_card(&session, CARD).await, 200);
    late.becomes_active().await;
    Some((folder, before, late))
}

#[tokio::test]
async fn a_restore_repeats_deletions_since_the_backup() {
    let mut app = App::start().await;
    let (gone, stays) = (Person::new(), Person::new());
    let bia = subscriber(&app, &gone).await;
    app.visitor().signs_up(&stays).await;
    let Some(folder) = backup(&app).await else { return };
    let delete = DeleteMyAccountRequest { password: gone.password.clone() };
    app.users().await.delete_my_account(bia.authorized(delete)).await.expect("it ends");
    // The refund of the guarantee and the cancellation have reached the provider.
    e2e::eventually("the refund", || async { (refunds(&app).await == 1).then_some(()) }).await;
    app.kill();
    let sandbox = app.sandbox_alone().await;

    let restored = app.admin(&["restore", &folder]).await;

    assert!(restored.stdout.contains(&format!("{} was deleted after the backup", bia.uid)), "{restored:?}");
    drop(sandbox);
    app.restart().await;
    assert!(!can_sign_in(&app, &gone).await);
    app.visitor().signs_in(&stays).await;
    let doctor = app.admin(&["doctor"]).await;
    assert_eq!(doctor.code, 0, "{doctor:?}");
    e2e::eventually("an empty queue", || async {
        let waiting = app.admin(&["jobs", "list", "--kind", "account_erase", "--state", "parked"]).await;
        (waiting.code == 0).then_some(())
    })
    .await;
    assert_eq!(refunds(&app).await, 1, "nothing is refunded twice");
}

#[tokio::test]
async fn a_person_whose_deletion_a_restore_repeats_is_in_no_byte_of_the_database() {
    let mut app = App::start().await;
    let gone = Person { display_name: "Zenobia Quixadense".into(), ..Person::new() };
    let words = [gone.email.as_str(), "Zenobia", "Quixadense"];
    let bia = app.visitor().signs_up(&gone).await;
    let Some(folder) = backup(&app).await else { return };
    let delete = DeleteMyAccountRequest { password: gone.password.clone() };
    app.users().await.delete_my_account(bia.authorized(delete)).await.expect("it ends");
    e2e::eventually("no word of the person is left", || async {
        app.provider().advances_kept(DAY).await;
        app.words_in_database(&words).is_empty().then_some(())
    })
    .await;
    app.kill();
    let sandbox = app.sandbox_alone().await;

    let restored = app.admin(&["restore", &folder]).await;

    assert!(restored.stdout.contains(&format!("{} was deleted after the backup", bia.uid)), "{restored:?}");
    drop(sandbox);
    assert_eq!(app.words_in_database(&words), Vec::<String>::new());
}

#[tokio::test]
async fn a_restore_keeps_the_events_of_a_deleted_account_with_their_jobs() {
    let mut app = App::start().await;
    let gone = Person::new();
    let bia = subscriber(&app, &gone).await;
    let Some(folder) = backup(&app).await else { return };
    // The subscription is canceled, but its event cannot be handled, nor the payment refunded.
    app.provider().add_fault(json!({ "path": "/v1/refunds", "method": "POST", "status": 503 })).await;
    app.provider().add_fault(json!({ "path": "/v1/subscriptions", "method": "GET", "status": 503 })).await;
    let delete = DeleteMyAccountRequest { password: gone.password };
    app.users().await.delete_my_account(bia.authorized(delete)).await.expect("it ends");
    e2e::eventually("the event of the cancellation", || async {
        let arguments = ["events", "list", "--kind", "customer.subscription.deleted", "--state", "waiting"];
        app.admin(&arguments).await.stdout.contains("evt_").then_some(())
    })
    .await;
    app.provider().recovers().await;
    app.kill();
    let sandbox = app.sandbox_alone().await;

    let restored = app.admin(&["restore", &folder]).await;

    assert!(restored.stdout.contains(&format!("{} was deleted after the backup", bia.uid)), "{restored:?}");
    drop(sandbox);
    app.restart().await;
    let doctor = app.admin(&["doctor"]).await;
    assert!(!doctor.stdout.contains("event_has_job"), "{doctor:?}");
    e2e::eventually("the refund", || async { (refunds(&app).await == 1).then_some(()) }).await;
}

#[tokio::test]
async fn a_restore_is_refused_beside_a_running_product_and_for_a_folder_that_is_no_backup() {
    let mut app = App::start().await;
    let person = Person::new();
    app.visitor().signs_up(&person).await;
    let Some(folder) = backup(&app).await else { return };

    let running = app.admin(&["restore", &folder]).await;
    assert_eq!((running.code, running.stderr.contains("another garimpo runs on")), (2, true), "{running:?}");

    let other = App::start_with(&[("GARIMPO_SANDBOX_CLOCK", "2026-10-05T12:00:00Z")]).await;
    other.visitor().signs_up(&Person::new()).await;
    let foreign = backup(&other).await.expect("SQLite");
    app.kill();
    let damaged = app.folder(".damaged");
    std::fs::create_dir(&damaged).expect("made");
    std::fs::write(damaged.join("garimpo.db"), damage(Path::new(&folder))).expect("written");
    for (folder, why) in [
        (foreign.as_str(), "of another database"),
        (damaged.to_str().expect("UTF-8"), "the backup is damaged"),
        ("/nowhere", "has no garimpo.db"),
    ] {
        let sandbox = app.folder("sandbox.db");
        std::fs::rename(&sandbox, app.folder(".sandbox.db")).expect("moved");
        let refused = app.admin(&["restore", folder]).await;
        assert_eq!((refused.code, refused.stderr.contains(why)), (2, true), "{folder}: {refused:?}");
        assert!(!sandbox.exists(), "the sandbox of a refused backup");
        std::fs::rename(app.folder(".sandbox.db"), &sandbox).expect("moved");
    }

    assert_eq!(replaced(&app), [""; 0]);
    app.restart().await;
    app.visitor().signs_in(&person).await;
}

/// A database whose second half is overwritten.
fn damage(folder: &Path) -> Vec<u8> {
    let mut bytes = std::fs::read(folder.join("garimpo.db")).expect("a backup");
    let half = bytes.len() / 2;
    bytes[half..].fill(0x5a);
    bytes
}

#[tokio::test]
async fn a_restore_that_dies_leaves_the_old_or_the_new_database_and_the_next_one_finishes() {
    let mut app = App::start().await;
    let (before, after) = (Person::new(), Person::new());
    app.visitor().signs_up(&before).await;
    let Some(folder) = backup(&app).await else { return };
    for (crash_at, is_old) in
        [("restore.prepared", true), ("restore.kept", true), ("restore.replaced", false)]
    {
        app.visitor().signs_up(&after).await;
        app.kill();

        app.admin_dies(&["restore", &folder], crash_at).await;

        app.restart().await;
        app.visitor().signs_in(&before).await;
        assert_eq!(can_sign_in(&app, &after).await, is_old, "{crash_at}");
        app.kill();
        let sandbox = app.sandbox_alone().await;
        let restored = app.admin(&["restore", &folder]).await;
        assert_eq!(restored.code, 0, "{crash_at}: {restored:?}");
        drop(sandbox);
        let left = app.folder(".garimpo-restore");
        assert!(!left.exists(), "{crash_at}");
        app.restart().await;
        app.visitor().signs_in(&before).await;
        assert!(!can_sign_in(&app, &after).await, "{crash_at}");
    }
    // One replaced database of the run that crashed after replacing, and one of each finished run.
    assert_eq!(replaced(&app).len(), 4);
}

#[tokio::test]
async fn a_restore_keeps_refund_requests_since_the_backup() {
    let mut app = App::start().await;
    let ana = boleto_subscriber(&app).await;
    let Some(folder) = backup(&app).await else { return };
    let protocol = request_refund(&ana).await;
    app.kill();
    let sandbox = app.sandbox_alone().await;

    let restored = app.admin(&["restore", &folder]).await;

    assert_eq!(restored.code, 0, "{restored:?}");
    let taken = "taken over from the replaced database: refund requests and marks: 1";
    assert!(restored.stdout.contains(taken), "{restored:?}");
    let refunds = listed_refunds(&app).await;
    assert_eq!((refunds.len(), &refunds[0]["protocol"]), (1, &json!(protocol)), "{refunds:?}");
    drop(sandbox);
    app.restart().await;
    let mut ana = ana;
    ana.goes_to(app.url());
    assert_eq!(ana.becomes("canceled").await["subscription_active"], false);
    e2e::eventually("the end at the provider", || async {
        let all = app.provider().list("/v1/subscriptions?status=all").await;
        (all[0]["status"] == "canceled").then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_restore_keeps_the_mark_of_a_pix_that_was_paid_since_the_backup() {
    let mut app = App::start().await;
    let ana = boleto_subscriber(&app).await;
    request_refund(&ana).await;
    let Some(folder) = backup(&app).await else { return };
    let id = listed_refunds(&app).await[0]["id"].as_str().expect("an id").to_owned();
    let paid = app.admin(&["refunds", "paid", &id, "--note", "TED do banco"]).await;
    assert_eq!(paid.code, 0, "{paid:?}");
    let marked = backup_to(&app, ".marked").await.expect("SQLite");
    app.kill();
    let sandbox = app.sandbox_alone().await;

    let restored = app.admin(&["restore", &folder]).await;

    assert_eq!(restored.code, 0, "{restored:?}");
    let refunds = listed_refunds(&app).await;
    assert_eq!((&refunds[0]["state"], &refunds[0]["paid_note"]), (&json!("paid"), &json!("TED do banco")));
    // A newer backup over a database whose mark was undone: the operator decides.
    assert_eq!(app.admin(&["refunds", "unpaid", &id]).await.code, 0);
    let restored = app.admin(&["restore", &marked]).await;
    assert_eq!(restored.code, 1, "{restored:?}");
    assert!(restored.stdout.contains(&format!("garimpo admin refunds unpaid {id}")), "{restored:?}");
    assert_eq!(listed_refunds(&app).await[0]["state"], "paid", "a Pix is not paid twice");
    drop(sandbox);
}

#[tokio::test]
async fn a_restore_keeps_rights_that_ended_since_the_backup() {
    let mut app = App::start().await;
    let person = Person::new();
    let ana = subscriber(&app, &person).await;
    let created = app.admin(&["token", "create", "bot", "--scope", "users.read"]).await;
    let id = created.stdout.split(' ').next().expect("an id").to_owned();
    let Some(folder) = backup(&app).await else { return };
    assert_eq!(app.admin(&["token", "revoke", &id]).await.code, 0);
    assert_eq!(app.admin(&["sessions", "end", &ana.uid]).await.code, 0);
    app.kill();
    let sandbox = app.sandbox_alone().await;

    let restored = app.admin(&["restore", &folder]).await;

    drop(sandbox);
    assert_eq!(restored.code, 0, "{restored:?}");
    for taken in ["revoked service tokens: 1", "ended sessions: 1"] {
        assert!(restored.stdout.contains(taken), "{taken}: {restored:?}");
    }
}

#[tokio::test]
async fn a_restore_without_the_database_in_place_names_people_who_deleted_their_account_since_the_backup() {
    let mut app = App::start().await;
    let gone = Person::new();
    let bia = subscriber(&app, &gone).await;
    let customer = format!("/v1/customers/{}", app.provider().customer_of(&gone.email).await);
    let Some(folder) = backup(&app).await else { return };
    let delete = DeleteMyAccountRequest { password: gone.password.clone() };
    app.users().await.delete_my_account(bia.authorized(delete)).await.expect("it ends");
    e2e::eventually("the deletion at the provider", || async {
        app.provider().advances_kept(600).await;
        (app.provider().object(&customer).await["deleted"] == true).then_some(())
    })
    .await;
    app.kill();
    app.loses_database();
    let sandbox = app.sandbox_alone().await;

    let restored = app.admin(&["restore", &folder]).await;

    assert_eq!(restored.code, 1, "{restored:?}");
    for said in [
        "there was no database in place",
        "deletions of accounts between",
        &format!("{}: the customer is deleted at the provider", bia.uid),
    ] {
        assert!(restored.stdout.contains(said), "{said}: {restored:?}");
    }
    // JSON is one document.
    app.loses_database();
    let restored = app.admin(&["restore", &folder, "--json"]).await;
    let restored: Value = serde_json::from_str(&restored.stdout).expect("one document");
    assert_eq!(restored["not_known"]["why"], "there was no database in place");
    assert_eq!(restored["compared"]["deleted_customers"], json!([bia.uid]));
    drop(sandbox);

    // The operator deletes the account again.
    app.restart().await;
    let wrong = app.admin(&["delete-account", &bia.uid, "outra@exemplo.com.br"]).await;
    assert_eq!((wrong.code, can_sign_in(&app, &gone).await), (2, true), "{wrong:?}");
    let deleted = app.admin(&["delete-account", &bia.uid, &gone.email]).await;
    assert_eq!((deleted.code, deleted.stdout.contains("protocol 26")), (0, true), "{deleted:?}");
    assert!(!can_sign_in(&app, &gone).await);
    assert_eq!(refunds(&app).await, 1, "nothing is refunded twice");
}

#[tokio::test]
async fn a_backup_of_this_database_inside_the_data_folder_is_to_be_moved_and_not_restored() {
    let app = App::start().await;
    if backup_to(&app, "backups").await.is_none() {
        return;
    }

    let found = app.admin(&["doctor"]).await;

    assert!(found.stdout.contains("move it to another disk"), "{found:?}");
    assert!(!found.stdout.contains("if you restored it"), "{found:?}");
}
