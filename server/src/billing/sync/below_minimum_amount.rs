//! If the rest of an invoice is below the boleto minimum, a credit note clears it and the amount
//! moves to the next invoice, as the provider does below its own minimum.

use garimpo_domain::checkout::BOLETO_MIN;
use garimpo_domain::{Centavos, InvoiceId, Uid};
use serde::{Deserialize, Serialize};

use crate::billing::facts::projection::Projection;
use crate::billing::sync::follow_ups::FollowUps;
use crate::crash::{self, CrashPoint};
use crate::providers::stripe::BalanceMove;
use crate::queue::{JobKind, JobOutcome, JobResult};
use crate::store::{ClaimedJob, NewJob, Result, Tx, customers, invoices, jobs};

/// Payload of the job: the invoice and the amount to move.
#[derive(Serialize, Deserialize)]
struct Carry {
    uid: Uid,
    invoice_id: InvoiceId,
    centavos: Centavos,
}

/// Enqueues one job per invoice below the boleto minimum. Each sync enqueues an unfinished one
/// again.
pub(crate) async fn enqueue_carry_overs(tx: &mut Tx, projection: &Projection) -> Result<()> {
    for (invoice, _) in &projection.too_little {
        let what = Carry {
            uid: invoice.uid.clone(),
            invoice_id: invoice.id.clone(),
            centavos: invoice.amount_due_centavos,
        };
        jobs::enqueue_or_revive(tx, NewJob::new(JobKind::Carry, &invoice.id, what, projection.now)).await?;
    }
    Ok(())
}

impl FollowUps {
    /// Moves the rest of one invoice to the next. Every step may run again.
    pub(crate) async fn carry(self, job: ClaimedJob) -> JobResult {
        let what: Carry = job.read()?;
        let attempt = job.attempt;
        let least = format!("Fica para a próxima fatura: boletos são a partir de {BOLETO_MIN}.");
        let key = format!("carry-{}-{attempt}", what.invoice_id);
        self.stripe.create_credit_note(&what.invoice_id, what.centavos.get(), &least, &key).await?;
        crash::point(CrashPoint::ProviderAnswered);
        self.sync.refresh(&what.uid).await?;
        let invoices = invoices::by_uid(&self.context.store, &what.uid).await?;
        // If the invoice was paid or voided meanwhile, nothing is left to move.
        let carried =
            invoices.iter().find(|row| row.id == what.invoice_id && row.carried_centavos > Centavos::ZERO);
        let customer = customers::id_of(&self.context.store, &what.uid).await?;
        let (Some(invoice), Some(customer)) = (carried, customer) else { return Ok(JobOutcome::Done) };
        let order = BalanceMove {
            customer: &customer,
            centavos: what.centavos.get(),
            cause: &format!("carried:{}", invoice.id),
            description: "Resto da fatura anterior",
        };
        let key = format!("carried-{}-{attempt}", invoice.id);
        self.stripe.move_customer_balance(&order, &key).await?;
        tracing::info!(
            user.id = %what.uid,
            what.centavos = what.centavos.get(),
            "the rest of an invoice moves to the next one"
        );
        self.sync.refresh(&what.uid).await?;
        Ok(JobOutcome::Done)
    }
}
