//! Payers without an account, because they bought after the backup that was restored.
//! Reconciliation adopts some of them, and the others need the operator.

use e2e::{App, Person, Visitor};
use garimpo_proto::auth::v1::{ConfirmEmailRequest, ConfirmPasswordResetRequest};
use garimpo_proto::users::v1::DeleteMyAccountRequest;
use serde_json::{Value, json};

const CARD: &str = "4242424242424242";
const RECOVERY: &str = "Link para redefinir sua senha";
/// Minutes after which reconciliation reads an event from the event list.
const EVENTS_AGE_MINUTES: i64 = 15;

/// Signs up and buys.
pub(super) async fn subscriber(app: &App, person: &Person) -> Visitor {
    let ana = app.visitor().signs_up(person).await;
    let session = ana.opens_checkout("Elite Nível 2", "semestral").await;
    assert_eq!(app.provider().pays_by_card(&session, CARD).await, 200);
    ana.becomes_active().await;
    // Waits, because the provider would deliver a pending event to the restored product.
    e2e::eventually("every event's delivery", || async {
        let events = app.provider().all("/v1/events?").await;
        events.iter().all(|event| event["pending_webhooks"] == 0).then_some(())
    })
    .await;
    ana
}

/// A product that lost the account of a payer.
async fn with_lost_payer(person: &Person) -> (App, Visitor) {
    let mut app = App::start().await;
    // A database without accounts sells nothing while the provider has payers.
    app.visitor().signs_up(&Person::new()).await;
    let copy = app.copies_database().await;
    let lost = subscriber(&app, person).await;
    newest_confirmation(&app, &person.email, 1).await;
    app.loses_disk(&copy).await;
    (app, lost)
}

/// Confirms the address, as the mailed link does.
async fn confirms_address(app: &App, uid: &str) {
    app.executes(&format!("UPDATE accounts SET email_verified = TRUE WHERE uid = '{uid}'")).await;
}

/// The newest confirmation mail, once `count` of them have arrived.
async fn newest_confirmation(app: &App, email: &str, count: usize) -> Value {
    e2e::eventually("the mail that confirms", || async {
        let mut mails = app.provider().confirmations_to(email).await;
        (mails.len() == count).then(|| mails.remove(0))
    })
    .await
}

/// Sets a new password by the recovery mail of the adoption, and signs in.
pub(super) async fn recover_password(app: &App, person: &Person) -> Visitor {
    let link = format!("{}/redefinir-senha?code=", app.url());
    let mails = e2e::eventually("the recovery mail", || async {
        let mails = recovery_mails(app, &person.email).await;
        (!mails.is_empty()).then_some(mails)
    })
    .await;
    let (_, code) = mails[0]["text"].as_str().expect("a text").split_once(&link).expect("a link of ours");
    let code = code.split_whitespace().next().expect("a code").to_owned();
    let new = Person { password: "outra-senha-1".into(), ..person.clone() };
    let form = ConfirmPasswordResetRequest { code, new_password: new.password.clone() };
    app.auth().await.confirm_password_reset(form).await.expect("the code holds");
    app.visitor().signs_in(&new).await
}

pub(super) async fn recovery_mails(app: &App, email: &str) -> Vec<Value> {
    let mut mails = app.provider().mails_to(email).await;
    mails.retain(|mail| mail["subject"] == RECOVERY);
    mails
}

/// The findings of `payer_without_account`, each as `(subscription, what, repair)`.
async fn findings(app: &App) -> Vec<(String, String, String)> {
    let ran = app.admin(&["doctor", "--json"]).await;
    let checked: Vec<Value> = serde_json::from_str(&ran.stdout).expect("JSON");
    let rule = checked.iter().find(|one| one["invariant"] == "payer_without_account").expect("it is checked");
    let text = |found: &Value, key: &str| found[key].as_str().expect("a text").to_owned();
    let findings = rule["findings"].as_array().expect("findings");
    findings.iter().map(|found| (text(found, "subject"), text(found, "what"), text(found, "mend"))).collect()
}

