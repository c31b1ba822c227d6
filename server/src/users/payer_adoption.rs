//! Adoption of payers whose account is missing, for instance because they bought after the backup
//! that was restored.
//!
//! The account comes back with its uid and without a password, and its owner gets a recovery mail,
//! which also proves the address. If another account has the email, that account gets the
//! subscription, but only if its address is confirmed: anybody can sign up with a stranger's
//! address. A deleted account stays deleted. The transaction that decides locks the stored row, so
//! that of two adoptions at once the second finds nothing to do.

use garimpo_domain::{Email, SubscriptionId, Timestamp, Uid};
use serde::Serialize;

use crate::auth::{Profile, adoption, code_mail};
use crate::billing::{Billing, Payer, schedule_reconciliation};
use crate::context::AppContext;
use crate::crash::{self, CrashPoint};
use crate::email_hash::EmailHash;
use crate::error::{Error, Result};
use crate::queue::{JobOutcome, JobResult};
use crate::store::{
    Account, AdoptionRefusal, ClaimedJob, PayerWithoutAccount, PayersState, Tx, accounts, customers,
    deletions, orphaned_subscriptions, payers_check, transaction,
};

/// Stored payers that one page of [`PayerAdoption::adopt_all`] reads.
const PAGE: i64 = 100;

/// Who decides whether a payer gets an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decider {
    /// The conditions under which it happens without a person.
    Rules,
    /// The operator, who knows that the payer is the owner of the email.
    Operator,
}

/// What an adoption did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdoptionOutcome {
    /// The account with this uid was created again.
    Created(Uid),
    /// The existing account with this uid has the subscription.
    Given(Uid),
    /// Nobody has it. The reason is stored.
    Refused(AdoptionRefusal),
    /// The subscription has ended, or its account has it already.
    Settled,
}

/// A payer of whom an adoption was tried.
#[derive(Debug, Serialize)]
pub struct TriedAdoption {
    /// The subscription, `sub_…`.
    pub subscription_id: SubscriptionId,
    /// The customer's email at the provider.
    pub email: Option<String>,
    /// The account that has it now.
    pub uid: Option<Uid>,
    /// Why it still waits; `None` also if the attempt failed.
    pub refused: Option<AdoptionRefusal>,
}

/// Gives payers without an account an account.
#[derive(Clone)]
pub struct PayerAdoption {
    context: AppContext,
    billing: Billing,
}

/// The values of a decision that are chosen before its transaction, so that a repeated run of the
/// transaction uses the same.
#[derive(Debug, Clone)]
struct Decision {
    payer: Payer,
    decider: Decider,
    is_older_than_database: bool,
    /// Our id of the customer's row.
    intent_id: String,
    now: Timestamp,
}

impl PayerAdoption {
    pub(crate) fn new(context: AppContext, billing: Billing) -> Self {
        Self { context, billing }
    }

    /// Job: adopts the payer of one stored subscription.
    pub(crate) async fn run(self, job: ClaimedJob) -> JobResult {
        Ok(match self.adopt(&SubscriptionId::new(job.key), Decider::Rules).await? {
            AdoptionOutcome::Refused(why) => JobOutcome::Dropped(why.reason()),
            _ => JobOutcome::Done,
        })
    }

    /// Adopts every stored payer by the rules, and syncs the accounts. Returns those that were
    /// adopted, refused, or could not be adopted.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE if the provider cannot be read, UNAVAILABLE if the database fails.
    pub async fn adopt_all(&self) -> Result<Vec<TriedAdoption>> {
        let (mut tried, mut after) = (Vec::new(), String::new());
        loop {
            let page = orphaned_subscriptions::page(&self.context.store, &after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(tried) };
            after = last.to_string();
            for subscription_id in page {
                tried.extend(self.try_one(subscription_id).await?);
            }
        }
    }

