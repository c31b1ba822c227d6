//! What is removed, and when; origins, counts and conversions stand in `users/tests/consent.rs`, codes in
//! `auth/tests/recovery.rs`, the audit trail in `auth/tests/audit.rs`.

use super::*;
use crate::billing::refund_pix_paid;
use crate::store::ro;
use crate::testing::clock::TestClock;
use crate::testing::world::World;

async fn count(store: &Store, counting: &'static str) -> i64 {
    let count = ro!(store, c => sqlx::query_scalar(counting).fetch_one(c).await);
    count.expect("the table can be read")
}

/// Runs as it would so many days later.
async fn run_after(world: &World, days: i64) {
    let clock = TestClock::at(&world.app.clock().now().plus_days(days).to_rfc3339());
    run(world.app.store().clone(), Arc::new(clock)).await.expect("it runs");
}

#[tokio::test(flavor = "multi_thread")]
async fn eventos_ficam_noventa_dias_e_sessoes_sem_uso_trinta() {
    for world in World::each().await {
        let ana = world.signs_up("ana@example.com").await;
        world.subscribes(&ana, "elite_nivel_1", "month").await;
        let store = world.app.store();
        let kept = async |days| {
            run_after(&world, days).await;
            let events = count(store, "SELECT COUNT(*) FROM events").await;
            (events > 0, count(store, "SELECT COUNT(*) FROM sessions").await)
        };

        assert_eq!(kept(29).await, (true, 1));
        assert_eq!(kept(31).await, (true, 0));
        assert_eq!(kept(89).await, (true, 0));
        assert_eq!(kept(91).await, (false, 0));
        assert!(count(store, "SELECT COUNT(*) FROM invoices").await > 0, "what was paid is kept");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn chave_pix_fica_ate_ser_paga_e_sete_dias_mais() {
    for world in World::each().await {
        let ana = world.signs_up("ana@example.com").await;
        let slip = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("a checkout opens");
        world.takes_boleto(&slip).await;
        world.rest().await;
        world.pays_boleto(&slip).await;
        world.rest().await;
        world.wants_back(&ana, None).await.expect("it is given back");
        let store = world.app.store();
        let keys = async |days| {
            run_after(&world, days).await;
            count(store, "SELECT COUNT(*) FROM refunds WHERE pix_key IS NOT NULL").await
        };
        assert_eq!(keys(60).await, 1, "nobody was paid yet");

        let refund = store.refunds_seen("", 10).await.expect("readable").remove(0);
        assert!(refund_pix_paid(store, &refund.id, world.app.clock().now()).await.expect("written"));

        assert_eq!(keys(6).await, 1);
        assert_eq!(keys(8).await, 0);
    }
}
