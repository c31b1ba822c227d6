//! One subscriber whole, for whoever has to answer "I paid and have no access": what stands, what came, what left.
//!
//! It holds no secret: no password's hash, no token, no client secret, nothing of a mail but its name.

use garimpo_domain::Timestamp;
use garimpo_domain::person::Email;
use garimpo_domain::rights::Basis;
use garimpo_domain::subscription::{Status, SuspendedReason};
use serde::Serialize;
use serde_json::{Value, json};

use super::Operator;
use crate::EmailHash;
use crate::auth::alive_at;
use crate::billing::rights_of;
use crate::ids::Ids;
use crate::store::checkouts::Checkout;
use crate::store::inbox::EventSeen;
use crate::store::invoices::Invoice;
use crate::store::refunds::Refund;
use crate::store::subscriptions::Subscription;
use crate::store::{Account, AuditFilter, AuditRow, JobSeenBy, StoreError};

/// More jobs than any account has.
const ALL: i64 = 100_000;

/// Everything that we know of one account.
#[derive(Debug, Serialize)]
pub struct Subscriber {
    /// Account.
    pub uid: String,
    /// The account's record; `None` once it was deleted.
    pub account: Option<Value>,
    /// Protocol and instant of its deletion.
    pub deleted: Option<(String, i64)>,
    /// What it may use now, and when that changes by itself.
    pub rights: Option<RightsSeen>,
    /// The provider's customer.
    pub customer_id: Option<String>,
    /// Every subscription, the oldest first.
    pub subscriptions: Vec<Subscription>,
    /// Every invoice, the oldest first.
    pub invoices: Vec<Invoice>,
    /// Every refund, what waits first.
    pub refunds: Vec<Refund>,
    /// Every checkout, the oldest first.
    pub checkouts: Vec<CheckoutSeen>,
    /// The provider's events, the newest first.
    pub events: Vec<EventSeen>,
    /// Jobs but for mails: what is not done first.
    pub jobs: Vec<JobSeenBy>,
    /// Mails, sent ones as long as their jobs are kept: what is not sent first.
    pub mails: Vec<JobSeenBy>,
    /// Sessions that are alive.
    pub sessions: i64,
    /// The trail, the newest first.
    pub audit: Vec<AuditRow>,
    /// Which of events, jobs, mails and audit have more than are told here.
    pub more: Vec<&'static str>,
    /// Subscriptions of the customer that somebody made at the provider without our metadata.
    pub made_by_hand: Vec<String>,
}

/// What an account may use.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct RightsSeen {
    /// Plan whose limits hold.
    pub plan: String,
    /// `subscription`, `trial` or `nothing`.
    pub by: &'static str,
    /// The subscription's status, `trialing` in the trial.
    pub status: Option<&'static str>,
    /// Why it is suspended.
    pub suspended: Option<&'static str>,
    /// Until when they hold if nothing happens.
    pub valid_until_us: Option<i64>,
    /// When time alone changes them next.
    pub next_change_at_us: Option<i64>,
}

/// A checkout without its secret.
#[derive(Debug, Serialize)]
pub struct CheckoutSeen {
    /// Our id, `chk_…`.
    pub id: String,
    /// The provider's session.
    pub session_id: Option<String>,
    /// Plan.
    pub plan_id: String,
    /// Interval.
    pub plan_interval: String,
    /// Coupon of the first payment.
    pub coupon_id: String,
    /// First payment.
    pub first_payment_centavos: i64,
    /// `intent`, `open`, `complete`, `expired` or `failed`.
    pub status: String,
    /// `unpaid` or `paid`.
    pub payment_status: String,
    /// Whether nothing about it can change any more.
    pub settled: bool,
    /// Subscription that it made.
    pub subscription_id: Option<String>,
    /// When it was begun.
    pub created_at_us: i64,
}

impl From<Checkout> for CheckoutSeen {
    fn from(row: Checkout) -> Self {
        Self {
            id: row.id,
            session_id: row.session_id,
            plan_id: row.plan_id,
            plan_interval: row.plan_interval,
            coupon_id: row.coupon_id,
            first_payment_centavos: row.first_payment_centavos,
            status: row.status,
            payment_status: row.payment_status,
            settled: row.settled,
            subscription_id: row.subscription_id,
            created_at_us: row.created_at_us,
        }
    }
}

