//! Subscriptions at the provider without a local row, for example bought after the backup that was
//! restored.
//!
//! Their metadata names the account. An account without a customer gets its customer back; the next
//! sync stores the rest. If the account is missing, the subscription is stored, and a job adopts
//! its payer (`users/payer_adoption.rs`).

use std::collections::{BTreeMap, BTreeSet};

use garimpo_domain::provider_status::SubscriptionStatus;
use garimpo_domain::{Centavos, CustomerId, InvoiceId, SubscriptionId, Timestamp, Uid};
use serde::Serialize;
use serde_json::json;

use crate::context::AppContext;
use crate::error::Result;
use crate::providers::stripe::{Stripe, Subscription, present};
use crate::queue::JobKind;
use crate::store::{
    Customer, NewJob, PayerWithoutAccount, accounts, customers, jobs, orphaned_subscriptions, reconciliation,
    transaction,
};

/// Stored subscriptions that one transaction enqueues.
const PAGE: i64 = 500;
/// Time that a command has to adopt a payer before the job does.
const ADOPTION_MINUTES: i64 = 10;

/// A subscription whose customer has no account, or without our metadata.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OrphanedSubscription {
    /// The subscription, `sub_…`.
    pub subscription_id: SubscriptionId,
    /// Its customer, `cus_…`.
    pub customer_id: CustomerId,
    /// The customer's email at the provider; `None` without one or if the customer was deleted.
    pub email: Option<String>,
    /// The account in its metadata.
    pub uid: Uid,
    /// The customer's paid invoices, `in_…`, newest first.
    pub invoice_ids: Vec<InvoiceId>,
    /// Total of these invoices.
    pub paid_centavos: i64,
    /// Why the subscription has no account.
    #[serde(rename = "standing")]
    pub status: OrphanStatus,
}

/// Why a subscription is orphaned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum OrphanStatus {
    /// The account has no customer and can adopt this one.
    Adoptable,
    /// The account does not exist. A job adopts the payer.
    NoAccount,
    /// The account has another customer. The operator must decide.
    OtherCustomer,
    /// It was created at the provider for a known customer without our metadata, so it gives no
    /// rights.
    ByHand,
}

garimpo_domain::named!(OrphanStatus);

impl OrphanStatus {
    /// The operator's next step.
    pub fn action(self) -> &'static str {
        match self {
            Self::Adoptable => "run reconcile without --dry-run: the account takes its customer back",
            Self::NoAccount => {
                "run reconcile without --dry-run: it adopts the payer, or prints why not and what to do"
            }
            Self::OtherCustomer => {
                "the account bought again: refund the invoices and cancel the subscription of one of both at the provider"
            }
            Self::ByHand => {
                "it charges and gives nothing: cancel it at the provider and refund its invoices; or write the account as \
                 `uid` into its metadata there, and run reconcile: it is then a purchase like any other"
            }
        }
    }
}

/// A payer without an account, as the provider has it.
#[derive(Debug, Clone)]
pub(crate) struct Payer {
    /// The running subscription, `sub_…`.
    pub(crate) subscription_id: SubscriptionId,
    /// Its customer, `cus_…`.
    pub(crate) customer_id: CustomerId,
    /// The account in its metadata.
    pub(crate) uid: Uid,
    pub(crate) email: Option<String>,
    pub(crate) name: Option<String>,
    /// When the subscription was created.
    pub(crate) subscribed_at: Timestamp,
    /// The customer's other running subscriptions of that account.
    pub(crate) sibling_ids: Vec<SubscriptionId>,
}

/// Finds and adopts subscriptions without a row.
#[derive(Clone)]
pub struct Orphans {
    pub(crate) context: AppContext,
    pub(crate) stripe: Stripe,
}

impl Orphans {
    /// Reads all subscriptions of the provider. Returns those with our metadata and an unknown
    /// customer, one per customer, and those created without our metadata for a known customer.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE if they cannot be read, UNAVAILABLE if the database fails.
    pub async fn find(&self) -> Result<Vec<OrphanedSubscription>> {
        let (mut orphans, mut after) = (Vec::new(), String::new());
        loop {
            let page = self.stripe.list_subscriptions_page(&after).await?;
            orphans.extend(self.find_among(&page.data).await?);
            match page.data.last() {
                Some(last) if page.has_more => after = last.id.to_string(),
                _ => break,
            }
        }
        let mut seen = BTreeSet::new();
        orphans.retain(|one| one.status == OrphanStatus::ByHand || seen.insert(one.customer_id.clone()));
        Ok(orphans)
    }

