//! The sentences that mails of billing choose between. Fixed sentences are in `mail::letters`.
//!
//! The notices choose a sentence; only this file contains their texts.

use garimpo_domain::balance::NextCharge;
use garimpo_domain::guarantee::{GUARANTEE_DAYS, PIX_REFUND_DAYS};
use garimpo_domain::{Centavos, Settlement, Timestamp};

/// A day as mails write it: `26/11/2026`.
pub(crate) fn day(at: Timestamp) -> String {
    at.day_in_sao_paulo().to_string()
}

// Access.

pub(crate) fn access_holds(until: Timestamp) -> String {
    format!("O seu acesso continua até {}.", day(until))
}

pub(crate) const ACCESS_IS_SUSPENDED: &str = "O seu acesso está suspenso até o pagamento ser confirmado.";

pub(super) fn access_holds_without_charges(until: Timestamp) -> String {
    format!("O seu acesso continua até {}, e não haverá novas cobranças.", day(until))
}

pub(super) const ACCESS_IS_SUSPENDED_WITHOUT_CHARGES: &str =
    "O seu acesso está suspenso, e não haverá novas cobranças.";

pub(super) const ACCESS_ENDED_WITHOUT_CHARGES: &str = "O seu acesso terminou, e não haverá novas cobranças.";

pub(super) const SUBSCRIPTION_ENDED_WITH_IT: &str = "Com isso, a assinatura e o acesso terminaram.";

pub(super) const SUBSCRIPTION_GOES_ON: &str = "A sua assinatura continua como está.";

// The effect of paying a boleto.

pub(super) const ACCESS_OPENS: &str = "o acesso é liberado";

pub(super) const ACCESS_COMES_BACK: &str = "o acesso volta";

pub(super) const ACCESS_GOES_ON: &str = "o seu acesso continua";

// Charges and payments.

pub(super) const AT_FIRST_CHARGE: &str = "na primeira cobrança";

pub(super) const AT_RENEWAL: &str = "na renovação";

pub(super) fn of_your_credit(credit: Centavos) -> String {
    format!("{credit} do seu crédito")
}

pub(super) fn left_for_the_next_invoice(carried: Centavos) -> String {
    format!("{carried} que ficam para a próxima fatura")
}

pub(super) fn total_made_of(total: Centavos, parts: &[String]) -> String {
    format!("{total}, sendo {}", parts.join(" e "))
}

// Coming renewals: how credit or a rest changes the amount, and how it is paid.

pub(super) fn credit_pays_a_part(credit: Centavos, left: Centavos) -> String {
    format!("O seu crédito de {credit} é usado primeiro, e faltam {left}. ")
}

pub(super) fn credit_pays_it(credit: Centavos) -> String {
    format!("O seu crédito de {credit} paga esta renovação. ")
}

pub(super) fn comes_with_it(rest: Centavos) -> String {
    format!("A renovação inclui {rest} da fatura anterior. ")
}

pub(super) const NOTHING_WILL_BE_CHARGED: &str = "Nada será cobrado.";

pub(super) const TOO_LITTLE_FOR_A_BOLETO: &str =
    "O que falta é pouco para um boleto e vem com a renovação seguinte.";

pub(super) const TOO_LITTLE_FOR_A_CHARGE: &str =
    "O que falta é pouco para uma cobrança e vem com a renovação seguinte.";

pub(super) const A_BOLETO_WILL_COME: &str = "Enviaremos um novo boleto para você pagar.";

pub(super) const THE_CARD_WILL_BE_CHARGED: &str = "A cobrança será feita no cartão cadastrado.";

// Cancellation, and deletion of an account.

pub(super) fn undo_until_text(until: Timestamp) -> String {
    format!("Mudou de ideia? Até {}, você pode desfazer o cancelamento na sua conta.", day(until))
}

pub(super) const CAN_BE_UNDONE_UNTIL_THEN: &str =
    "Mudou de ideia? Até lá, você pode desfazer o cancelamento na sua conta.";

pub(super) const COME_BACK_BY_A_PLAN: &str = "Quando quiser voltar, é só escolher um plano na sua conta.";

/// Follows 'cancelada'; the mail about a requested cancellation has nothing in its place.
pub(super) const FOR_NON_PAYMENT: &str = " por falta de pagamento";

pub(super) const DO_NOT_PAY: &str = "O boleto em aberto foi cancelado: não pague.";

pub(super) fn subscription_ended(plan: &str) -> String {
    format!("A assinatura {plan} foi encerrada e não haverá novas cobranças.")
}

pub(super) const NO_SUBSCRIPTION_RAN: &str = "Nenhuma assinatura estava ativa.";

