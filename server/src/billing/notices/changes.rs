//! What a subscriber is told of a change of plan, once.

use std::collections::BTreeMap;

use garimpo_domain::balance::{Settlement, credit};
use garimpo_domain::{Centavos, Timestamp};

use super::{bought, day};
use crate::billing::projection::NewChange;
use crate::mail::{Template, mail_enqueue_in_tx};
use crate::store::subscriptions::Subscription;
use crate::store::{Account, StoreError, Tx};

/// Tells the subscriber of a change: old and new plan, what was charged or credited, what comes next.
pub(super) async fn changed_in_tx(
    tx: &mut Tx,
    account: &Account,
    change: &NewChange,
    balance_centavos: Option<i64>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (before, after) = (&change.before, &change.after);
    let of_change = change.invoice_id.clone().unwrap_or_else(|| now.as_micros().to_string());
    let key = format!("plan_changed:{}:{of_change}", after.id);
    let mut values = bought(after, change.settlement.due.get().max(0));
    let old: BTreeMap<_, _> = bought(before, 0);
    values.insert("old_plan".into(), old["plan"].clone());
    values.insert("old_period".into(), old["period"].clone());
    values.insert("outcome".into(), outcome(&change.settlement));
    values.insert("next".into(), next(after, balance_centavos.unwrap_or_default()));
    mail_enqueue_in_tx(tx, key, Template::PlanChanged, &account.uid, values, now).await
}

fn outcome(made: &Settlement) -> String {
    let (nothing, due) = (Centavos::new(0), made.due);
    let earlier = format!("{} que ficaram da fatura anterior", made.earlier);
    if due > nothing {
        let also = match (made.credit_used > nothing, made.earlier > nothing) {
            (true, _) => format!(" e {} do seu crédito", made.credit_used),
            (false, true) => format!(" e somados {earlier}"),
            (false, false) => String::new(),
        };
        format!("Cobramos {due} agora, já descontado o tempo do plano anterior que você não usou{also}.")
    } else if due < nothing {
        let less =
            if made.earlier > nothing { format!(", já descontados {earlier}") } else { String::new() };
        format!("Nada foi cobrado: {} do plano anterior viraram crédito{less}.", nothing - due)
    } else if made.carried > nothing {
        format!("Nada foi cobrado agora: {} é pouco para uma cobrança e fica para a próxima.", made.carried)
    } else if made.credit_used > nothing {
        format!("Nada foi cobrado agora: {} do seu crédito pagaram a mudança.", made.credit_used)
    } else {
        "Nada foi cobrado agora.".to_owned()
    }
}

fn next(after: &Subscription, balance_centavos: i64) -> String {
    let end = after.paid_until_us.map(Timestamp::from_micros).map(day).unwrap_or_default();
    if after.cancel_at_period_end {
        return format!("A assinatura termina em {end} e não será renovada.");
    }
    let price = Centavos::new(after.price_centavos);
    if balance_centavos > 0 {
        let rest = Centavos::new(balance_centavos);
        let sum = price + rest;
        return format!(
            "A próxima cobrança, de {sum}, será em {end}: {price} e {rest} que ficaram para ela."
        );
    }
    let next = format!("A próxima cobrança, de {price}, será em {end}.");
    match credit(Centavos::new(balance_centavos)) {
        nothing if nothing.get() == 0 => next,
        credit => format!("{next} O seu crédito de {credit} é usado antes dela."),
    }
}