async fn assert_nobody_waits(app: &App) {
    let found = findings(app).await;
    assert!(found.is_empty(), "{found:?}");
}

/// The uids in the metadata of customer and subscription at the provider.
async fn named_accounts(app: &App, email: &str) -> [String; 2] {
    let customer = app.provider().customer_of(email).await;
    let at = app.provider().list(&format!("/v1/subscriptions?customer={customer}")).await;
    let customer = app.provider().object(&format!("/v1/customers/{customer}")).await;
    [&customer, &at[0]].map(|fact| fact["metadata"]["uid"].as_str().expect("an account").to_owned())
}

#[tokio::test]
async fn payers_since_the_backup_are_adopted_automatically() {
    let mut app = App::start().await;
    let [before, one, two] = [Person::new(), Person::new(), Person::new()];
    let mut kept = subscriber(&app, &before).await;
    let copy = app.copies_database().await;
    let lost = [(subscriber(&app, &one).await, &one), (subscriber(&app, &two).await, &two)];
    app.loses_disk(&copy).await;

    app.provider().advances_kept(60 * EVENTS_AGE_MINUTES).await;

    for (account, person) in &lost {
        let back = recover_password(&app, person).await;
        assert_eq!(back.uid, account.uid, "the account has its uid again");
        let record = back.becomes_active().await;
        assert_eq!(record["displayName"], "Ana Maria Souza");
        assert_eq!(record["emailVerified"], true, "the recovery mail proved the address");
        assert_eq!(recovery_mails(&app, &person.email).await.len(), 1);
    }
    kept.goes_to(app.url());
    kept.becomes_active().await;
    assert_nobody_waits(&app).await;
    let again = app.admin(&["reconcile"]).await;
    assert_eq!((again.code, again.stdout.contains(" 0 unknown subscriptions")), (0, true), "{again:?}");
}

#[tokio::test]
async fn concurrent_reconciliations_adopt_a_payer_once() {
    let person = Person::new();
    let (app, lost) = with_lost_payer(&person).await;
    let looked = app.admin(&["reconcile", "--dry-run"]).await;
    let row = looked.stdout.lines().find(|line| line.contains(&lost.uid)).expect("it is listed");
    for part in [lost.email.as_str(), "R$ 871,60", "no_account"] {
        assert!(row.contains(part), "{part}: {looked:?}");
    }
    assert_eq!(looked.code, 1, "{looked:?}");

    let (one, two) = tokio::join!(app.admin(&["reconcile"]), app.admin(&["reconcile"]));

    // The product reconciles by itself too, so neither of them may have been the one that adopted.
    for ran in [&one, &two] {
        assert_eq!((ran.code, ran.stdout.contains("something is left")), (0, false), "{ran:?}");
    }
    recover_password(&app, &person).await.becomes_active().await;
    assert_eq!(recovery_mails(&app, &person.email).await.len(), 1);
    assert_nobody_waits(&app).await;
}