    /// Adopts one stored payer; `None` if there is nothing to adopt. A failure that concerns this
    /// payer alone does not stop the others.
    async fn try_one(&self, subscription_id: SubscriptionId) -> Result<Option<TriedAdoption>> {
        let Some(found) = self.stored(&subscription_id).await? else { return Ok(None) };
        let outcome = async {
            let outcome = self.adopt(&subscription_id, Decider::Rules).await?;
            self.sync(&outcome).await?;
            Ok::<_, Error>(outcome)
        };
        let (uid, refused) = match outcome.await {
            Ok(AdoptionOutcome::Created(uid) | AdoptionOutcome::Given(uid)) => (Some(uid), None),
            Ok(AdoptionOutcome::Refused(why)) => (None, Some(why)),
            Ok(AdoptionOutcome::Settled) => return Ok(None),
            Err(error @ Error::Store(_)) => return Err(error),
            Err(error) if error.is_provider_down() => return Err(error),
            Err(_) => (None, None),
        };
        Ok(Some(TriedAdoption { subscription_id, email: found.email, uid, refused }))
    }

    /// Syncs the account that got a payer.
    async fn sync(&self, outcome: &AdoptionOutcome) -> Result<()> {
        match outcome {
            AdoptionOutcome::Created(uid) | AdoptionOutcome::Given(uid) => {
                self.billing.reconciliation.repair_account(uid).await
            }
            AdoptionOutcome::Refused(_) | AdoptionOutcome::Settled => Ok(()),
        }
    }

    /// Adopts a stored payer whom the rules refused, and syncs the account.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE if the provider cannot be read, UNAVAILABLE if the database fails.
    pub async fn adopt_by_operator(&self, subscription_id: &SubscriptionId) -> Result<AdoptionOutcome> {
        let outcome = self.adopt(subscription_id, Decider::Operator).await?;
        self.sync(&outcome).await?;
        Ok(outcome)
    }

    /// A stored payer; `None` if the subscription is not stored.
    ///
    /// # Errors
    /// UNAVAILABLE if the database fails.
    pub async fn stored(&self, subscription_id: &SubscriptionId) -> Result<Option<PayerWithoutAccount>> {
        Ok(orphaned_subscriptions::by_id(&self.context.store, subscription_id).await?)
    }

    async fn adopt(&self, subscription_id: &SubscriptionId, decider: Decider) -> Result<AdoptionOutcome> {
        let AppContext { store, clock, ids } = &self.context;
        let Some(found) = self.stored(subscription_id).await? else { return Ok(AdoptionOutcome::Settled) };
        let Some(payer) = self.billing.orphans.payer(&found).await? else {
            transaction!(store, (id = found.subscription_id), |tx| {
                orphaned_subscriptions::delete(tx, id).await
            })?;
            return Ok(AdoptionOutcome::Settled);
        };
        let now = clock.now();
        let is_older_than_database = self.is_older_than_database(payer.subscribed_at).await?;
        let intent_id = ids.id("cst_");
        let decision = Decision { payer: payer.clone(), decider, is_older_than_database, intent_id, now };
        let outcome = transaction!(store, (decision), |tx| decide(tx, decision).await)?;
        crash::point(CrashPoint::AdoptionDecided);
        if let AdoptionOutcome::Given(uid) = &outcome {
            self.billing.orphans.name_account(&payer, uid).await?;
            crash::point(CrashPoint::AdoptionNamed);
            transaction!(store, (id = payer.subscription_id.clone(), uid = uid.clone()), |tx| {
                orphaned_subscriptions::delete(tx, id).await?;
                schedule_reconciliation(tx, uid, now).await
            })?;
        }
        log(&outcome, &payer);
        Ok(outcome)
    }

    /// Whether the subscription existed when this database was first compared with the provider. It
    /// then belongs to another database, for instance to the one that this one replaced by mistake.
    async fn is_older_than_database(&self, subscribed_at: Timestamp) -> Result<bool> {
        let check = payers_check::current(&self.context.store).await?;
        let subscribed_at = subscribed_at.as_unix_seconds();
        Ok(check.is_none_or(|check| match (check.state, check.checked_at.as_unix_seconds()) {
            (PayersState::Clear, compared_at) => subscribed_at < compared_at,
            (PayersState::Found, _) => true,
            // The provider's times are whole seconds, and what was accepted may be of the same one.
            (PayersState::Accepted, compared_at) => subscribed_at <= compared_at,
        }))
    }
}