impl Operator {
    /// The account behind an email, a uid, or any id or protocol of what is its; also one that was deleted.
    ///
    /// # Errors
    /// The store's own.
    pub async fn subscriber_uid(&self, named: &str) -> Result<Option<String>, StoreError> {
        let named = named.trim();
        // PostgreSQL takes no NUL in a text.
        if named.contains('\0') {
            return Ok(None);
        }
        let Ok(email) = Email::parse(named) else { return self.store.uid_of(named).await };
        if let Some(account) = self.store.account_by_email(&email).await? {
            return Ok(Some(account.uid));
        }
        let hash = EmailHash::open(&self.store, &Ids::system()).await?.of(email.as_str());
        self.store.uid_deleted(&hash).await
    }

    /// All of an account; of what grows without end (events, jobs, mails, trail) the newest `limit`.
    ///
    /// # Errors
    /// The store's own.
    pub async fn subscriber(&self, uid: &str, limit: i64) -> Result<Subscriber, StoreError> {
        let store = &self.store;
        let account = store.account_by_uid(uid).await?;
        let subscriptions = store.subscriptions_by_uid(uid).await?;
        let customer = store.customer_by_uid(uid).await?;
        let made_by_hand = customer.as_ref().map(|row| row.made_by_hand.clone()).unwrap_or_default();
        let customer_id = customer.and_then(|row| row.customer_id);
        let mut events = match &customer_id {
            Some(id) => store.events_seen_of(id, limit + 1).await?,
            None => Vec::new(),
        };
        let mails =
            |job: &JobSeenBy| matches!(job.kind.as_str(), "mail" | "password_reset" | "email_confirmation");
        let (mut mails, mut jobs): (Vec<_>, Vec<_>) =
            store.jobs_about(uid, ALL).await?.into_iter().partition(mails);
        let trail = AuditFilter { uid: uid.to_owned(), ..Default::default() };
        let mut audit = store.audit_list(&trail, limit + 1).await?;
        let most = limit as usize;
        let cut = [
            ("events", cut(&mut events, most)),
            ("jobs", cut(&mut jobs, most)),
            ("mails", cut(&mut mails, most)),
            ("audit", cut(&mut audit, most)),
        ];
        let alive = alive_at(self.clock.session_now());
        Ok(Subscriber {
            rights: account.as_ref().map(|account| self.rights_seen(account, &subscriptions)).transpose()?,
            account: account.as_ref().map(account_seen),
            deleted: store.deletion_of(uid).await?,
            invoices: store.invoices_by_uid(uid).await?,
            refunds: store.refunds_seen_of(uid).await?,
            checkouts: store.checkouts_by_uid(uid).await?.into_iter().map(CheckoutSeen::from).collect(),
            sessions: store.sessions_count(uid, alive).await?,
            more: cut.into_iter().filter_map(|(name, is_cut)| is_cut.then_some(name)).collect(),
            made_by_hand: made_by_hand.split_whitespace().map(str::to_owned).collect(),
            audit,
            uid: uid.to_owned(),
            customer_id,
            subscriptions,
            events,
            jobs,
            mails,
        })
    }

    fn rights_seen(&self, account: &Account, rows: &[Subscription]) -> Result<RightsSeen, StoreError> {
        let rights = rights_of(account, rows, self.now(), &self.policy)?;
        Ok(RightsSeen {
            plan: rights.plan.as_str().to_owned(),
            by: match rights.basis {
                Basis::Subscription => "subscription",
                Basis::Trial => "trial",
                Basis::Nothing => "nothing",
            },
            status: rights.status.map(Status::name),
            suspended: rights.suspended.map(SuspendedReason::name),
            valid_until_us: rights.valid_until.map(Timestamp::as_micros),
            next_change_at_us: rights.next_change_at.map(Timestamp::as_micros),
        })
    }
}

/// Keeps the first rows; answers whether there were more.
fn cut<T>(rows: &mut Vec<T>, most: usize) -> bool {
    let is_more = rows.len() > most;
    rows.truncate(most);
    is_more
}

fn account_seen(account: &Account) -> Value {
    json!({
        "email": account.email,
        "email_verified": account.email_verified,
        "display_name": account.display_name,
        "phone": account.phone,
        "created_at_us": account.created_at_us,
        "trial_used_before": account.trial_used_before,
        "revision": account.revision,
    })
}
