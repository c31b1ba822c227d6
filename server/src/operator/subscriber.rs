//! All data of one subscriber, for the operator who must answer "I paid and have no access".
//!
//! It contains no secret: no password hash, no token, no client secret, and only the names of
//! mails.

use garimpo_domain::provider_status::DisputeStatus;
use garimpo_domain::rights::Basis;
use garimpo_domain::{CustomerId, Email, Phone, Status, SuspendedReason, Timestamp, Uid};
use serde::Serialize;
use serde_json::{Value, json};

use super::Operator;
use crate::auth::alive_at;
use crate::email_hash::EmailHash;
use crate::ids::Ids;
use crate::rights::rights_of;
use crate::store::{
    Account, AuditFilter, AuditRow, Cancellation, CheckoutSeen, EventSeen, Invoice, JobSeenBy, Refund,
    RefundState, Result, Subscription, accounts, audit_events, cancellations, customers, event_queries,
    invoices, lookups, refunds, subscriptions,
};

/// More jobs than any account has.
const ALL: i64 = 100_000;
/// More dispute events than any account has.
const DISPUTE_EVENTS: i64 = 100;

#[derive(Debug, Serialize)]
pub struct Subscriber {
    pub uid: Uid,
    /// `None` for a deleted account.
    pub account: Option<Value>,
    /// Protocol and instant of its deletion.
    pub deleted: Option<(String, Timestamp)>,
    pub rights: Option<RightsSeen>,
    pub customer_id: Option<CustomerId>,
    /// Balance at the provider: negative is credit, positive is charged with the next invoice.
    pub balance_centavos: i64,
    /// Oldest first.
    pub subscriptions: Vec<Subscription>,
    /// Oldest first.
    pub invoices: Vec<Invoice>,
    /// Pending ones first.
    pub refunds: Vec<Refund>,
    /// Oldest first.
    pub cancellations: Vec<Cancellation>,
    /// Oldest first.
    pub checkouts: Vec<CheckoutSeen>,
    /// The provider's events, newest first.
    pub events: Vec<EventSeen>,
    /// Jobs except mails, unfinished first.
    pub jobs: Vec<JobSeenBy>,
    /// Jobs of mails, unfinished first.
    pub mails: Vec<JobSeenBy>,
    /// Number of live sessions.
    pub sessions: i64,
    /// Newest first.
    pub audit: Vec<AuditRow>,
    /// As of each dispute's newest event.
    pub disputes: Vec<DisputeSeen>,
    /// Subscriptions that were created at the provider by hand, without our metadata.
    pub made_by_hand: Vec<String>,
    /// Which of `events`, `jobs`, `mails` and `audit` were cut at the limit.
    pub cut_off: Vec<&'static str>,
}

/// A dispute as of its newest event; events are kept for 90 days.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct DisputeSeen {
    /// The provider's id, `dp_…` or `du_…`.
    pub id: String,
    pub payment_intent_id: String,
    pub amount_centavos: i64,
    pub status: DisputeStatus,
    /// Deadline for an answer at the provider.
    #[serde(rename = "answer_by_us")]
    pub answer_by: Option<Timestamp>,
}

impl DisputeSeen {
    fn of(dispute: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let answer_by = dispute["evidence_details"]["due_by"].as_i64();
        Some(Self {
            id: dispute["id"].as_str()?.to_owned(),
            payment_intent_id: text(&dispute["payment_intent"]),
            amount_centavos: dispute["amount"].as_i64().unwrap_or_default(),
            status: serde_json::from_value(dispute["status"].clone()).ok()?,
            answer_by: answer_by.map(Timestamp::from_unix_seconds),
        })
    }

    pub fn waits(&self) -> bool {
        self.status.needs_response()
    }
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct RightsSeen {
    /// Plan whose limits apply.
    pub plan: String,
    /// `subscription`, `trial` or `nothing`.
    pub by: &'static str,
    /// The subscription's status, `trialing` in the trial.
    pub status: Option<&'static str>,
    pub suspended: Option<&'static str>,
    /// When they end without another event.
    #[serde(rename = "valid_until_us")]
    pub valid_until: Option<Timestamp>,
    /// The next change by time alone.
    #[serde(rename = "next_change_at_us")]
    pub next_change_at: Option<Timestamp>,
}

impl Operator {
    /// The account of an email, a uid, or any id, protocol or invoice number that belongs to it;
    /// deleted accounts included.
    pub async fn subscriber_uid(&self, named: &str) -> Result<Option<Uid>> {
        let named = named.trim();
        // PostgreSQL rejects NUL in a text.
        if named.contains('\0') {
            return Ok(None);
        }
        let Ok(email) = Email::parse(named) else { return self.uid_of_id(named).await };
        if let Some(account) = accounts::by_email(&self.context.store, &email).await? {
            return Ok(Some(account.uid));
        }
        let hash = EmailHash::open(&self.context.store, &Ids::system()).await?.of(email.as_str());
        lookups::deleted_uid_by_email(&self.context.store, &hash).await
    }

