//! Which coupons are found and where they are refused.

use super::*;
use crate::catalog::catalog;

fn context(now: &str, campaign: CampaignSwitch, history: BuyerHistory) -> PriceContext {
    PriceContext { now: Timestamp::parse_rfc3339(now).unwrap(), campaign, history }
}

fn check(id: &str, plan: PlanId, interval: Interval, context: &PriceContext) -> Result<(), CouponRefusal> {
    catalog().coupon(id).unwrap().check(plan, interval, context, catalog())
}

#[test]
fn cupom_e_achado_por_id_ou_codigo_sem_caixa_nem_acento() {
    for (written, id, code) in [
        ("novo10", "novo10", "NOVO10"),
        ("NOVO10", "novo10", "NOVO10"),
        ("novo-usuario", "novo10", "NOVO10"),
        ("bf40", "BF40", "BF40"),
        ("blackfriday", "BF40", "BF40"),
        ("Aniversário", "aniversario15", "ANIVERSARIO15"),
        (" COMEBACK30 ", "COMEBACK30", "COMEBACK30"),
        ("parceiro10", "parceiro10", "PARCEIRO10"),
        ("parceiro10:maria", "parceiro10", "MARIA"),
        ("blacknovember", "blacknovember", "BLACKNOVEMBER"),
    ] {
        let chosen = catalog().coupon_named(written).unwrap();
        assert_eq!((chosen.coupon.id.as_str(), chosen.code.as_str()), (id, code), "{written}");
    }
}

#[test]
fn cupom_desconhecido_nao_vira_parceiro() {
    for written in
        ["", "naoexiste", "10%", "novo10 x", "parceiro10:", "parceiro10:novo", "novo10:maria", "a:b:c"]
    {
        assert_eq!(catalog().coupon_named(written), Err(CouponRefusal::Unknown), "{written}");
    }
}

#[test]
fn so_o_novo10_exige_a_primeira_assinatura() {
    let returning = context("2026-11-10T12:00:00Z", CampaignSwitch::Auto, BuyerHistory::PaidBefore);
    for coupon in &catalog().coupons {
        let refused = coupon.check(PlanId::ELITE_PRO_1, Interval::Monthly, &returning, catalog());
        let expected = if coupon.id == "novo10" { Err(CouponRefusal::NotFirstSubscription) } else { Ok(()) };
        assert_eq!(refused, expected, "{}", coupon.id);
    }
}

#[test]
fn so_o_blacknovember_e_apenas_mensal() {
    let buyer = context("2026-11-10T12:00:00Z", CampaignSwitch::Auto, BuyerHistory::FirstSubscription);
    for coupon in &catalog().coupons {
        for interval in [Interval::Quarterly, Interval::Semiannual, Interval::Annual] {
            let refused = coupon.check(PlanId::ELITE_NIVEL_1, interval, &buyer, catalog());
            let expected =
                if coupon.id == "blacknovember" { Err(CouponRefusal::MonthlyOnly) } else { Ok(()) };
            assert_eq!(refused, expected, "{} {interval}", coupon.id);
        }
    }
}

#[test]
fn blacknovember_vale_para_elite_nivel_1_e_todo_elite_pro() {
    let buyer = context("2026-11-10T12:00:00Z", CampaignSwitch::Auto, BuyerHistory::FirstSubscription);
    for plan in catalog().plans_for_sale() {
        let covered = plan.id == PlanId::ELITE_NIVEL_1 || plan.name.starts_with("Elite PRO");
        let expected = if covered { Ok(()) } else { Err(CouponRefusal::OtherPlan) };
        assert_eq!(check("blacknovember", plan.id, Interval::Monthly, &buyer), expected, "{}", plan.id);
    }
}

#[test]
fn blacknovember_e_aceito_ate_24_horas_depois_da_campanha() {
    for (now, campaign, expected) in [
        ("2026-11-01T02:59:59Z", CampaignSwitch::Auto, Err(CouponRefusal::CampaignOff)),
        ("2026-11-01T03:00:00Z", CampaignSwitch::Auto, Ok(())),
        ("2026-12-01T02:59:59Z", CampaignSwitch::Auto, Ok(())),
        ("2026-12-02T02:59:59Z", CampaignSwitch::Auto, Ok(())),
        ("2026-12-02T03:00:00Z", CampaignSwitch::Auto, Err(CouponRefusal::CampaignOff)),
        ("2026-06-01T12:00:00Z", CampaignSwitch::On, Ok(())),
        ("2026-11-10T12:00:00Z", CampaignSwitch::Off, Err(CouponRefusal::CampaignOff)),
    ] {
        let context = context(now, campaign, BuyerHistory::FirstSubscription);
        assert_eq!(
            check("blacknovember", PlanId::ELITE_NIVEL_1, Interval::Monthly, &context),
            expected,
            "{now}"
        );
    }
}
