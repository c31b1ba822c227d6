//! The next charge is one amount in the preview, in GetSubscription, in the mails and at the
//! renewal.

use garimpo_domain::Centavos;
use garimpo_proto::billing::v1 as pb;

use super::{DAY, preview, seconds};
use crate::billing::tests::plan_change::change;
use crate::billing::tests::{VISA, customer_of, mails_about};
use crate::tests::world::World;

/// A plan change, and how the purchase before it was made.
struct Case {
    name: &'static str,
    bought: (&'static str, &'static str),
    coupon: &'static str,
    by_boleto: bool,
    /// Time between the purchase and the change.
    after_days: i64,
    /// Balance at the provider before the change; negative is credit.
    balance: &'static str,
    plan: &'static str,
    /// Allowed amounts of the next charge. Credit depends on the second of the change.
    charges: std::ops::RangeInclusive<i64>,
}

const MONTHLY_BY_CARD: Case = Case {
    name: "",
    bought: ("top_afiliado", "month"),
    coupon: "",
    by_boleto: false,
    after_days: 0,
    balance: "0",
    plan: "elite_nivel_2",
    charges: 21_790..=21_790,
};

#[tokio::test(flavor = "multi_thread")]
async fn the_next_charge_is_one_amount_in_preview_page_mail_and_renewal() {
    for case in [
        Case { name: "a dearer plan", ..MONTHLY_BY_CARD },
        Case {
            name: "a coupon lowers the first month alone",
            bought: ("elite_nivel_1", "month"),
            coupon: "novo10",
            ..MONTHLY_BY_CARD
        },
        Case {
            name: "credit of a cheaper plan pays all of it",
            bought: ("elite_pro_1", "month"),
            plan: "top_afiliado",
            charges: 0..=0,
            ..MONTHLY_BY_CARD
        },
        Case {
            name: "credit of a cheaper plan pays a part",
            bought: ("elite_nivel_2", "month"),
            after_days: 20,
            plan: "top_afiliado",
            charges: 5_750..=5_850,
            ..MONTHLY_BY_CARD
        },
        Case {
            name: "the rest is below the minimum of a boleto",
            bought: ("elite_nivel_2", "month"),
            by_boleto: true,
            after_days: 20,
            balance: "-5500",
            plan: "top_afiliado",
            charges: 0..=0,
            ..MONTHLY_BY_CARD
        },
        Case {
            name: "a boleto that credit pays in part",
            bought: ("elite_nivel_2", "month"),
            by_boleto: true,
            after_days: 20,
            plan: "top_afiliado",
            charges: 5_750..=5_850,
            ..MONTHLY_BY_CARD
        },
        Case {
            name: "a yearly plan",
            bought: ("elite_nivel_2", "anual"),
            after_days: 300,
            plan: "top_afiliado",
            charges: 45_700..=46_100,
            ..MONTHLY_BY_CARD
        },
    ] {
        assert_one_amount(&case).await;
    }
}

async fn assert_one_amount(case: &Case) {
    let (world, ana) = World::new().await.with_ana().await;
    let (plan, interval) = case.bought;
    let session = world.opens(&ana, plan, interval, case.coupon).await.expect("a checkout opens");
    if case.by_boleto {
        world.takes_boleto(&session).await;
        world.pays_boleto(&session).await;
    } else {
        world.pays_by_card(&session, VISA).await;
    }
    world.rest().await;
    if case.after_days > 0 {
        world.advances_days(case.after_days).await;
    }
    let path = format!("/v1/customers/{}", customer_of(&world, &ana).await);
    world.provider_posts(&path, &[("balance", case.balance)]).await;
    world.rest().await;
    let bought = world.account_of(&ana).await.subscription.expect("it runs");

    let shown = preview(&world, &ana, case.plan, bought.interval()).await.expect("a preview");
    change(&world, &ana, &shown.preview_token, None).await.expect("it is changed");
    world.rest().await;

    let name = case.name;
    let account = world.account_of(&ana).await;
    let changed = account.subscription.expect("it runs");
    let next = changed.next_payment_centavos.expect("it renews");
    assert!(case.charges.contains(&next), "{name}: {next}");
    assert_eq!(shown.next_charge_centavos, Some(next), "{name}: the preview");
    let end = changed.ends_at.as_ref().map(crate::wire::instant).expect("a period").day_in_sao_paulo();
    let mail = newest(&world, "Seu plano mudou").await;
    let told = match next {
        0 => format!("Em {end}, nada será cobrado: "),
        due => format!("A próxima cobrança, de {}, será em {end}", Centavos::new(due)),
    };
    assert!(mail.contains(&told), "{name}: {told}: {mail}");

    let ends = seconds(changed.ends_at);
    if bought.interval() == pb::PlanInterval::Annual {
        world.goes_to(ends - 6 * DAY).await;
        let mail = newest(&world, "Sua assinatura renova").await;
        assert!(mail.contains(&format!("faltam {}.", Centavos::new(next))), "{name}: {mail}");
    }
    world.goes_to(ends + 7_200).await;
    let renewal = world.invoices_of(&ana, 1, "").await.expect("a page").invoices.remove(0);
    assert_eq!(renewal.reason, "renewal", "{name}");
    assert_eq!(renewal.amount_due_centavos, next, "{name}: the renewal");
}

/// The newest mail with this subject.
async fn newest(world: &World, subject: &str) -> String {
    let mails = mails_about(world, subject).await;
    mails.first().and_then(|mail| mail["text"].as_str()).expect("a mail").to_owned()
}
