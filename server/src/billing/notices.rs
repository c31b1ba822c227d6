//! What people and platforms are told of a transition: jobs written with it, each under a key that sends once.

use garimpo_domain::checkout::BOLETO_MIN;
use garimpo_domain::plans::PlanId;
use garimpo_domain::subscription::{Access, Policy, Status};
use garimpo_domain::{Centavos, Interval, Timestamp, catalog};

use super::conversions::conversions_in_tx;
use super::farewell::Losses;
use super::projection::{NewCancellation, NewPayment, NewTrialPurchase, Projection};
use crate::mail::{Template, Values, mail_enqueue_in_tx};
use crate::store::invoices::Invoice;
use crate::store::subscriptions::Subscription;
use crate::store::{Account, StoreError, Tx};

mod changes;
mod refunds;

use changes::changed_in_tx;
pub(super) use refunds::{payment_returned_in_tx, refund_paid_in_tx, refund_requested_in_tx};
use refunds::{refund_made_values, ways};

/// Enqueues the mails and conversions of a projection.
pub(super) async fn enqueue_in_tx(
    tx: &mut Tx,
    account: &Account,
    projection: &Projection,
    now: Timestamp,
    policy: &Policy,
) -> Result<(), StoreError> {
    for change in &projection.changes {
        changed_in_tx(tx, account, change, projection.balance_centavos, now).await?;
    }
    for NewTrialPurchase { subscription, first_centavos, first_charge_at } in &projection.trial_purchases {
        let key = format!("trial_purchase:{}", subscription.id);
        let mut values = bought(subscription, *first_centavos);
        values.insert("charged_on".into(), day(*first_charge_at));
        mail_enqueue_in_tx(tx, key, Template::TrialPurchase, &account.uid, values, now).await?;
    }
    for payment in &projection.payments {
        let key = format!("payment_confirmed:{}", payment.invoice.id);
        let values = payment_values(payment);
        mail_enqueue_in_tx(tx, key, Template::PaymentConfirmed, &account.uid, values, now).await?;
    }
    for payment in projection.payments.iter().chain(&projection.change_payments) {
        conversions_in_tx(tx, account, payment, now).await?;
    }
    for invoice in &projection.boletos {
        let Some(subscription) = owner(projection, invoice) else { continue };
        let key = format!("boleto_issued:{}:{}", invoice.id, invoice.boleto_line);
        let status = subscription.state()?.phase_at(now, policy).status;
        let values = boleto_values(invoice, subscription, status);
        mail_enqueue_in_tx(tx, key, Template::BoletoIssued, &account.uid, values, now).await?;
    }
    for invoice in &projection.failures {
        let Some(subscription) = owner(projection, invoice) else { continue };
        let key = format!("payment_failed:{}", invoice.id);
        let values = failed_values(invoice, subscription, now, policy)?;
        mail_enqueue_in_tx(tx, key, Template::PaymentFailed, &account.uid, values, now).await?;
    }
    for NewCancellation { subscription, asked_at } in &projection.cancellations {
        let key = format!("subscription_canceled:{}:{asked_at}", subscription.id);
        let voids_boleto =
            projection.invoices.iter().any(|invoice| is_void_boleto(invoice, subscription, now));
        let values = canceled_values(subscription, voids_boleto, now, policy)?;
        mail_enqueue_in_tx(tx, key, Template::SubscriptionCanceled, &account.uid, values, now).await?;
    }
    for refund in &projection.refunds {
        let key = format!("refund_made:{}:{}", refund.invoice.id, refund.invoice.refunded_centavos);
        let values = refund_made_values(refund);
        mail_enqueue_in_tx(tx, key, Template::RefundMade, &account.uid, values, now).await?;
    }
    Ok(())
}

/// A charge that did not go through: of which kind, and what it does to the access.
fn failed_values(
    invoice: &Invoice,
    subscription: &Subscription,
    now: Timestamp,
    policy: &Policy,
) -> Result<Values, StoreError> {
    let access = match subscription.state()?.phase_at(now, policy).access {
        Access::Paid(until) | Access::Trial(until) => format!("O seu acesso continua até {}.", day(until)),
        Access::None => "O seu acesso está suspenso até o pagamento ser confirmado.".to_owned(),
    };
    let is_first = subscription.first_paid_at_us.is_none();
    let charge = if is_first { "na primeira cobrança" } else { "na renovação" };
    let mut values = bought(subscription, invoice.amount_due_centavos);
    values.insert("access".into(), access);
    values.insert("charge".into(), charge.to_owned());
    Ok(values)
}