    /// The orphaned ones of these subscriptions, one per customer, and those created without our
    /// metadata.
    async fn find_among(&self, facts: &[Subscription]) -> Result<Vec<OrphanedSubscription>> {
        let ids: Vec<_> = facts.iter().filter_map(Subscription::customer).cloned().collect();
        let known: BTreeMap<_, _> =
            reconciliation::uids_of_customers(&self.context.store, &ids).await?.into_iter().collect();
        let mut orphans: Vec<OrphanedSubscription> = Vec::new();
        for fact in facts {
            let Some(customer_id) = fact.customer() else { continue };
            let found = match known.get(customer_id) {
                // The adoption of a stored one has decided, and writes the account to it next.
                Some(uid) if is_by_hand(fact, uid) && !self.is_stored(fact).await? => {
                    Some((uid.clone(), OrphanStatus::ByHand))
                }
                Some(_) => None,
                None if orphans.iter().any(|orphan| orphan.customer_id == *customer_id) => None,
                None => self.account_of(fact).await?,
            };
            let Some((uid, status)) = found else { continue };
            let mut paid = self.stripe.read_customer_state(customer_id, &[]).await?.invoices;
            paid.retain(|invoice| invoice.paid_at().is_some() && invoice.total > 0);
            if status == OrphanStatus::ByHand {
                paid.retain(|invoice| invoice.subscription() == Some(&fact.id));
            }
            let customer = present(self.stripe.get_customer(customer_id).await)?;
            orphans.push(OrphanedSubscription {
                email: customer.and_then(|customer| customer.email),
                subscription_id: fact.id.clone(),
                customer_id: customer_id.clone(),
                uid,
                paid_centavos: paid.iter().map(|invoice| invoice.total).sum(),
                invoice_ids: paid.into_iter().map(|invoice| invoice.id).collect(),
                status,
            });
        }
        Ok(orphans)
    }

    /// Whether a subscription is stored without an account.
    async fn is_stored(&self, fact: &Subscription) -> Result<bool> {
        Ok(orphaned_subscriptions::by_id(&self.context.store, &fact.id).await?.is_some())
    }

    /// The account that the metadata of an unknown customer's subscription names.
    async fn account_of(&self, fact: &Subscription) -> Result<Option<(Uid, OrphanStatus)>> {
        let Some(uid) = fact.uid() else { return Ok(None) };
        let status = match accounts::by_uid(&self.context.store, &uid).await? {
            None => OrphanStatus::NoAccount,
            Some(_) => match customers::id_of(&self.context.store, &uid).await? {
                // Another reconciliation has adopted it since the customer was looked up.
                Some(id) if fact.customer() == Some(&id) => return Ok(None),
                Some(_) => OrphanStatus::OtherCustomer,
                None => OrphanStatus::Adoptable,
            },
        };
        // It was ended when the account was deleted, or by the operator.
        let is_settled = status != OrphanStatus::Adoptable && fact.is_over();
        // Nobody has paid yet. The event of the payment finds it.
        let is_unpaid = status == OrphanStatus::NoAccount && !is_running(fact);
        Ok((!is_settled && !is_unpaid).then_some((uid, status)))
    }

    /// Stores a subscription without an account, for a caller that adopts its payer at once. A job
    /// follows some minutes later, because the caller may die.
    ///
    /// # Errors
    /// UNAVAILABLE if the database fails.
    pub async fn record(&self, orphan: &OrphanedSubscription) -> Result<()> {
        self.record_until(orphan, self.context.now().plus_minutes(ADOPTION_MINUTES)).await
    }

    /// Stores a subscription without an account, and enqueues the adoption of its payer. A repeated
    /// call repeats the adoption.
    async fn record_until(&self, orphan: &OrphanedSubscription, due_at: Timestamp) -> Result<()> {
        let found = PayerWithoutAccount {
            subscription_id: orphan.subscription_id.clone(),
            customer_id: orphan.customer_id.clone(),
            uid: orphan.uid.clone(),
            email: orphan.email.clone(),
            paid_centavos: Centavos::new(orphan.paid_centavos),
            found_at: self.context.now(),
            refused: None,
        };
        transaction!(self.context, (found), |tx| {
            orphaned_subscriptions::save(tx, found).await?;
            // Also beside a running job, which may have read the row already.
            jobs::reschedule(tx, adoption_job(&found.subscription_id, due_at)).await
        })
    }

