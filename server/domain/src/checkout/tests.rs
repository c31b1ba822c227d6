//! Reading an order, the boleto's bounds, and when a charge may wait.

use super::*;
use crate::campaign::CampaignSwitch;
use crate::catalog::catalog;
use crate::coupons::BuyerHistory;
use crate::plans::PlanId;
use crate::subscription::tests::awaiting;

fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

fn order(plan: &str, interval: &str, coupon: Option<&str>) -> Result<Quote, OrderError> {
    let context = PriceContext {
        now: at("2026-06-01T12:00:00Z"),
        campaign: CampaignSwitch::Auto,
        history: BuyerHistory::FirstSubscription,
    };
    catalog().order(plan, interval, coupon, &context)
}

#[test]
fn pedido_e_lido_nas_grafias_do_rest() {
    let quote = order("elite nivel 2", "semestral", Some("NOVO10")).unwrap();
    assert_eq!((quote.plan, quote.interval), (PlanId::ELITE_NIVEL_2, Interval::Semiannual));
    assert_eq!(quote.first_payment.to_string(), "R$ 784,44");
    assert_eq!(order("top_afiliado", "month", Some("")).unwrap().coupon, None);
}

#[test]
fn pedido_errado_diz_o_que_esta_errado() {
    for (plan, interval, coupon, expected) in [
        ("plano x", "month", None, OrderError::UnknownPlan),
        ("", "month", None, OrderError::UnknownPlan),
        ("profissional", "monthly", None, OrderError::PlanNotForSale),
        ("Elite Nível 1", "semanal", None, OrderError::UnknownInterval),
        (
            "Elite Nível 1",
            "month",
            Some("naoexiste"),
            OrderError::CouponNotApplicable(CouponRefusal::Unknown),
        ),
        (
            "Elite Nível 1",
            "month",
            Some("blacknovember"),
            OrderError::CouponNotApplicable(CouponRefusal::CampaignOff),
        ),
    ] {
        assert_eq!(order(plan, interval, coupon), Err(expected), "{plan} {interval}");
    }
}

#[test]
fn boleto_vale_de_5_reais_a_49_999_99() {
    for (centavos, offered) in [(499, false), (500, true), (4_999_999, true), (5_000_000, false)] {
        let methods = payment_methods(Centavos::new(centavos));
        assert_eq!(methods.contains(&PaymentMethod::Boleto), offered, "{centavos}");
        assert!(methods.contains(&PaymentMethod::Card));
    }
}

#[test]
fn preco_mostrado_diferente_e_avisado() {
    let quote = order("top_afiliado", "month", None).unwrap();
    assert_eq!(check_shown_price(quote.first_payment, None), Ok(()));
    assert_eq!(check_shown_price(quote.first_payment, Some(Centavos::reais(97, 90))), Ok(()));
    let changed = PriceChanged { first_payment: Centavos::reais(97, 90) };
    assert_eq!(check_shown_price(quote.first_payment, Some(Centavos::reais(88, 11))), Err(changed));
}

#[test]
fn compra_no_teste_e_cobrada_na_hora_por_padrao() {
    let end = at("2026-06-08T12:00:00Z");
    let now = at("2026-06-02T12:00:00Z");
    assert_eq!(first_charge_at(TrialPurchase::AtOnce, Some(end), now), None);
    assert_eq!(first_charge_at(TrialPurchase::AtTrialEnd, Some(end), now), Some(end));
    assert_eq!(first_charge_at(TrialPurchase::AtTrialEnd, None, now), None);
    assert_eq!(first_charge_at(TrialPurchase::AtTrialEnd, Some(end), end.plus_hours(-48)), Some(end));
    assert_eq!(
        first_charge_at(TrialPurchase::AtTrialEnd, Some(end), end.plus_hours(-48).plus_seconds(1)),
        None
    );
}

#[test]
fn formas_de_pagamento_tem_o_nome_do_provedor() {
    assert_eq!(PaymentMethod::Card.name(), "card");
    assert_eq!(PaymentMethod::Boleto.name(), "boleto");
}

#[test]
fn quem_tem_assinatura_viva_nao_comeca_outra_compra() {
    let awaiting = awaiting();
    let paid = SubscriptionState {
        first_paid_at: Some(at("2026-06-01T12:00:00Z")),
        paid_until: Some(at("2026-07-01T12:00:00Z")),
        ..awaiting
    };
    let (within, suspended) = (at("2026-06-15T12:00:00Z"), at("2026-07-03T12:00:00Z"));

    for (subscription, now, expected) in [
        (Some(&paid), within, Err(AlreadySubscribed)),
        (Some(&paid), suspended, Ok(())),
        (Some(&awaiting), within, Ok(())),
        (None, within, Ok(())),
    ] {
        assert_eq!(may_start(subscription, now, &Policy::default()), expected, "{subscription:?} {now}");
    }
}
