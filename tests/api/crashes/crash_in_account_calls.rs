//! Actions on an account that has paid, each with a crash at a crash point: the outcome must be the
//! same as without the crash.

use std::sync::Arc;

use e2e::{Cluster, Layout, soak};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::act::{Act, Outcome};
use super::{Apart, Together, at_once, repeated_mails};

/// The points that an action can pass.
const POINTS: [&str; 9] = [
    "intent.stored",
    "provider.answered",
    "event.stored",
    "projection.committed",
    "job.delivered",
    "session.stored",
    "code.stored",
    "password.stored",
    "account.deleted",
];

#[tokio::test]
async fn an_upgrade_charges_once() {
    assert_same_outcome_after_crashes(
        Act::ChangeUp,
        Together,
        &["intent.stored", "provider.answered", "projection.committed"],
    )
    .await;
}

#[tokio::test]
async fn a_downgrade_gives_credit_once() {
    assert_same_outcome_after_crashes(Act::ChangeDown, Apart, &["provider.answered", "event.stored"]).await;
}

#[tokio::test]
async fn cancelling_and_resuming_leaves_the_subscription_unchanged() {
    assert_same_outcome_after_crashes(Act::CancelAndResume, Apart, &["intent.stored", "provider.answered"])
        .await;
}

#[tokio::test]
async fn a_card_refund_pays_back_once() {
    assert_same_outcome_after_crashes(Act::RefundByCard, Together, &["intent.stored", "job.delivered"]).await;
}

#[tokio::test]
async fn a_boleto_refund_requests_one_pix() {
    assert_same_outcome_after_crashes(Act::RefundByPix, Apart, &["intent.stored", "job.delivered:2"]).await;
}

#[tokio::test]
async fn deleting_an_account_refunds_once_and_erases_everything() {
    assert_same_outcome_after_crashes(
        Act::Delete,
        Together,
        &["account.deleted", "job.delivered", "job.delivered:3"],
    )
    .await;
}

#[tokio::test]
async fn password_recovery_gives_a_code_that_works() {
    assert_same_outcome_after_crashes(
        Act::RecoverPassword,
        Apart,
        &["code.stored", "job.delivered", "password.stored"],
    )
    .await;
}

#[tokio::test]
async fn a_password_change_ends_earlier_sessions() {
    assert_same_outcome_after_crashes(Act::ChangePassword, Together, &["password.stored"]).await;
}

#[tokio::test]
async fn a_lost_dispute_ends_access() {
    assert_same_outcome_after_crashes(Act::Dispute, Apart, &["event.stored", "projection.committed"]).await;
}

#[tokio::test]
async fn a_boleto_renewal_is_paid_once() {
    assert_same_outcome_after_crashes(Act::RenewByBoleto, Together, &["event.stored:2", "job.delivered:2"])
        .await;
}

#[tokio::test]
async fn a_declined_renewal_is_paid_once_by_another_card() {
    assert_same_outcome_after_crashes(
        Act::RenewByAnotherCard,
        Apart,
        &["intent.stored", "provider.answered"],
    )
    .await;
}

/// Crashes at these passages. The long run crashes at every passage of every point in both layouts.
async fn assert_same_outcome_after_crashes(act: Act, layout: Layout, passes: &[&str]) {
    if !soak::is_long() {
        let mut stage = CrashRun::begins(act, layout).await;
        for crash_at in passes {
            assert!(stage.run(crash_at).await, "{crash_at} {act:?} {layout:?} was never reached");
        }
        return;
    }
    let (mut all, places) = (JoinSet::new(), Arc::new(Semaphore::new(at_once())));
    for layout in [Together, Apart] {
        // Two halves, so that both layouts use as many clusters as the run allows.
        for half in [&POINTS[..4], &POINTS[4..]] {
            let places = places.clone();
            all.spawn(async move {
                let _place = places.acquire().await;
                let mut stage = CrashRun::begins(act, layout).await;
                for point in half {
                    let (mut pass, repeats) = (1, stage.repeated_mails);
                    while stage.run(&format!("{point}:{pass}")).await {
                        pass += 1;
                    }
                    let repeats = stage.repeated_mails - repeats;
                    eprintln!(
                        "{point}: {} passes of {act:?} {layout:?}, {repeats} mails came twice",
                        pass - 1
                    );
                }
            });
        }
    }
    all.join_all().await;
}

/// Repeats one action, each time with a new account.
struct CrashRun {
    act: Act,
    layout: Layout,
    cluster: Cluster,
    undisturbed: Outcome,
    repeated_mails: usize,
}

impl CrashRun {
    async fn begins(act: Act, layout: Layout) -> Self {
        let cluster = Cluster::start(layout).await;
        let mut own = act.prepares(&cluster).await;
        cluster.wait_until_idle().await;
        act.perform(&mut own).await;
        let undisturbed = act.verify(&cluster, &own).await;
        Self { act, layout, cluster, undisturbed, repeated_mails: 0 }
    }

    /// Does the action during a crash; returns whether the point was reached.
    async fn run(&mut self, crash_at: &str) -> bool {
        let (act, layout) = (self.act, self.layout);
        if act.is_renewal() {
            self.cluster = Cluster::start(layout).await;
        }
        let cluster = &mut self.cluster;
        let mut own = act.prepares(cluster).await;
        cluster.wait_until_idle().await;
        let before = cluster.repeated_mails().await;
        cluster.restart_with_crash_point(crash_at);
        let acting = tokio::spawn(async move {
            act.perform(&mut own).await;
            own
        });
        let died = cluster.crashes_during(&acting).await;
        if died {
            cluster.restart().await;
        } else {
            cluster.restart_without_crash_point().await;
        }
        let own = acting.await.unwrap_or_else(|error| panic!("{crash_at} {act:?} {layout:?}: {error}"));
        let outcome = act.verify(cluster, &own).await;
        assert_eq!(outcome, self.undisturbed, "{crash_at} {act:?} {layout:?}, and undisturbed");
        self.repeated_mails += repeated_mails(cluster, &before).await;
        died
    }
}