    async fn uid_of_id(&self, id: &str) -> Result<Option<Uid>> {
        let found = lookups::uid_of(&self.context.store, id).await?;
        if found.is_some() || !(id.starts_with("dp_") || id.starts_with("du_")) {
            return Ok(found);
        }
        let is_named = |body: &[u8]| {
            let event: Value = serde_json::from_slice(body).unwrap_or_default();
            event["data"]["object"]["id"].as_str() == Some(id)
        };
        let events = lookups::dispute_events(&self.context.store).await?;
        Ok(events.into_iter().find(|(_, body)| is_named(body)).map(|(uid, _)| uid))
    }

    /// Uid and email of each account with this phone number, which several accounts may have.
    pub async fn accounts_by_phone(&self, phone: &Phone) -> Result<Vec<(Uid, String)>> {
        lookups::accounts_by_phone(&self.context.store, phone).await
    }

    /// All data of an account; of events, jobs, mails and audit the newest `limit`.
    pub async fn subscriber(&self, uid: &Uid, limit: i64) -> Result<Subscriber> {
        let store = &self.context.store;
        let account = accounts::by_uid(store, uid).await?;
        let subscriptions = subscriptions::by_uid(store, uid).await?;
        let customer = customers::by_uid(store, uid).await?;
        let balance_centavos = customer.as_ref().map_or(0, |row| row.balance_centavos.get());
        let made_by_hand = customer.as_ref().map(|row| row.made_by_hand.clone()).unwrap_or_default();
        let customer_id = customer.and_then(|row| row.customer_id);
        // One more than the limit is read, to know whether there are more.
        let (mut events, mut disputes) = (Vec::new(), Vec::new());
        if let Some(id) = &customer_id {
            events = event_queries::of_customer(store, id, limit + 1).await?;
            disputes = latest(&event_queries::dispute_bodies(store, id, DISPUTE_EVENTS).await?);
        }
        let mails =
            |job: &JobSeenBy| matches!(job.kind.as_str(), "mail" | "password_reset" | "email_confirmation");
        let (mut mails, mut jobs): (Vec<_>, Vec<_>) =
            lookups::jobs_about(store, uid, ALL).await?.into_iter().partition(mails);
        let trail = AuditFilter { uid: Some(uid.clone()), ..Default::default() };
        let mut audit = audit_events::list(store, &trail, limit + 1).await?;
        let is_cut = [
            ("events", cut(&mut events, limit)),
            ("jobs", cut(&mut jobs, limit)),
            ("mails", cut(&mut mails, limit)),
            ("audit", cut(&mut audit, limit)),
        ];
        let mut refunds = refunds::by_uid(store, uid).await?;
        refunds.sort_by_key(|refund| refund.state != RefundState::Requested);
        let alive = alive_at(self.context.clock.session_now());
        Ok(Subscriber {
            rights: account.as_ref().map(|account| self.rights_seen(account, &subscriptions)),
            account: account.as_ref().map(account_seen),
            deleted: lookups::deletion(store, uid).await?,
            invoices: invoices::by_uid(store, uid).await?,
            refunds,
            cancellations: cancellations::by_uid(store, uid).await?,
            checkouts: lookups::checkouts_of(store, uid).await?,
            sessions: lookups::count_live_sessions(store, uid, alive).await?,
            cut_off: is_cut.into_iter().filter_map(|(name, is_cut)| is_cut.then_some(name)).collect(),
            audit,
            disputes,
            made_by_hand: made_by_hand.iter().map(str::to_owned).collect(),
            uid: uid.clone(),
            customer_id,
            balance_centavos,
            subscriptions,
            events,
            jobs,
            mails,
        })
    }

    fn rights_seen(&self, account: &Account, rows: &[Subscription]) -> RightsSeen {
        let rights = rights_of(account, rows, self.now(), &self.policy);
        RightsSeen {
            plan: rights.plan.as_str().to_owned(),
            by: match rights.basis {
                Basis::Subscription => "subscription",
                Basis::Trial => "trial",
                Basis::Nothing => "nothing",
            },
            status: rights.status.map(Status::name),
            suspended: rights.suspended.map(SuspendedReason::name),
            valid_until: rights.valid_until,
            next_change_at: rights.next_change_at,
        }
    }
}

/// Each dispute as of its newest event; events may arrive in any order.
fn latest(bodies: &[Vec<u8>]) -> Vec<DisputeSeen> {
    let mut events: Vec<Value> = bodies.iter().filter_map(|body| serde_json::from_slice(body).ok()).collect();
    events.sort_by_key(|event| std::cmp::Reverse(event["created"].as_i64()));
    let mut disputes: Vec<DisputeSeen> = Vec::new();
    for dispute in events.iter().filter_map(|event| DisputeSeen::of(&event["data"]["object"])) {
        if disputes.iter().all(|known| known.id != dispute.id) {
            disputes.push(dispute);
        }
    }
    disputes
}

/// Keeps the first `limit` rows; returns whether there were more.
fn cut<T>(rows: &mut Vec<T>, limit: i64) -> bool {
    let is_cut = rows.len() as i64 > limit;
    rows.truncate(limit as usize);
    is_cut
}

fn account_seen(account: &Account) -> Value {
    json!({
        "email": account.email.as_str(),
        "email_verified": account.email_verified,
        "display_name": account.display_name,
        "phone": account.phone.as_ref().map(Phone::as_str),
        "created_at_us": account.created_at,
        "trial_used_before": account.trial_used_before,
        "revision": account.revision,
    })
}
