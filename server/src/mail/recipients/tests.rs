//! Mails to addresses of strangers, over the real sandbox's mailbox.

use crate::store::operator::job_queries;
use garimpo_proto::auth::v1::{
    CorrectEmailRequest, RequestEmailVerificationRequest, RequestPasswordResetRequest,
};
use garimpo_proto::users::v1::DeleteMyAccountRequest;

use super::*;
use crate::queue::JobKind;
use crate::store::jobs::JobState;
use crate::tests::database::Database;
use crate::tests::server::{SignedInUser, ana, bearer, from_address};
use crate::tests::world::World;

const STRANGER: &str = "estranho@example.com";

async fn world(per_hour: u32, per_day: u32) -> World {
    let database = Database::new().await;
    let limits = MailLimits { per_hour, per_day, ..MailLimits::default() };
    World::start_with(database, |settings| settings.mail_limits = limits).await
}

async fn asks_for_link(world: &World, email: &str) {
    let asked = RequestPasswordResetRequest { email: email.to_owned() };
    world.auth().request_password_reset(asked).await.expect("it answers");
    world.rest().await;
}

async fn deletes(world: &World, who: &SignedInUser) {
    let asked = DeleteMyAccountRequest { password: "segredo".to_owned() };
    world.users().delete_my_account(bearer(asked, &who.session)).await.expect("it is deleted");
    world.rest().await;
}

/// Confirmations, and all other mails.
async fn received(world: &World, email: &str) -> (usize, usize) {
    (world.confirmations_to(email).await.len(), world.mails_to(email).await.len())
}

