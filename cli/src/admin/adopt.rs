//! `garimpo admin adopt`

use super::database::open_operator;
use crate::config::Config;
use anyhow::{Result, bail};
use clap::Args;
use garimpo_domain::SubscriptionId;
use garimpo_server::providers::CallClass;
use garimpo_server::users::payer_adoption::AdoptionOutcome;
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct Options {
    /// Subscription of the payer, as `garimpo admin doctor` names it
    subscription: String,
}

/// Runs the command. Exit code 0 if an account has the payer, otherwise 1.
pub async fn run(options: Options, config: &Config) -> Result<ExitCode> {
    let operator = open_operator(config, false).await?;
    let adoption = operator.adoption(CallClass::Renewal);
    let id = &SubscriptionId::new(options.subscription);
    let adopted = async {
        let Some(payer) = adoption.stored(id).await? else {
            bail!("{id} is of no payer without an account: garimpo admin doctor lists them");
        };
        Ok::<_, anyhow::Error>((payer, adoption.adopt_by_operator(id).await?))
    };
    let adopted = adopted.await;
    operator.close().await;
    let (payer, outcome) = adopted?;
    let mut out = std::io::stdout().lock();
    let email = payer.email.as_deref().unwrap_or("a customer without email");
    writeln!(out, "{id}: {email} paid {}, account {}", payer.paid_centavos, payer.uid)?;
    if let Some(why) = payer.refused {
        writeln!(out, "it waited, because {}", why.reason())?;
    }
    match outcome {
        AdoptionOutcome::Created(uid) => {
            writeln!(
                out,
                "adopted: the account {uid} was created again, and its owner gets a recovery mail"
            )?;
        }
        AdoptionOutcome::Given(uid) => writeln!(out, "adopted by the account {uid}")?,
        AdoptionOutcome::Settled => writeln!(out, "nothing to adopt: it has ended, or an account has it")?,
        AdoptionOutcome::Refused(why) => {
            let action = why.action().replace("SUBSCRIPTION", id);
            writeln!(out, "not adopted, because {}: {action}", why.reason())?;
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}