#[tokio::test]
async fn an_unconfirmed_account_of_the_email_waits_until_the_address_is_confirmed() {
    let person = Person::new();
    let (app, lost) = with_lost_payer(&person).await;
    // The person signs up again before anything was adopted.
    let new = app.visitor().signs_up(&person).await;

    let refused = app.admin(&["reconcile"]).await;

    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stdout.contains("its address is not confirmed"), "{refused:?}");
    let found = findings(&app).await;
    assert!(found[0].1.contains(&format!("{} paid R$ 871,60", lost.email)), "{found:?}");
    assert_ne!(new.record().await["subscription_active"], true);
    let link = format!("{}/confirmar-email?code=", app.url());
    let mail = newest_confirmation(&app, &person.email, 2).await;
    let (_, code) = mail["text"].as_str().expect("a text").split_once(&link).expect("a link of ours");
    let code = code.split_whitespace().next().expect("a code").to_owned();
    app.auth().await.confirm_email(ConfirmEmailRequest { code }).await.expect("the code holds");

    // The provider executes a call and loses the reply, and delays another call.
    let is_lost = json!({ "path": "/v1/customers", "method": "POST", "act_then_drop": true, "times": 1 });
    let is_late = json!({ "path": "/v1/subscriptions", "method": "POST", "delay_ms": 1000, "times": 1 });
    app.provider().add_fault(is_lost).await;
    app.provider().add_fault(is_late).await;
    let adopted = app.admin(&["reconcile"]).await;

    assert_eq!(adopted.code, 0, "{adopted:?}");
    new.becomes_active().await;
    assert_eq!(named_accounts(&app, &person.email).await, [new.uid.as_str(), &new.uid]);
    assert_nobody_waits(&app).await;
    assert_eq!(recovery_mails(&app, &person.email).await, [] as [Value; 0], "the account has its password");
}

#[tokio::test]
async fn either_a_concurrent_sign_up_or_an_adoption_gets_the_email() {
    let person = Person::new();
    let (app, lost) = with_lost_payer(&person).await;

    let mut auth = app.auth().await;
    let (signed_up, ran) = tokio::join!(auth.sign_up(person.sign_up_form()), app.admin(&["reconcile"]));

    let again = app.admin(&["reconcile"]).await;
    if signed_up.is_ok() {
        assert_eq!(again.code, 1, "{ran:?} {again:?}");
        assert!(again.stdout.contains("its address is not confirmed"), "{again:?}");
        assert_eq!(findings(&app).await.len(), 1);
    } else {
        assert_eq!((ran.code, again.code), (0, 0), "{ran:?} {again:?}");
        let back = recover_password(&app, &person).await;
        assert_eq!(back.uid, lost.uid);
        back.becomes_active().await;
    }
}

#[tokio::test]
async fn the_operator_gives_a_payer_to_an_unconfirmed_account() {
    let person = Person::new();
    let (app, _) = with_lost_payer(&person).await;
    let new = app.visitor().signs_up(&person).await;
    app.admin(&["reconcile"]).await;
    let (subscription, _, repair) = findings(&app).await.remove(0);
    assert!(repair.contains(&format!("garimpo admin adopt {subscription}")), "{repair}");

    // The command crashes before and after the provider has the uid, and the payer is not lost.
    for crash_at in ["adoption.decided", "adoption.named"] {
        app.admin_dies(&["adopt", &subscription], crash_at).await;
        assert_eq!(findings(&app).await.len(), 1, "{crash_at}");
    }
    // If the provider fails, the next run adopts the payer.
    app.provider().add_fault(json!({ "path": "/v1/customers", "status": 500, "times": 50 })).await;
    let failed = app.admin(&["adopt", &subscription]).await;
    assert_eq!(failed.code, 2, "{failed:?}");
    app.provider().recovers().await;
    let adopted = app.admin(&["adopt", &subscription]).await;

    assert_eq!(adopted.code, 0, "{adopted:?}");
    for part in [&person.email, "R$ 871,60", "not confirmed", &format!("adopted by the account {}", new.uid)]
    {
        assert!(adopted.stdout.contains(part), "{part}: {adopted:?}");
    }
    new.becomes_active().await;
    assert_eq!(named_accounts(&app, &person.email).await, [new.uid.as_str(), &new.uid]);
    let again = app.admin(&["adopt", &subscription]).await;
    assert_eq!((again.code, again.stderr.contains("of no payer without an account")), (2, true), "{again:?}");
    assert_eq!(app.admin(&["reconcile"]).await.code, 0);
    assert_nobody_waits(&app).await;
}