/// Whether the slip of an invoice could still be paid, and gives nothing: its subscription is over.
fn is_void_boleto(invoice: &Invoice, subscription: &Subscription, now: Timestamp) -> bool {
    subscription.ended_at_us.is_some()
        && invoice.subscription_id == subscription.id
        && invoice.status != "paid"
        && !invoice.boleto_line.is_empty()
        && invoice.boleto_due_at_us.is_some_and(|due| now.as_micros() <= due)
}

const DO_NOT_PAY: &str = "O boleto em aberto foi cancelado: não pague.";

/// A boleto that can be paid until tomorrow.
pub(super) fn boleto_expiring_values(invoice: &Invoice, subscription: &Subscription) -> Values {
    boleto_values(invoice, subscription, Status::Active)
}

/// A renewal that comes: its day, what is charged after credit, and how.
pub(super) fn renewal_values(subscription: &Subscription, until: Timestamp, balance_centavos: i64) -> Values {
    let mut values = bought(subscription, subscription.price_centavos);
    let by_boleto = subscription.payment_method == "boleto";
    let left = subscription.price_centavos + balance_centavos;
    let how = match (by_boleto, left) {
        (_, ..=0) => "Nada será cobrado.",
        (true, left) if left < BOLETO_MIN.get() => {
            "O que falta é pouco para um boleto e vem com a renovação seguinte."
        }
        (true, _) => "Enviaremos um novo boleto para você pagar.",
        (false, _) => "A cobrança será feita no cartão cadastrado.",
    };
    let first = match balance_centavos {
        0 => String::new(),
        credit @ ..0 if left > 0 => format!(
            "O seu crédito de {} é usado primeiro, e faltam {}. ",
            Centavos::new(-credit),
            Centavos::new(left)
        ),
        credit @ ..0 => format!("O seu crédito de {} paga esta renovação. ", Centavos::new(-credit)),
        rest => format!("Com ela vêm {} da fatura anterior. ", Centavos::new(rest)),
    };
    values.insert("renews_on".into(), day(until));
    values.insert("how".into(), format!("{first}{how}"));
    values
}

/// Until when access lasts, as rights say it, and that the cancellation can be undone until then.
fn canceled_values(
    subscription: &Subscription,
    voids_boleto: bool,
    now: Timestamp,
    policy: &Policy,
) -> Result<Values, StoreError> {
    let suspended = subscription.state()?.phase_at(now, policy).status == Status::Suspended;
    let mut values = bought(subscription, subscription.price_centavos);
    let end = subscription.paid_until_us.or(subscription.first_charge_at_us).map(Timestamp::from_micros);
    let is_over = subscription.ended_at_us.is_some() || subscription.returned_at_us.is_some();
    let lasts = end.filter(|end| !is_over && now < *end);
    let (access, undo) = match lasts {
        Some(end) if suspended => (
            "O seu acesso está suspenso, e não haverá novas cobranças.".to_owned(),
            format!("Mudou de ideia? Até {}, você pode desfazer o cancelamento na sua conta.", day(end)),
        ),
        Some(end) => (
            format!("O seu acesso continua até {}, e não haverá novas cobranças.", day(end)),
            "Mudou de ideia? Até lá, você pode desfazer o cancelamento na sua conta.".to_owned(),
        ),
        None => (
            "O seu acesso terminou, e não haverá novas cobranças.".to_owned(),
            "Quando quiser voltar, é só escolher um plano na sua conta.".to_owned(),
        ),
    };
    values.insert("access".into(), if voids_boleto { format!("{access} {DO_NOT_PAY}") } else { access });
    values.insert("undo".into(), undo);
    Ok(values)
}

fn owner<'p>(projection: &'p Projection, invoice: &Invoice) -> Option<&'p Subscription> {
    projection.subscriptions.iter().find(|row| row.id == invoice.subscription_id)
}