pub(super) fn guarantee_gives_back(money: Centavos, how: &str) -> String {
    format!("Pela garantia de {GUARANTEE_DAYS} dias, {money} voltam {how}.")
}

// Refund methods.

pub(super) const BACK_ON_CARD: &str = "no mesmo cartão, em 5 a 10 dias úteis";

pub(super) fn back_by_pix() -> String {
    format!("por Pix, em até {PIX_REFUND_DAYS} dias")
}

pub(super) fn back_by_pix_to_this_email() -> String {
    format!("por Pix, para este email, em até {PIX_REFUND_DAYS} dias")
}

pub(super) fn back_by_pix_to_this_key(due_at: Timestamp) -> String {
    format!("por Pix, para a chave que é este email, até {}", day(due_at))
}

pub(super) const BACK_AS_CREDIT: &str = "como crédito, que as próximas cobranças usam primeiro";

pub(super) fn back_in_two_parts(on_card: Centavos, by_pix: Centavos, pix: &str) -> String {
    format!("em duas partes: {on_card} {BACK_ON_CARD}, e {by_pix} {pix}")
}

pub(super) fn credit_comes_back_too(credit: Centavos) -> String {
    format!(", e {credit} voltam ao seu crédito")
}

pub(super) fn it_comes_back_on_card() -> String {
    format!("O valor volta {BACK_ON_CARD}.")
}

pub(super) const THE_BANK_GIVES_IT_BACK: &str =
    "O banco do cartão aceitou a contestação do pagamento e devolve o valor.";

// Refund methods as headings.

pub(super) const COMES_BY_PIX: &str = "voltam por Pix";

pub(super) const GIVEN_BACK_ON_CARD: &str = "devolvidos no cartão";

pub(super) const BACK_IN_YOUR_CREDIT: &str = "de volta ao seu crédito";

// Plan changes: their cost, and the next payment.

pub(super) fn charged_now(due: Centavos, also: &str) -> String {
    format!("Cobramos {due} agora, já descontado o tempo do plano anterior que você não usou{also}.")
}

pub(super) fn and_of_your_credit(credit: Centavos) -> String {
    format!(" e {}", of_your_credit(credit))
}

pub(super) fn and_added(earlier: Centavos) -> String {
    format!(" e somados {}", left_of_the_last_invoice(earlier))
}

pub(super) fn became_credit(credit: Centavos, less: &str) -> String {
    format!("Nada foi cobrado: {credit} do plano anterior viraram crédito{less}.")
}

pub(super) fn less(earlier: Centavos) -> String {
    format!(", já descontados {}", left_of_the_last_invoice(earlier))
}

fn left_of_the_last_invoice(earlier: Centavos) -> String {
    format!("{earlier} que ficaram da fatura anterior")
}

pub(super) fn too_little_to_charge(carried: Centavos) -> String {
    format!("Nada foi cobrado agora: {carried} é pouco para uma cobrança e fica para a próxima.")
}

pub(super) fn credit_paid_the_change(credit: Centavos) -> String {
    format!("Nada foi cobrado agora: {} pagaram a mudança.", of_your_credit(credit))
}

pub(super) const NOTHING_WAS_CHARGED: &str = "Nada foi cobrado agora.";

pub(super) fn ends_on(end: &str) -> String {
    format!("A assinatura termina em {end} e não será renovada.")
}

/// The next charge in one sentence: its amount and day, and how credit or a rest changes it.
pub(super) fn next_charge(next: &NextCharge) -> String {
    let (price, end) = (next.price, day(next.at));
    let Settlement { earlier, credit_used, carried, due } = next.settlement;
    if carried > Centavos::ZERO {
        format!("Em {end}, nada será cobrado: {carried} é pouco para uma cobrança e vem com a seguinte.")
    } else if due == Centavos::ZERO {
        format!("Em {end}, nada será cobrado: o seu crédito de {} paga a renovação.", next.credit)
    } else if credit_used > Centavos::ZERO {
        format!("A próxima cobrança, de {due}, será em {end}: {price} menos {credit_used} do seu crédito.")
    } else if earlier > Centavos::ZERO {
        format!("A próxima cobrança, de {due}, será em {end}: {price} e {earlier} que ficaram para ela.")
    } else {
        format!("A próxima cobrança, de {due}, será em {end}.")
    }
}

/// The amount of a first charge, after credit.
pub(super) fn first_charge(next: &NextCharge) -> String {
    let Settlement { credit_used, due, .. } = next.settlement;
    if credit_used > Centavos::ZERO { format!("{due} (já com o seu crédito)") } else { due.to_string() }
}
