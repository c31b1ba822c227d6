//! Mails before an event.

use crate::billing::tests::{customer_of, mails_about};
use crate::tests::world::World;

/// The clock advances by itself, so checks before an instant leave this margin, in seconds.
const AN_HOUR: i64 = 3_600;

#[tokio::test(flavor = "multi_thread")]
async fn a_boleto_due_tomorrow_has_a_reminder_at_nine_if_it_is_unpaid() {
    let (world, ana) = World::new().await.with_ana().await;
    world.orders_by_boleto(&ana, "top_afiliado", "month").await;
    let due = world.account_of(&ana).await.boleto.expect("it waits").due_at.expect("a day").seconds;
    // 23:59:59 of its day is 38 hours, 59 minutes and 59 seconds after 9:00 of the day before.
    let morning = due - 38 * 3_600 - 3_599;

    world.goes_to(morning - AN_HOUR).await;
    assert_eq!(mails_about(&world, "Seu boleto vence amanhã").await.len(), 0);
    world.goes_to(morning).await;
    let mails = mails_about(&world, "Seu boleto vence amanhã").await;
    assert_eq!(mails.len(), 1);
    let text = mails[0]["text"].as_str().expect("a text");
    assert!(text.contains("R$ 97,90") && text.contains("Linha digitável: "), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paid_boleto_has_no_reminder() {
    let (world, ana) = World::on_sqlite().await.with_ana().await;
    world.subscribes_by_boleto(&ana, "top_afiliado", "month").await;
    world.advances_days(4).await;
    assert_eq!(mails_about(&world, "Seu boleto vence amanhã").await.len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_renewal_of_a_long_period_is_announced_once_seven_days_before() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "trimestral").await;
    let end = world.account_of(&ana).await.subscription.expect("one").ends_at.expect("paid").seconds;

    world.goes_to(end - 7 * 86_400 - AN_HOUR).await;
    assert_eq!(mails_about(&world, "Sua assinatura renova").await.len(), 0);
    world.goes_to(end - 6 * 86_400).await;
    let mails = mails_about(&world, "Sua assinatura renova").await;
    assert_eq!(mails.len(), 1);
    let text = mails[0]["text"].as_str().expect("a text");
    assert!(
        text.contains("R$ 234,96") && text.contains("cartão cadastrado") && text.contains("Cancele"),
        "{text}"
    );
    world.goes_to(end + 2 * 86_400).await;
    assert_eq!(mails_about(&world, "Sua assinatura renova").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_undone_in_the_last_week_announces_the_renewal_once_immediately() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "trimestral").await;
    world.cancels(&ana, "").await.expect("it is cancelled");
    let end = world.account_of(&ana).await.subscription.expect("one").ends_at.expect("paid").seconds;
    world.goes_to(end - 3 * 86_400).await;
    assert_eq!(mails_about(&world, "Sua assinatura renova").await.len(), 0);

    world.resumes(&ana).await.expect("it goes on");
    world.rest().await;
    assert_eq!(mails_about(&world, "Sua assinatura renova").await.len(), 1);

    world.cancels(&ana, "").await.expect("it is cancelled again");
    world.resumes(&ana).await.expect("and goes on again");
    world.goes_to(end - 86_400).await;
    assert_eq!(mails_about(&world, "Sua assinatura renova").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_canceled_or_monthly_subscription_has_no_renewal_announcement() {
    let (world, ana) = World::on_sqlite().await.with_subscriber("top_afiliado", "trimestral").await;
    world.cancels(&ana, "").await.expect("it is cancelled");
    let rui = world.signs_up("rui@exemplo.com.br").await;
    world.subscribes(&rui, "top_afiliado", "month").await;

    world.advances_days(89).await;

    assert_eq!(mails_about(&world, "Sua assinatura renova").await.len(), 0);
    let mails = world.mails_to("rui@exemplo.com.br").await;
    assert!(mails.iter().all(|mail| !mail["subject"].as_str().expect("a subject").contains("renova em")));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_renewal_announcement_has_the_amount_due_and_the_part_that_credit_pays() {
    for (balance, due, said) in [
        (
            "-10000",
            "Valor: R$ 134,96",
            "O seu crédito de R$ 100,00 é usado primeiro, e faltam R$ 134,96. A cobrança será feita no cartão",
        ),
        ("-30000", "Valor: R$ 0,00", "O seu crédito de R$ 300,00 paga esta renovação. Nada será cobrado."),
    ] {
        let (world, ana) = World::on_sqlite().await.with_subscriber("top_afiliado", "trimestral").await;
        let path = format!("/v1/customers/{}", customer_of(&world, &ana).await);
        world.provider_posts(&path, &[("balance", balance)]).await;
        world.rest().await;

        world.advances_days(84).await;

        let mail = mails_about(&world, "Sua assinatura renova").await.remove(0);
        let text = mail["text"].as_str().expect("a text");
        assert!(text.contains(due) && text.contains(said), "{text}");
    }
}