    /// Enqueues the adoption of every stored payer again: what refused it may have changed, and the
    /// subscription may have ended.
    pub(crate) async fn repeat_adoptions(&self) -> Result<()> {
        let (mut after, now) = (String::new(), self.context.now());
        loop {
            let page = orphaned_subscriptions::page(&self.context.store, &after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.to_string();
            transaction!(self.context, (page), |tx| {
                for id in page {
                    jobs::reschedule(tx, adoption_job(id, now)).await?;
                }
                Ok(())
            })?;
        }
    }

    /// Reads a stored payer's state at the provider; `None` if the subscription no longer runs.
    pub(crate) async fn payer(&self, found: &PayerWithoutAccount) -> Result<Option<Payer>> {
        let id = &found.customer_id;
        let Some(customer) = present(self.stripe.get_customer(id).await)? else { return Ok(None) };
        let mut running = self.stripe.read_customer_state(id, &[]).await?.subscriptions;
        running.retain(is_running);
        let Some(fact) = running.iter().find(|fact| fact.id == found.subscription_id) else {
            return Ok(None);
        };
        let Some(uid) = fact.uid() else { return Ok(None) };
        let is_sibling = |other: &&Subscription| other.id != fact.id && other.uid().as_ref() == Some(&uid);
        Ok(Some(Payer {
            subscription_id: fact.id.clone(),
            customer_id: id.clone(),
            email: customer.email,
            name: customer.name,
            subscribed_at: Timestamp::from_unix_seconds(fact.created),
            sibling_ids: running.iter().filter(is_sibling).map(|other| other.id.clone()).collect(),
            uid,
        }))
    }

    /// Writes the account that got a payer to the customer and its running subscriptions at the
    /// provider. Idempotent: the subscription that is read to decide is written last.
    pub(crate) async fn name_account(&self, payer: &Payer, uid: &Uid) -> Result<()> {
        if payer.uid == *uid {
            return Ok(());
        }
        let stripe = &self.stripe;
        stripe.set_customer_uid(&payer.customer_id, uid).await?;
        for id in &payer.sibling_ids {
            stripe.set_subscription_uid(id, uid).await?;
        }
        Ok(stripe.set_subscription_uid(&payer.subscription_id, uid).await?)
    }

    /// Stores the provider's customer for an account, unless it has one.
    pub async fn adopt(&self, uid: &Uid, customer_id: &CustomerId) -> Result<()> {
        let (uid, customer_id) = (uid.clone(), customer_id.clone());
        let (intent_id, now) = (self.context.ids.id("cst_"), self.context.now());
        transaction!(self.context, (uid, customer_id, intent_id), |tx| {
            if customers::adopt(tx, uid, customer_id, intent_id, now).await? {
                let (uid, customer_id) = (uid.clone(), customer_id.clone());
                tx.after_commit(move || {
                    tracing::warn!(
                        user.id = %uid,
                        %customer_id,
                        "an account got its customer at the provider back"
                    );
                });
            }
            Ok(())
        })
    }

    /// Adopts a customer that no row names, if its metadata at the provider names our account. If
    /// that account is missing, its subscriptions are stored.
    pub(crate) async fn adopt_customer(&self, customer_id: &CustomerId) -> Result<Option<Customer>> {
        let Some(fact) = present(self.stripe.get_customer(customer_id).await)? else {
            return Ok(None);
        };
        let Some(uid) = fact.uid() else { return Ok(None) };
        if accounts::by_uid(&self.context.store, &uid).await?.is_none() {
            let state = self.stripe.read_customer_state(customer_id, &[]).await?;
            self.adopt_orphans(&state.subscriptions).await?;
            return Ok(None);
        }
        self.adopt(&uid, customer_id).await?;
        Ok(customers::by_customer_id(&self.context.store, customer_id).await?)
    }

    /// Adopts the customers of these subscriptions if possible, stores payers without an account,
    /// and logs the others.
    pub(crate) async fn adopt_orphans(&self, facts: &[Subscription]) -> Result<()> {
        for orphan in self.find_among(facts).await? {
            if orphan.status == OrphanStatus::NoAccount {
                self.record_until(&orphan, self.context.now()).await?;
                continue;
            }
            let OrphanedSubscription { subscription_id, customer_id, uid, paid_centavos, status, .. } =
                orphan;
            if status == OrphanStatus::Adoptable {
                self.adopt(&uid, &customer_id).await?;
            } else {
                let why = status.name();
                tracing::error!(
                    user.id = %uid,
                    %customer_id,
                    %subscription_id,
                    paid_centavos,
                    why,
                    "a subscription is of no account: run garimpo admin reconcile"
                );
            }
        }
        Ok(())
    }
}

/// Whether a subscription was begun and has not ended: its payer has paid, or is in the trial.
fn is_running(fact: &Subscription) -> bool {
    !fact.is_over() && fact.status != SubscriptionStatus::Incomplete
}

/// The job that adopts the payer of a stored subscription.
fn adoption_job(subscription_id: &SubscriptionId, now: Timestamp) -> NewJob {
    NewJob::new(JobKind::PayerAdoption, subscription_id, json!({}), now)
}

/// Whether the subscription of a known customer runs and was created without our metadata.
fn is_by_hand(fact: &Subscription, uid: &Uid) -> bool {
    !fact.is_over() && fact.uid().as_ref() != Some(uid)
}
