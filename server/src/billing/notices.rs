//! What people and platforms are told of a transition: jobs written with it, each under a key that sends once.

use garimpo_domain::conversion::ConversionEvent;
use garimpo_domain::plans::PlanId;
use garimpo_domain::subscription::{Access, Policy, Status};
use garimpo_domain::{Centavos, Interval, Timestamp, catalog};

use super::farewell::Losses;
use super::projection::{NewPayment, Projection};
use crate::mail::{Template, Values, mail_enqueue_in_tx};
use crate::store::checkouts::checkout_session_in_tx;
use crate::store::invoices::Invoice;
use crate::store::refunds::Refund;
use crate::store::subscriptions::Subscription;
use crate::store::{Account, StoreError, Tx};
use crate::tracking::{Conversion, conversion_hold_in_tx};

/// Enqueues the mails and conversions of a projection.
pub(super) async fn enqueue_in_tx(
    tx: &mut Tx,
    account: &Account,
    projection: &Projection,
    now: Timestamp,
    policy: &Policy,
) -> Result<(), StoreError> {
    for payment in &projection.payments {
        let key = format!("payment_confirmed:{}", payment.invoice.id);
        let values = payment_values(payment);
        mail_enqueue_in_tx(tx, key, Template::PaymentConfirmed, &account.uid, values, now).await?;
        if payment.opens_subscription {
            conversions_in_tx(tx, account, payment, now).await?;
        }
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
        let mut values = bought(subscription, invoice.total_centavos);
        let access = match subscription.state()?.phase_at(now, policy).access {
            Access::Paid(until) | Access::Trial(until) => {
                format!("O seu acesso continua até {}.", day(until))
            }
            Access::None => "O seu acesso está suspenso até o pagamento ser confirmado.".to_owned(),
        };
        values.insert("access".into(), access);
        mail_enqueue_in_tx(tx, key, Template::PaymentFailed, &account.uid, values, now).await?;
    }
    Ok(())
}

fn owner<'p>(projection: &'p Projection, invoice: &Invoice) -> Option<&'p Subscription> {
    projection.subscriptions.iter().find(|row| row.id == invoice.subscription_id)
}

/// Tells the buyer that the second of two payments is given back, how and until when; once per subscription.
pub(super) async fn payment_returned_in_tx(
    tx: &mut Tx,
    refund: &Refund,
    subscription: &Subscription,
    now: Timestamp,
) -> Result<(), StoreError> {
    let key = format!("payment_returned:{}", refund.subscription_id);
    let mut values = bought(subscription, refund.amount_centavos);
    let (outcome, how) = if refund.method == "pix" {
        ("voltam por Pix", "por Pix, em até 30 dias")
    } else {
        ("devolvidos no cartão", "no mesmo cartão, em 5 a 10 dias úteis")
    };
    values.insert("outcome".into(), outcome.to_owned());
    values.insert("how".into(), how.to_owned());
    mail_enqueue_in_tx(tx, key, Template::PaymentReturned, &refund.uid, values, now).await
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
        said.push("O boleto em aberto foi cancelado: não pague.".to_owned());
    }
    let how = match losses.refund_method() {
        Some("pix") => "por Pix, para este email, em até 30 dias",
        Some(_) => "no mesmo cartão, em 5 a 10 dias úteis",
        None => return said.join(" "),
    };
    said.push(format!("Pela garantia de 7 dias, {} voltam {how}.", losses.refund_centavos()));
    said.join(" ")
}

/// The server alone tells the platforms of money, with the real value; page and server share the event's id.
async fn conversions_in_tx(
    tx: &mut Tx,
    account: &Account,
    payment: &NewPayment,
    now: Timestamp,
) -> Result<(), StoreError> {
    let session = checkout_session_in_tx(tx, &payment.subscription.id).await?;
    let subject = session.unwrap_or_else(|| payment.subscription.id.clone());
    let mut events = vec![ConversionEvent::PaymentConfirmed];
    if payment.is_new_subscriber {
        events.push(ConversionEvent::NewSubscriber);
    }
    for event in events {
        let conversion = Conversion::of_payment(event, &subject, account, payment_facts(payment));
        conversion_hold_in_tx(tx, &conversion, now).await?;
    }
    Ok(())
}

fn payment_facts(payment: &NewPayment) -> crate::tracking::PaymentFacts {
    crate::tracking::PaymentFacts {
        paid_at: Timestamp::from_micros(payment.invoice.paid_at_us.unwrap_or(payment.invoice.created_at_us)),
        value: Centavos::new(payment.invoice.total_centavos),
        plan_id: payment.subscription.plan_id.clone(),
        interval: payment.subscription.plan_interval.clone(),
    }
}

fn payment_values(payment: &NewPayment) -> Values {
    let mut values = bought(&payment.subscription, payment.invoice.total_centavos);
    let paid_until = payment.subscription.paid_until_us.map(Timestamp::from_micros);
    values.insert("paid_until".into(), paid_until.map(day).unwrap_or_default());
    values
}

fn boleto_values(invoice: &Invoice, subscription: &Subscription, status: Status) -> Values {
    let mut values = bought(subscription, invoice.total_centavos);
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

fn bought(subscription: &Subscription, total_centavos: i64) -> Values {
    let plan = PlanId::parse(&subscription.plan_id).map(|id| catalog().plan(id).name.clone());
    let period = Interval::parse(&subscription.plan_interval).map(|interval| interval.name().to_lowercase());
    Values::from([
        ("plan".to_owned(), plan.unwrap_or_else(|| subscription.plan_id.clone())),
        ("period".to_owned(), period.unwrap_or_default()),
        ("amount".to_owned(), Centavos::new(total_centavos).to_string()),
    ])
}

fn day(at: Timestamp) -> String {
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