/// What the last mail of an account says of its money.
pub(super) fn end_in_words(losses: &Losses<'_>) -> String {
    let mut said = Vec::new();
    match losses.subscription {
        Some(row) => {
            let plan = bought(row, 0).remove("plan").unwrap_or_default();
            said.push(format!("A assinatura {plan} foi encerrada e não haverá novas cobranças."));
        }
        None => said.push("Nenhuma assinatura estava ativa.".to_owned()),
    }
    if losses.voids_boleto {
        said.push(DO_NOT_PAY.to_owned());
    }
    let back = losses.refund_centavos();
    if back.get() > 0 {
        let how = ways(back.get(), losses.refund_pix_centavos(), "por Pix, para este email, em até 30 dias");
        said.push(format!("Pela garantia de 7 dias, {back} voltam {how}."));
    }
    said.join(" ")
}

fn payment_values(payment: &NewPayment) -> Values {
    let invoice = &payment.invoice;
    let (credit, carried) = (invoice.credit_used(), invoice.carried_centavos);
    let centavos = |amount: i64| Centavos::new(amount).to_string();
    // What an earlier invoice had left was asked for with this one.
    let mut values = bought(&payment.subscription, invoice.total_centavos - credit.min(0));
    let by_credit = (credit > 0).then(|| format!("{} do seu crédito", centavos(credit)));
    let later = (carried > 0).then(|| format!("{} que ficam para a próxima fatura", centavos(carried)));
    let parts: Vec<String> = by_credit.into_iter().chain(later).collect();
    if !parts.is_empty() {
        let total = centavos(invoice.total_centavos);
        values.insert("amount".into(), format!("{total}, sendo {},", parts.join(" e ")));
    }
    let paid_until = payment.subscription.paid_until_us.map(Timestamp::from_micros);
    values.insert("paid_until".into(), paid_until.map(day).unwrap_or_default());
    values
}

fn boleto_values(invoice: &Invoice, subscription: &Subscription, status: Status) -> Values {
    let mut values = bought(subscription, invoice.amount_due_centavos);
    let due = invoice.boleto_due_at_us.map(Timestamp::from_micros).map(day).unwrap_or_default();
    values.insert("due_day".into(), due.get(..5).unwrap_or_default().to_owned());
    values.insert("due_date".into(), due);
    values.insert("line".into(), printed_line(&invoice.boleto_line));
    values.insert("voucher_url".into(), invoice.boleto_url.clone());
    let outcome = match status {
        Status::AwaitingPayment => "o acesso é liberado",
        Status::Suspended => "o acesso volta",
        _ => "o seu acesso continua",
    };
    values.insert("outcome".into(), outcome.to_owned());
    values
}

pub(super) fn bought(subscription: &Subscription, total_centavos: i64) -> Values {
    named(&subscription.plan_id, &subscription.plan_interval, total_centavos)
}

fn named(plan_id: &str, interval: &str, total_centavos: i64) -> Values {
    let plan = PlanId::parse(plan_id).map(|id| catalog().plan(id).name.clone());
    let period = Interval::parse(interval).map(|interval| interval.name().to_lowercase());
    Values::from([
        ("plan".to_owned(), plan.unwrap_or_else(|| plan_id.to_owned())),
        ("period".to_owned(), period.unwrap_or_default()),
        ("amount".to_owned(), Centavos::new(total_centavos).to_string()),
    ])
}

pub(super) fn day(at: Timestamp) -> String {
    at.day_in_sao_paulo().to_string()
}

/// The typeable line as banks print it: AAAAA.AAAAD BBBBB.BBBBBD CCCCC.CCCCCD G VVVVVVVVVVVVVV.
fn printed_line(line: &str) -> String {
    if line.len() != 47 || !line.bytes().all(|byte| byte.is_ascii_digit()) {
        return line.to_owned();
    }
    let part = |from: usize, to: usize| &line[from..to];
    format!(
        "{}.{} {}.{} {}.{} {} {}",
        part(0, 5),
        part(5, 10),
        part(10, 15),
        part(15, 21),
        part(21, 26),
        part(26, 32),
        part(32, 33),
        part(33, 47)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linha_digitavel_e_impressa_em_cinco_campos() {
        assert_eq!(
            printed_line("34191091233456781234156789010008116510000002990"),
            "34191.09123 34567.812341 56789.010008 1 16510000002990"
        );
        assert_eq!(printed_line("123"), "123");
    }
}