/// Uses the stranger's address for an account, and deletes it.
async fn abuses(world: &World, email: &str) {
    let held = world.signs_up(email).await;
    world.rest().await;
    asks_for_link(world, email).await;
    deletes(world, &held).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mails_to_an_unconfirmed_address_have_a_limit_that_deleting_the_account_does_not_reset() {
    let world = world(3, 4).await;
    abuses(&world, STRANGER).await;
    assert_eq!(received(&world, STRANGER).await, (1, 1), "no last mail either");

    abuses(&world, STRANGER).await;
    abuses(&world, STRANGER).await;
    assert_eq!(received(&world, STRANGER).await, (2, 1), "three an hour");
    abuses(&world, "estranho+outro@example.com").await;
    assert_eq!(received(&world, "estranho+outro@example.com").await, (0, 0), "the same mailbox");

    world.advances_hours(1).await;
    abuses(&world, STRANGER).await;
    assert_eq!(received(&world, STRANGER).await, (3, 1), "four a day");

    world.advances_hours(24).await;
    abuses(&world, STRANGER).await;
    assert_eq!(received(&world, STRANGER).await, (4, 2));
    let parked = job_queries::count(world.app.store()).await.expect("counted");
    assert!(parked.iter().all(|count| count.state != JobState::Parked), "no alarm rings: {parked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_confirmed_or_paying_account_receives_every_mail() {
    let world = world(1, 1).await;
    let ana = world.signs_up("ana@example.com").await;
    world.confirms_email(&ana).await;
    asks_for_link(&world, "ana@example.com").await;
    asks_for_link(&world, "ana@example.com").await;
    deletes(&world, &ana).await;
    assert_eq!(received(&world, "ana@example.com").await, (1, 3));

    let rui = world.signs_up("rui@example.com").await;
    world.rest().await;
    world.subscribes(&rui, "elite_nivel_1", "month").await;
    world.advances_days(8).await;
    asks_for_link(&world, "rui@example.com").await;
    asks_for_link(&world, "rui@example.com").await;
    deletes(&world, &rui).await;
    assert_eq!(received(&world, "rui@example.com").await, (1, 3), "two links and the end");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_greets_by_name_once_the_address_is_confirmed_or_something_was_paid_at_it() {
    let world = world(5, 20).await;
    let greetings = async |email: &str| {
        asks_for_link(&world, email).await;
        let newest = world.mails_to(email).await.remove(0);
        ["text", "html"].map(|part| {
            let said = newest[part].as_str().expect("a text");
            (said.contains("Olá, Ana."), said.contains("Olá!"))
        })
    };
    for by_payment in [true, false] {
        let email = format!("{by_payment}@example.com");
        let ana = world.signs_up(&email).await;
        world.rest().await;
        assert_eq!(greetings(&email).await, [(false, true); 2], "a stranger may have typed it");

        if by_payment {
            world.subscribes(&ana, "top_afiliado", "month").await;
            world.rest().await;
        } else {
            world.confirms_email(&ana).await;
        }
        assert_eq!(greetings(&email).await, [(true, false); 2]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_lifts_the_mail_limit_only_while_it_is_kept_and_after_the_guarantee() {
    for by_boleto in [false, true] {
        let world = world(2, 3).await;
        let held = world.signs_up(STRANGER).await;
        world.rest().await;
        if by_boleto {
            world.subscribes_by_boleto(&held, "top_afiliado", "month").await;
        } else {
            world.subscribes(&held, "top_afiliado", "month").await;
        }
        world.rest().await;
        let sent = async || {
            let (confirmations, others) = received(&world, STRANGER).await;
            confirmations + others
        };
        assert_eq!(sent().await, 2, "in the guarantee the limit holds");

        let asked = garimpo_proto::billing::v1::RequestRefundRequest::default();
        world.billing().request_refund(bearer(asked, &held.session)).await.expect("it is given back");
        world.advances_days(9).await;
        let before = sent().await;
        for _ in 0..4 {
            asks_for_link(&world, STRANGER).await;
        }
        assert!(sent().await <= before + 2, "a payment that was given back does not lift it");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_before_the_correction_of_an_email_does_not_lift_the_limit_of_the_new_address() {
    let world = world(2, 30).await;
    let rui = world.signs_up("rui@exemplo.com.br").await;
    world.subscribes(&rui, "top_afiliado", "month").await;
    world.advances_days(8).await;
    let form = CorrectEmailRequest { new_email: STRANGER.to_owned(), password: "segredo".to_owned() };
    world.auth().correct_email(bearer(form, &rui.session)).await.expect("it is corrected");
    let asks = async || {
        for _ in 0..4 {
            asks_for_link(&world, STRANGER).await;
        }
        received(&world, STRANGER).await
    };

    assert_eq!(asks().await, (1, 1), "two an hour");
    let form = DeleteMyAccountRequest { password: "segredo".to_owned() };
    world.users().delete_my_account(bearer(form, &rui.session)).await.expect("it is deleted");
    world.advances_hours(2).await;
    assert_eq!(received(&world, STRANGER).await, (1, 1), "no last mail either");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unsent_mail_does_not_count_and_a_rejected_link_does_not_void_the_previous_one() {
    let world = world(2, 20).await;
    world.fails(serde_json::json!({ "path": "/mail", "method": "POST", "status": 503 })).await;
    let held = world.signs_up(STRANGER).await;
    world
        .eventually("the mail fails", async || {
            let jobs = job_queries::of_uid(world.app.store(), JobKind::EmailConfirmation, &held.uid).await;
            jobs.expect("listed").iter().any(|job| job.last_error.is_some())
        })
        .await;
    world.clear_faults().await;
    world.advances_minutes(10).await;
    assert_eq!(received(&world, STRANGER).await, (1, 0));
    asks_for_link(&world, STRANGER).await;
    let first = world.mails_to(STRANGER).await.remove(0);

    asks_for_link(&world, STRANGER).await;

    assert_eq!(received(&world, STRANGER).await, (1, 1));
    let text = first["text"].as_str().expect("a text");
    let code = text.split("code=").nth(1).and_then(|rest| rest.split_whitespace().next());
    let form = garimpo_proto::auth::v1::ConfirmPasswordResetRequest {
        code: code.expect("a code").to_owned(),
        new_password: "nova-senha".to_owned(),
    };
    world.auth().confirm_password_reset(form).await.expect("the code holds");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_mail_to_an_unconfirmed_address_parks_no_job_but_its_confirmation() {
    let world = World::new().await;
    world.fails(serde_json::json!({ "path": "/mail", "method": "POST", "status": 400 })).await;
    let held = world.signs_up(STRANGER).await;
    asks_for_link(&world, STRANGER).await;

    let state = async |kind| {
        let jobs = job_queries::of_uid(world.app.store(), kind, &held.uid).await.expect("listed");
        jobs[0].state
    };
    world
        .eventually("both were tried", async || {
            state(JobKind::EmailConfirmation).await == JobState::Parked
                && job_queries::of_uid(world.app.store(), JobKind::PasswordReset, &held.uid)
                    .await
                    .expect("listed")
                    .iter()
                    .any(|job| job.last_error.is_some())
        })
        .await;
    assert_eq!(state(JobKind::PasswordReset).await, JobState::Waiting);

    for _ in 0..30 {
        world.advances_hours(1).await;
    }
    assert_eq!(state(JobKind::PasswordReset).await, JobState::Done, "it ends without an alarm");
}

#[tokio::test(flavor = "multi_thread")]
async fn confirmations_beyond_the_limit_of_all_addresses_wait_and_none_is_dropped() {
    let limits = MailLimits { confirmations_per_hour: 3, ..MailLimits::default() };
    let world = World::start_with(Database::new().await, |settings| settings.mail_limits = limits).await;
    let people: Vec<String> = (0..8).map(|n| format!("pessoa{n}@exemplo.com.br")).collect();
    for person in &people {
        world.signs_up(person).await;
    }
    let confirmed = async || {
        let mut sent = 0;
        for person in &people {
            sent += world.confirmations_to(person).await.len();
        }
        sent
    };
    world.rest().await;

    asks_for_link(&world, &people[7]).await;

    assert_eq!(
        (confirmed().await, world.mails_to(&people[7]).await.len()),
        (3, 1),
        "a recovery does not wait"
    );
    for expected in [6, 8] {
        world.advances_hours(1).await;
        assert_eq!(confirmed().await, expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn confirmations_that_did_not_leave_do_not_count_for_the_limit_of_all_addresses() {
    let limits = MailLimits { confirmations_per_hour: 2, per_hour: 1, ..MailLimits::default() };
    let world = World::start_with(Database::new().await, |settings| settings.mail_limits = limits).await;
    let stranger = world.signs_up(STRANGER).await;
    world.rest().await;
    // Beyond the limit of their mailbox, so they are dropped.
    for _ in 0..3 {
        let asked = bearer(RequestEmailVerificationRequest {}, &stranger.session);
        world.auth().request_email_verification(asked).await.expect("it is taken");
    }
    world.rest().await;

    world.signs_up("ana@exemplo.com.br").await;
    world.rest().await;

    assert_eq!(world.confirmations_to(STRANGER).await.len(), 1);
    assert_eq!(world.confirmations_to("ana@exemplo.com.br").await.len(), 1, "the second of the hour");
}

#[tokio::test(flavor = "multi_thread")]
async fn at_the_limit_of_all_addresses_a_client_with_many_confirmations_yields_to_others() {
    let limits = MailLimits { confirmations_per_hour: 20, ..MailLimits::default() };
    let world = World::start_with(Database::new().await, |settings| settings.mail_limits = limits).await;
    let many = |n: u32| format!("muitos{n}@exemplo.com.br");
    for n in 0..20 {
        world.signs_up(&many(n)).await;
    }
    world.rest().await;
    for n in 20..24 {
        world.signs_up(&many(n)).await;
    }
    world.advances_minutes(1).await;
    let form = from_address(ana("outra@exemplo.com.br"), "198.51.100.20");
    world.auth().sign_up(form).await.expect("it succeeds");
    world.rest().await;
    let confirmed = async |email: &str| world.confirmations_to(email).await.len();
    let both = async || (confirmed("outra@exemplo.com.br").await, confirmed(&many(23)).await);
    assert_eq!(both().await, (0, 0), "the hour is full");

    world.advances_minutes(59).await;
    assert_eq!(both().await, (1, 0), "the other client's goes first");
    world.advances_minutes(3).await;
    assert_eq!(both().await, (1, 1));
}
