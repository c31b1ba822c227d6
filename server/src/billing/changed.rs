//! A plan that is another one than before, wherever it was changed: found in a projection, and told once.

use std::collections::BTreeMap;

use garimpo_domain::balance::{Settlement, credit};
use garimpo_domain::{Centavos, Timestamp};

use super::notices::{bought, day};
use crate::mail::{Template, mail_enqueue_in_tx};
use crate::providers::stripe;
use crate::store::invoices::BY_CHANGE;
use crate::store::subscriptions::Subscription;
use crate::store::{Account, StoreError, Tx};

/// A change of plan that was not known before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NewChange {
    /// The subscription as it was.
    pub(super) before: Subscription,
    /// The subscription as it is.
    pub(super) after: Subscription,
    /// The invoice that it made; none where nothing was charged or credited at once.
    pub(super) invoice_id: Option<String>,
    /// What that charged, or gave back, and why so much.
    settlement: Settlement,
}

/// Changes of plan between what was stored and what is now, of subscriptions that were paid and go on.
pub(super) fn new_changes(
    stored: &[Subscription],
    rows: &[Subscription],
    invoices: &[(&stripe::Invoice, bool)],
) -> Vec<NewChange> {
    let changed = |row: &Subscription| {
        let before = stored.iter().find(|before| before.id == row.id && before.first_paid_at_us.is_some())?;
        let is_other = before.plan_id != row.plan_id || before.plan_interval != row.plan_interval;
        (is_other && row.goes_on()).then_some(before)
    };
    rows.iter()
        .filter_map(|row| {
            let before = changed(row)?;
            let made = invoices.iter().filter(|(invoice, was_known)| {
                !was_known
                    && invoice.paid_at().is_some()
                    && invoice.billing_reason.as_deref() == Some(BY_CHANGE)
                    && invoice.subscription() == Some(&row.id)
            });
            let invoice = made.map(|(invoice, _)| *invoice).max_by_key(|invoice| invoice.created);
            Some(NewChange {
                before: before.clone(),
                after: row.clone(),
                invoice_id: invoice.map(|invoice| invoice.id.clone()),
                settlement: match invoice {
                    Some(invoice) => invoice.settlement(),
                    None => Settlement::of(Centavos::new(0), Centavos::new(0), Centavos::new(0)),
                },
            })
        })
        .collect()
}

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
