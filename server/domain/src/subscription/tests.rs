//! What one subscription gives over time.

use super::*;

fn day(n: i64) -> Timestamp {
    Timestamp::from_unix_seconds(1_800_000_000).plus_days(n)
}

fn paid() -> SubscriptionState {
    SubscriptionState { first_paid_at: Some(day(0)), paid_until: Some(day(30)), ..awaiting() }
}

/// One that waits for its first payment.
pub(crate) fn awaiting() -> SubscriptionState {
    SubscriptionState {
        plan: PlanId::ELITE_NIVEL_2,
        first_paid_at: None,
        paid_until: None,
        first_charge_at: None,
        renewal: Renewal::Open,
        pays_by_boleto: false,
        cancels_at_period_end: false,
        takeback: Takeback::None,
        ended_at: None,
    }
}

fn status_at(subscription: &SubscriptionState, now: Timestamp) -> (Status, bool) {
    let policy = Policy::default();
    (subscription.phase_at(now, &policy).status, subscription.is_live(now, &policy))
}

#[test]
fn paga_fica_ativa_ate_o_fim_e_mais_24_horas_sem_resultado() {
    let subscription = paid();
    assert_eq!(status_at(&subscription, day(0)), (Status::Active, true));
    assert_eq!(status_at(&subscription, day(30)), (Status::Active, true));
    assert_eq!(status_at(&subscription, day(31).plus_micros(-1)), (Status::Active, true));
    assert_eq!(status_at(&subscription, day(31)), (Status::Suspended, false));
    let reason = subscription.phase_at(day(31), &Policy::default()).suspended;
    assert_eq!(reason, Some(SuspendedReason::NoRenewalResult));
}

#[test]
fn cobranca_recusada_suspende_na_hora() {
    let failed = day(30).plus_hours(1);
    let subscription = SubscriptionState { renewal: Renewal::Failed { at: failed }, ..paid() };
    assert_eq!(status_at(&subscription, failed.plus_micros(-1)), (Status::Active, true));
    assert_eq!(status_at(&subscription, failed), (Status::Suspended, false));
}

#[test]
fn carencia_adia_a_suspensao() {
    let policy = Policy { grace_days: 2, ..Policy::default() };
    let subscription = SubscriptionState { renewal: Renewal::Failed { at: day(30) }, ..paid() };
    for (now, status, live) in [
        (day(30).plus_micros(-1), Status::Active, true),
        (day(30), Status::PastDue, true),
        (day(32).plus_micros(-1), Status::PastDue, true),
        (day(32), Status::Suspended, false),
    ] {
        assert_eq!(
            (subscription.phase_at(now, &policy).status, subscription.is_live(now, &policy)),
            (status, live)
        );
    }
}

#[test]
fn boleto_da_renovacao_segura_o_acesso_ate_tres_dias_depois_do_vencimento() {
    let subscription = SubscriptionState { renewal: Renewal::Voucher { due_at: day(33) }, ..paid() };
    assert_eq!(status_at(&subscription, day(33).plus_micros(-1)), (Status::Active, true));
    assert_eq!(status_at(&subscription, day(33)), (Status::PastDue, true));
    assert_eq!(status_at(&subscription, day(36).plus_micros(-1)), (Status::PastDue, true));
    assert_eq!(status_at(&subscription, day(36)), (Status::Suspended, false));
    assert_eq!(
        subscription.phase_at(day(36), &Policy::default()).suspended,
        Some(SuspendedReason::BoletoUnpaid)
    );
}

#[test]
fn falha_de_um_periodo_ja_pago_nao_corta_o_seguinte() {
    for renewal in [Renewal::Failed { at: day(1) }, Renewal::Voucher { due_at: day(3) }] {
        let cured = SubscriptionState { renewal, ..paid() };
        assert_eq!(status_at(&cured, day(30)), (Status::Active, true));
        assert_eq!(status_at(&cured, day(31)), (Status::Suspended, false));
    }
}

