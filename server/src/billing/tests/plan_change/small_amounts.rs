//! Amounts too small for a charge, which move to the next invoice.

use garimpo_proto::billing::v1 as pb;

use super::{bill, buys, change, preview, seconds};
use crate::billing::tests::{VISA, customer_of};
use crate::tests::server::SignedInUser;
use crate::tests::world::World;

async fn carries(world: &World, who: &SignedInUser, centavos: &str) {
    let path = format!("/v1/customers/{}", customer_of(world, who).await);
    world.provider_posts(&path, &[("balance", centavos)]).await;
    world.rest().await;
}

async fn last_mail(world: &World) -> String {
    world.rest().await;
    world.mails_to("ana@exemplo.com.br").await[0]["text"].as_str().expect("a text").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_amount_too_small_to_charge_is_listed_in_the_preview_and_in_the_mail() {
    let (world, ana) = World::on_sqlite().await.with_ana().await;
    let bought = buys(&world, &ana, "top_afiliado", "month", VISA).await;
    let wants = async |plan: &str| {
        let shown = preview(&world, &ana, plan, pb::PlanInterval::Monthly).await.expect("a preview");
        assert_eq!(bill(&shown), shown.amount_due_centavos, "{shown:?}");
        let done = change(&world, &ana, &shown.preview_token, None).await.expect("it is changed");
        assert_eq!(done.charged_centavos, shown.amount_due_centavos.max(0), "{shown:?}");
        (shown, last_mail(&world).await)
    };

    // The rest of an earlier invoice is charged with an upgrade, and deducted from the credit
    // of a downgrade.
    carries(&world, &ana, "30").await;
    let (shown, told) = wants("elite_nivel_1").await;
    assert_eq!((shown.earlier_centavos, shown.credit_used_centavos, shown.carried_centavos), (30, 0, 0));
    assert!(told.contains("não usou e somados R$ 0,30 que ficaram da fatura anterior."), "{told}");
    carries(&world, &ana, "30").await;
    let (shown, told) = wants("top_afiliado").await;
    assert_eq!((shown.earlier_centavos, shown.credit_after_centavos), (30, -shown.amount_due_centavos));
    assert!(told.contains("viraram crédito, já descontados R$ 0,30 que ficaram da fatura"), "{told}");

    // Two hours before the period end a change costs less than the minimum charge.
    carries(&world, &ana, "0").await;
    world.goes_to(seconds(bought.ends_at) - 7_200).await;
    let (shown, told) = wants("elite_nivel_1").await;
    let rest = shown.carried_centavos;
    assert!((1..50).contains(&rest) && shown.credit_used_centavos == 0, "{shown:?}");
    assert_eq!(shown.amount_due_centavos, 0);
    let [little, sum] = [rest, 19_790 + rest].map(garimpo_domain::Centavos::new);
    assert!(told.contains(&format!("{little} é pouco para uma cobrança e fica para a próxima.")), "{told}");
    assert!(told.contains(&format!("A próxima cobrança, de {sum}, será em")), "{told}");
    world.goes_to(seconds(bought.ends_at) + 7_200).await;
    assert_eq!(world.provider_list("/v1/charges").await[0]["amount"], 19_790 + rest);
}
