//! What people are told of money on its way back.

use garimpo_domain::{Centavos, Timestamp};

use super::{bought, day, named};
use crate::billing::guarantee::Told;
use crate::billing::projection::NewRefund;
use crate::mail::{Template, Values, mail_enqueue_in_tx};
use crate::store::refunds::Refund;
use crate::store::subscriptions::Subscription;
use crate::store::{StoreError, Tx};

/// What went back, by whom, and whether the subscription goes on.
pub(super) fn refund_made_values(refund: &NewRefund) -> Values {
    let NewRefund { invoice, centavos, subscription } = refund;
    let mut values = match invoice.plan_id.as_str() {
        "" => bought(subscription, *centavos),
        // What was bought with it, whatever plan came after.
        plan_id => named(plan_id, &invoice.plan_interval, *centavos),
    };
    let paid_at = Timestamp::from_micros(invoice.paid_at_us.unwrap_or(invoice.created_at_us));
    let how = if invoice.dispute == "lost" {
        "O banco do cartão aceitou a contestação do pagamento e devolve o valor."
    } else {
        "O valor volta no mesmo cartão, em 5 a 10 dias úteis."
    };
    let is_over = subscription.returned_at_us.is_some() || subscription.ended_at_us.is_some();
    let access = if is_over {
        "Com isso, a assinatura e o acesso terminaram."
    } else {
        "A sua assinatura continua como está."
    };
    values.insert("paid_on".into(), day(paid_at));
    values.insert("how".into(), how.to_owned());
    values.insert("access".into(), access.to_owned());
    values
}

/// How money comes back of which a part comes by Pix, as `pix` says, and the rest on the card.
pub(super) fn ways(centavos: i64, pix_centavos: i64, pix: &str) -> String {
    const CARD: &str = "no mesmo cartão, em 5 a 10 dias úteis";
    match (centavos - pix_centavos, pix_centavos) {
        (_, 0) => CARD.to_owned(),
        (0, _) => pix.to_owned(),
        (card, by_pix) => {
            let (card, by_pix) = (Centavos::new(card), Centavos::new(by_pix));
            format!("em duas partes: {card} {CARD}, e {by_pix} {pix}")
        }
    }
}

/// Confirms at once that a refund was asked for: its protocol, and how and until when it comes.
pub(in crate::billing) async fn refund_requested_in_tx(
    tx: &mut Tx,
    uid: &str,
    subscription: &Subscription,
    told: &Told,
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut values = bought(subscription, told.centavos);
    let pix =
        told.due_at.map(|due_at| format!("por Pix, para a chave que é este email, até {}", day(due_at)));
    let how = ways(told.centavos, told.pix_centavos, &pix.unwrap_or_default());
    values.insert("how".into(), how);
    values.insert("protocol".into(), told.protocol.clone());
    // Told again where a bank did not take it, and it comes by Pix, and where a payment came to light since.
    let key = format!("refund_requested:{}:{}:{}", told.protocol, told.method, told.centavos);
    mail_enqueue_in_tx(tx, key, Template::RefundRequested, uid, values, now).await
}

/// Tells the buyer that the second of two payments is given back, how and until when; once per subscription. What
/// credit paid of it is credit again: all of it, where there is no refund.
pub(in crate::billing) async fn payment_returned_in_tx(
    tx: &mut Tx,
    subscription: &Subscription,
    refund: Option<&Refund>,
    credit_centavos: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    let key = format!("payment_returned:{}", subscription.id);
    let mut values = bought(subscription, refund.map_or(credit_centavos, |refund| refund.amount_centavos));
    let (outcome, how) = match refund.map(|refund| refund.method.as_str()) {
        Some("pix") => ("voltam por Pix", "por Pix, em até 30 dias"),
        Some(_) => ("devolvidos no cartão", "no mesmo cartão, em 5 a 10 dias úteis"),
        None => ("de volta ao seu crédito", "como crédito, que as próximas cobranças usam primeiro"),
    };
    let beside = refund.is_some() && credit_centavos > 0;
    let credit = Centavos::new(credit_centavos);
    let also = if beside { format!(", e {credit} voltam ao seu crédito") } else { String::new() };
    values.insert("outcome".into(), outcome.to_owned());
    values.insert("how".into(), format!("{how}{also}"));
    mail_enqueue_in_tx(tx, key, Template::PaymentReturned, &subscription.uid, values, now).await
}

/// Tells that a Pix was paid. It is due at once by any clock: the operator's command does not know the product's.
pub(in crate::billing) async fn refund_paid_in_tx(tx: &mut Tx, refund: &Refund) -> Result<(), StoreError> {
    let values = Values::from([
        ("amount".to_owned(), Centavos::new(refund.amount_centavos).to_string()),
        ("protocol".to_owned(), refund.protocol.clone().unwrap_or_else(|| refund.id.clone())),
    ]);
    let key = format!("refund_paid:{}", refund.id);
    mail_enqueue_in_tx(tx, key, Template::RefundPaid, &refund.uid, values, Timestamp::from_micros(0)).await
}