#[test]
fn cancelada_ao_fim_do_periodo_nao_espera_renovacao() {
    let subscription = SubscriptionState { cancels_at_period_end: true, ..paid() };
    assert_eq!(status_at(&subscription, day(30).plus_micros(-1)), (Status::Active, true));
    assert_eq!(status_at(&subscription, day(30)), (Status::Canceled, false));
}

#[test]
fn encerrada_perde_o_acesso_no_instante() {
    let subscription = SubscriptionState { ended_at: Some(day(3)), ..paid() };
    assert_eq!(status_at(&subscription, day(3).plus_micros(-1)), (Status::Active, true));
    assert_eq!(subscription.phase_at(day(1), &Policy::default()).access, Access::Paid(day(3)));
    assert_eq!(status_at(&subscription, day(3)), (Status::Canceled, false));
    let later = SubscriptionState { ended_at: Some(day(40)), ..paid() };
    assert_eq!(status_at(&later, day(35)), (Status::Suspended, false));
    assert_eq!(status_at(&later, day(40)), (Status::Canceled, false));
}

#[test]
fn sem_pagamento_aguarda_e_nao_e_viva() {
    let awaiting = SubscriptionState { first_paid_at: None, paid_until: None, ..paid() };
    assert_eq!(status_at(&awaiting, day(0)), (Status::AwaitingPayment, false));
    assert_eq!(status_at(&awaiting, day(900)), (Status::AwaitingPayment, false));
    let expired = SubscriptionState { ended_at: Some(day(4)), ..awaiting };
    assert_eq!(status_at(&expired, day(4)), (Status::Canceled, false));
}

#[test]
fn primeira_cobranca_no_fim_do_teste_e_viva_antes_dela() {
    let trialing =
        SubscriptionState { first_paid_at: None, paid_until: None, first_charge_at: Some(day(7)), ..paid() };
    assert_eq!(status_at(&trialing, day(0)), (Status::Trialing, true));
    assert_eq!(status_at(&trialing, day(7)), (Status::Trialing, true));
    assert_eq!(status_at(&trialing, day(8)), (Status::Suspended, false));
    let failed = SubscriptionState { renewal: Renewal::Failed { at: day(7) }, ..trialing };
    assert_eq!(status_at(&failed, day(7)), (Status::Suspended, false));
    let given_up = SubscriptionState { cancels_at_period_end: true, ..trialing };
    assert_eq!(status_at(&given_up, day(7)), (Status::Canceled, false));
}

#[test]
fn depois_do_periodo_so_o_que_se_cobra_sozinho_impede_outra_compra() {
    let policy = Policy::default();
    let (by_card, by_boleto) = (paid(), SubscriptionState { pays_by_boleto: true, ..paid() });
    let in_the_hour_before_the_voucher = day(30).plus_minutes(30);

    for (state, now, bars) in [
        (by_card, day(30).plus_micros(-1), true),
        (by_boleto, day(30).plus_micros(-1), true),
        (by_card, in_the_hour_before_the_voucher, true),
        (by_boleto, in_the_hour_before_the_voucher, false),
        (SubscriptionState { renewal: Renewal::Voucher { due_at: day(33) }, ..by_boleto }, day(31), false),
        (SubscriptionState { renewal: Renewal::Failed { at: day(30) }, ..by_card }, day(30), false),
    ] {
        assert_eq!(state.bars_another(now, &policy), bars, "{state:?} {now:?}");
    }
    assert!(by_boleto.is_live(in_the_hour_before_the_voucher, &policy), "access holds all the same");
}