#[tokio::test]
async fn a_deleted_account_is_never_brought_back() {
    let person = Person::new();
    let (app, lost) = with_lost_payer(&person).await;
    // The log of deletions comes from elsewhere, for instance from the replaced database.
    app.executes(&format!(
        "INSERT INTO deletions (protocol, uid, email_hash, deleted_at_us) VALUES ('del_1', '{}', 'x', 1)",
        lost.uid
    ))
    .await;

    let refused = app.admin(&["reconcile"]).await;
    let (subscription, what, _) = findings(&app).await.remove(0);
    let forced = app.admin(&["adopt", &subscription]).await;

    for ran in [&refused, &forced] {
        assert_eq!((ran.code, ran.stdout.contains("the owner deleted the account")), (1, true), "{ran:?}");
    }
    assert!(!what.contains(&person.email), "the email of a deleted account is not kept: {what}");
    assert_eq!(recovery_mails(&app, &person.email).await, [] as [Value; 0]);
    // The operator cancels the subscription at the provider, and nothing is left.
    app.provider().deletes(&format!("/v1/subscriptions/{subscription}")).await;
    assert_eq!(app.admin(&["reconcile"]).await.code, 0);
    assert_nobody_waits(&app).await;
}

#[tokio::test]
async fn an_email_whose_account_was_deleted_waits_for_the_operator() {
    let mut app = App::start().await;
    let person = Person::new();
    let first = app.visitor().signs_up(&person).await;
    confirms_address(&app, &first.uid).await;
    let delete = DeleteMyAccountRequest { password: person.password.clone() };
    app.users().await.delete_my_account(first.authorized(delete)).await.expect("it is deleted");
    app.visitor().signs_up(&Person::new()).await;
    let copy = app.copies_database().await;
    let lost = subscriber(&app, &person).await;
    app.loses_disk(&copy).await;

    let refused = app.admin(&["reconcile"]).await;
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stdout.contains("an account with this email was deleted"), "{refused:?}");
    let (subscription, ..) = findings(&app).await.remove(0);
    let adopted = app.admin(&["adopt", &subscription]).await;

    assert_eq!(adopted.code, 0, "{adopted:?}");
    let back = recover_password(&app, &person).await;
    assert_eq!(back.uid, lost.uid);
    back.becomes_active().await;
}

#[tokio::test]
async fn an_account_that_bought_again_keeps_its_own_purchase() {
    let person = Person::new();
    let (app, lost) = with_lost_payer(&person).await;
    let new = subscriber(&app, &person).await;
    assert_ne!(new.uid, lost.uid);
    confirms_address(&app, &new.uid).await;

    let refused = app.admin(&["reconcile"]).await;
    let (subscription, ..) = findings(&app).await.remove(0);
    let forced = app.admin(&["adopt", &subscription]).await;

    for ran in [&refused, &forced] {
        assert_eq!((ran.code, ran.stdout.contains("it bought again")), (1, true), "{ran:?}");
    }
    new.becomes_active().await;
}

#[tokio::test]
async fn payers_who_are_older_than_the_database_wait_for_the_operator() {
    let mut app = App::start().await;
    if app.database_url().is_some() {
        return;
    }
    let person = Person::new();
    let lost = subscriber(&app, &person).await;
    // There is no copy: a start creates an empty database, which the operator accepts.
    app.kill();
    app.loses_database();
    app.restart().await;
    assert_eq!(app.admin(&["provider", "accept-empty"]).await.code, 0);

    let refused = app.admin(&["reconcile"]).await;
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stdout.contains("older than this database"), "{refused:?}");
    assert_eq!(recovery_mails(&app, &person.email).await, [] as [Value; 0]);
    let (subscription, ..) = findings(&app).await.remove(0);
    let adopted = app.admin(&["adopt", &subscription]).await;

    assert_eq!(adopted.code, 0, "{adopted:?}");
    let back = recover_password(&app, &person).await;
    assert_eq!(back.uid, lost.uid);
    back.becomes_active().await;
}