/// Decides about a payer, and stores all of the decision. If the account exists, the row stays
/// until the provider has its uid.
async fn decide(tx: &mut Tx, decision: &Decision) -> Result<AdoptionOutcome> {
    let Decision { payer, intent_id, now, .. } = decision;
    let (uid, customer_id) = (&payer.uid, &payer.customer_id);
    if !orphaned_subscriptions::lock(tx, &payer.subscription_id).await? {
        return Ok(AdoptionOutcome::Settled);
    }
    let holder = find_holder(tx, decision).await?;
    let holder = match holder {
        Ok(holder) => holder,
        Err(why) => return refuse(tx, payer, why).await,
    };
    let holder_uid = holder.as_ref().map_or(uid, |account| &account.uid);
    let known = customers::by_customer_id(&mut *tx, customer_id).await?;
    let has_it = known.is_some_and(|customer| customer.uid == *holder_uid);
    if !has_it && !customers::adopt(tx, holder_uid, customer_id, intent_id, *now).await? {
        return refuse(tx, payer, AdoptionRefusal::OtherCustomer).await;
    }
    if let Some(account) = holder {
        return Ok(AdoptionOutcome::Given(account.uid));
    }
    let profile = Profile::of(payer.email.as_deref().unwrap_or_default(), false, payer.name.as_deref())?;
    orphaned_subscriptions::delete(tx, &payer.subscription_id).await?;
    schedule_reconciliation(tx, uid, *now).await?;
    let key = format!("pwr_{}", payer.subscription_id);
    code_mail::enqueue_reset(tx, key, uid, *now).await?;
    adoption::create(tx, uid, &profile, *now).await?;
    Ok(AdoptionOutcome::Created(uid.clone()))
}

/// The existing account that gets the payer, locked; `None` if the account is to be created again.
async fn find_holder(
    tx: &mut Tx,
    decision: &Decision,
) -> Result<std::result::Result<Option<Account>, AdoptionRefusal>> {
    let Decision { payer, decider, is_older_than_database, .. } = decision;
    let by_rules = *decider == Decider::Rules;
    // An earlier run may have given the customer to an account.
    let known = customers::by_customer_id(&mut *tx, &payer.customer_id).await?;
    for uid in known.iter().map(|customer| &customer.uid).chain([&payer.uid]) {
        if let Some(account) = accounts::hold(tx, uid).await? {
            return Ok(Ok(Some(account)));
        }
    }
    if deletions::was_account_deleted(tx, &payer.uid).await? {
        return Ok(Err(AdoptionRefusal::AccountDeleted));
    }
    if by_rules && *is_older_than_database {
        return Ok(Err(AdoptionRefusal::OlderThanDatabase));
    }
    let Ok(email) = Email::parse(payer.email.as_deref().unwrap_or_default()) else {
        return Ok(Err(AdoptionRefusal::NoEmail));
    };
    let email_hash = EmailHash::in_tx(tx).await?.of(email.as_str());
    if by_rules && deletions::was_email_deleted(tx, &email_hash).await? {
        return Ok(Err(AdoptionRefusal::EmailDeleted));
    }
    let Some(named) = accounts::by_email(&mut *tx, &email).await? else { return Ok(Ok(None)) };
    // The lock makes a deletion wait, which then finds the customer.
    Ok(match accounts::hold(tx, &named.uid).await? {
        Some(account) if by_rules && !account.email_verified => Err(AdoptionRefusal::EmailUnconfirmed),
        account => Ok(account),
    })
}

async fn refuse(tx: &mut Tx, payer: &Payer, why: AdoptionRefusal) -> Result<AdoptionOutcome> {
    orphaned_subscriptions::refuse(tx, &payer.subscription_id, why).await?;
    Ok(AdoptionOutcome::Refused(why))
}

fn log(outcome: &AdoptionOutcome, payer: &Payer) {
    let Payer { subscription_id, customer_id, .. } = payer;
    match outcome {
        AdoptionOutcome::Created(uid) => tracing::warn!(
            user.id = %uid,
            %subscription_id,
            %customer_id,
            "a payer's account was missing: it was created again, and its owner gets a recovery mail"
        ),
        AdoptionOutcome::Given(uid) => tracing::warn!(
            user.id = %uid,
            %subscription_id,
            %customer_id,
            "a payer's account was missing: an existing account got the subscription"
        ),
        AdoptionOutcome::Refused(why) => tracing::error!(
            %subscription_id,
            %customer_id,
            why = why.reason(),
            "a payer has no account: garimpo admin doctor has the next step"
        ),
        AdoptionOutcome::Settled => {}
    }
}