#[test]
fn pagamento_contestado_suspende_e_o_ganho_devolve_o_acesso() {
    let disputed = SubscriptionState { takeback: Takeback::Disputed { since: day(10) }, ..paid() };

    let before = disputed.phase_at(day(10).plus_micros(-1), &Policy::default());
    let during = disputed.phase_at(day(10), &Policy::default());

    assert_eq!(before.access, Access::Paid(day(10)));
    assert_eq!((during.status, during.access), (Status::Suspended, Access::None));
    assert_eq!(during.suspended, Some(SuspendedReason::PaymentDisputed));
    assert_eq!(status_at(&disputed, day(400)), (Status::Suspended, false));
    assert!(disputed.bars_another(day(11), &Policy::default()), "the time may come back");
    assert!(!disputed.bars_another(day(400), &Policy::default()), "no time is left to come back");
    let won = SubscriptionState { takeback: Takeback::None, ..disputed };
    assert_eq!(status_at(&won, day(11)), (Status::Active, true));
}

#[test]
fn dinheiro_devolvido_encerra_o_acesso_na_hora_e_para_sempre() {
    let returned = SubscriptionState { takeback: Takeback::Returned { at: day(10) }, ..paid() };

    assert_eq!(status_at(&returned, day(10).plus_micros(-1)), (Status::Active, true));
    for later in [10, 30, 31, 400] {
        assert_eq!(status_at(&returned, day(later)), (Status::Canceled, false), "{later}");
    }
    // The provider's own end comes later and changes nothing.
    let ended = SubscriptionState { ended_at: Some(day(11)), ..returned };
    assert_eq!(status_at(&ended, day(10)), (Status::Canceled, false));
    assert_eq!(status_at(&ended, day(12)), (Status::Canceled, false));
}

#[test]
fn boleto_que_vence_no_fim_do_periodo_e_da_renovacao() {
    let due_at_the_end = SubscriptionState { renewal: Renewal::Voucher { due_at: day(30) }, ..paid() };
    assert_eq!(status_at(&due_at_the_end, day(30)), (Status::PastDue, true));
    assert_eq!(status_at(&due_at_the_end, day(33).plus_micros(-1)), (Status::PastDue, true));
    assert_eq!(status_at(&due_at_the_end, day(33)), (Status::Suspended, false));
}

#[test]
fn primeiro_pagamento_ou_periodo_pago_bastam_para_ter_sido_paga() {
    let never = SubscriptionState { first_paid_at: None, paid_until: None, ..paid() };
    assert!(!never.was_paid());
    assert!(SubscriptionState { first_paid_at: Some(day(0)), ..never }.was_paid());
    assert!(SubscriptionState { paid_until: Some(day(30)), ..never }.was_paid());
}

#[test]
fn motivos_da_suspensao_tem_nome() {
    for (reason, name) in [
        (SuspendedReason::PaymentFailed, "payment_failed"),
        (SuspendedReason::BoletoUnpaid, "boleto_unpaid"),
        (SuspendedReason::NoRenewalResult, "no_renewal_result"),
        (SuspendedReason::PaymentDisputed, "payment_disputed"),
    ] {
        assert_eq!(reason.name(), name);
    }
}

#[test]
fn fases_nao_se_repetem_no_mesmo_instante() {
    let policy = Policy::default();
    let of = |subscription: SubscriptionState| -> Vec<_> {
        subscription.phases(&policy).into_iter().map(|phase| (phase.from, phase.status)).collect()
    };
    let failed_at_once = SubscriptionState { renewal: Renewal::Failed { at: day(30) }, ..paid() };
    assert_eq!(of(failed_at_once), [(Timestamp::MIN, Status::Active), (day(30), Status::Suspended)]);
    let ended_with_the_period = SubscriptionState { ended_at: Some(day(30)), ..paid() };
    assert_eq!(of(ended_with_the_period), [(Timestamp::MIN, Status::Active), (day(30), Status::Canceled)]);
}

#[test]
fn primeira_cobranca_por_boleto_no_fim_do_teste_espera_sem_acesso() {
    let trialing = SubscriptionState {
        first_paid_at: None,
        paid_until: None,
        first_charge_at: Some(day(7)),
        renewal: Renewal::Voucher { due_at: day(10) },
        ..paid()
    };
    assert_eq!(status_at(&trialing, day(7).plus_micros(-1)), (Status::Trialing, true));
    assert_eq!(status_at(&trialing, day(7)), (Status::AwaitingPayment, false));
}
