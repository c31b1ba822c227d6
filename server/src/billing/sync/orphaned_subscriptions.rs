//! Subscriptions at the provider without a local row, for example bought after the backup that was
//! restored.
//!
//! Their metadata names the account. An account without a customer gets its customer back; the next
//! sync stores the rest.

use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

use crate::billing::context::part;
use crate::error::Result;
use crate::providers::stripe::{Subscription, present};
use crate::store::{Customer, accounts, customers, reconciliation, transaction};

/// A subscription whose customer has no account, or without our metadata.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OrphanedSubscription {
    /// The subscription, `sub_…`.
    pub subscription_id: String,
    /// Its customer, `cus_…`.
    pub customer_id: String,
    /// The customer's email at the provider; `None` without one or if the customer was deleted.
    pub email: Option<String>,
    /// The account in its metadata.
    pub uid: String,
    /// The customer's paid invoices, `in_…`, newest first.
    pub invoice_ids: Vec<String>,
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
    /// The account does not exist. The operator must refund the payment.
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
                "refund the invoices and cancel the subscription at the provider; or, where the buyer signs up again, \
                 put the new account's id as `uid` into the metadata of customer and subscription there, and run \
                 reconcile"
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

part! {
    /// Finds and adopts subscriptions without a row.
    pub struct Orphans {}
}

impl Orphans {
    /// Reads all subscriptions of the provider. Returns those with our metadata and an unknown
    /// customer, one per customer, and those created without our metadata for a known customer.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE if they cannot be read, UNAVAILABLE if the database fails.
    pub async fn find(&self) -> Result<Vec<OrphanedSubscription>> {
        self.find_among(usize::MAX).await
    }

    /// Like [`Orphans::find`], but reads only the first `pages` pages of the list, newest first.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE if they cannot be read, UNAVAILABLE if the database fails.
    pub(crate) async fn find_among(&self, pages: usize) -> Result<Vec<OrphanedSubscription>> {
        let (mut orphans, mut after) = (Vec::new(), String::new());
        for _ in 0..pages {
            let page = self.context.stripe.subscriptions_page(&after).await?;
            orphans.extend(self.orphans_among(&page.data).await?);
            match page.data.last() {
                Some(last) if page.has_more => after.clone_from(&last.id),
                _ => break,
            }
        }
        let mut seen = BTreeSet::new();
        orphans.retain(|one| one.status == OrphanStatus::ByHand || seen.insert(one.customer_id.clone()));
        Ok(orphans)
    }

    /// The orphaned ones of these subscriptions, one per customer, and those created without our
    /// metadata.
    async fn orphans_among(&self, facts: &[Subscription]) -> Result<Vec<OrphanedSubscription>> {
        let ids: Vec<_> = facts.iter().filter_map(Subscription::customer).map(str::to_owned).collect();
        let known: BTreeMap<_, _> =
            reconciliation::uids_of_customers(&self.context.store, &ids).await?.into_iter().collect();
        let mut orphans: Vec<OrphanedSubscription> = Vec::new();
        for fact in facts {
            let Some(customer_id) = fact.customer() else { continue };
            let found = match known.get(customer_id) {
                Some(uid) => is_by_hand(fact, uid).then(|| (uid.clone(), OrphanStatus::ByHand)),
                None if orphans.iter().any(|orphan| orphan.customer_id == customer_id) => None,
                None => self.account_of(fact).await?,
            };
            let Some((uid, status)) = found else { continue };
            let mut paid = self.context.stripe.customer_state(customer_id, &[]).await?.invoices;
            paid.retain(|invoice| invoice.paid_at().is_some() && invoice.total > 0);
            if status == OrphanStatus::ByHand {
                paid.retain(|invoice| invoice.subscription() == Some(&fact.id));
            }
            let customer = present(self.context.stripe.customer_get(customer_id).await)?;
            orphans.push(OrphanedSubscription {
                email: customer.and_then(|customer| customer.email),
                subscription_id: fact.id.clone(),
                customer_id: customer_id.to_owned(),
                uid,
                paid_centavos: paid.iter().map(|invoice| invoice.total).sum(),
                invoice_ids: paid.into_iter().map(|invoice| invoice.id).collect(),
                status,
            });
        }
        Ok(orphans)
    }

    /// The account that the metadata of an unknown customer's subscription names.
    async fn account_of(&self, fact: &Subscription) -> Result<Option<(String, OrphanStatus)>> {
        let Some(uid) = fact.metadata.get("uid").cloned() else { return Ok(None) };
        let status = match accounts::by_uid(&self.context.store, &uid).await? {
            None => OrphanStatus::NoAccount,
            Some(_) => match customers::by_uid(&self.context.store, &uid).await? {
                Some(Customer { customer_id: Some(_), .. }) => OrphanStatus::OtherCustomer,
                _ => OrphanStatus::Adoptable,
            },
        };
        // It was ended when the account was deleted, or by the operator.
        let is_settled = status != OrphanStatus::Adoptable && fact.is_over();
        Ok((!is_settled).then_some((uid, status)))
    }

    /// Stores the provider's customer for an account, unless it has one.
    pub async fn adopt(&self, uid: &str, customer_id: &str) -> Result<()> {
        let (uid, customer_id) = (uid.to_owned(), customer_id.to_owned());
        let (intent_id, now) = (self.context.ids.id("cst_"), self.context.now());
        transaction!(self.context, (uid, customer_id, intent_id), |tx| {
            if customers::adopt(tx, uid, customer_id, intent_id, now).await? {
                let (uid, customer_id) = (uid.clone(), customer_id.clone());
                tx.after_commit(move || {
                    tracing::warn!(
                        user.id = uid,
                        customer_id,
                        "an account got its customer at the provider back"
                    );
                });
            }
            Ok(())
        })
    }

    /// Adopts a customer that no row names, if its metadata at the provider names our account.
    pub(crate) async fn customer_adopt(&self, customer_id: &str) -> Result<Option<Customer>> {
        let Some(fact) = present(self.context.stripe.customer_get(customer_id).await)? else {
            return Ok(None);
        };
        let Some(uid) = fact.metadata.get("uid") else { return Ok(None) };
        if accounts::by_uid(&self.context.store, uid).await?.is_none() {
            return Ok(None);
        }
        self.adopt(uid, customer_id).await?;
        Ok(customers::by_customer_id(&self.context.store, customer_id).await?)
    }

    /// Adopts the customers of these subscriptions if possible, and logs the others.
    pub(crate) async fn orphans_adopt(&self, facts: &[Subscription]) -> Result<()> {
        for orphan in self.orphans_among(facts).await? {
            let OrphanedSubscription { subscription_id, customer_id, uid, paid_centavos, status, .. } =
                orphan;
            if status == OrphanStatus::Adoptable {
                self.adopt(&uid, &customer_id).await?;
            } else {
                let why = status.name();
                tracing::error!(
                    user.id = uid,
                    customer_id,
                    subscription_id,
                    paid_centavos,
                    why,
                    "a subscription has no account: run garimpo admin reconcile"
                );
            }
        }
        Ok(())
    }
}

/// Whether the subscription of a known customer runs and was created without our metadata.
fn is_by_hand(fact: &Subscription, uid: &str) -> bool {
    !fact.is_over() && fact.metadata.get("uid").is_none_or(|named| named != uid)
}
