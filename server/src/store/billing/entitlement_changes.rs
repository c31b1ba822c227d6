//! The change feed of rights: the rows behind WatchEntitlements.
//!
//! `seq` follows the order of the commits. The embedded database has one writer. On PostgreSQL an
//! append holds a lock until its transaction ends, so that a reader that has seen a row has seen
//! all earlier ones. For this reason an append must be the last statement of a transaction.

use std::collections::HashMap;

use garimpo_domain::subscription::{Status, SuspendedReason};
use garimpo_domain::{PlanId, Timestamp, Uid};

use crate::store::billing::subscriptions::{self, Subscription};
use crate::store::engine::{
    Connection, Result, Statement, Store, Text, Tx, only, purge, ro, row, snapshot, text, tx,
};
use crate::store::identity::accounts::{Account, columns};

/// Key of PostgreSQL's advisory lock for appends: any number without another use.
const APPEND_LOCK: i64 = 0x67_6172_696d_706f;

/// Status of an account in the feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntitlementStatus {
    /// The account was deleted.
    Gone,
    /// Neither subscription nor trial.
    Free,
    /// Of a subscription or the trial.
    Of(Status),
}

impl Text for EntitlementStatus {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "" => Some(Self::Gone),
            "free" => Some(Self::Free),
            _ => text.parse().ok().map(Self::Of),
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Gone => "",
            Self::Free => "free",
            Self::Of(status) => status.name(),
        }
    }
}

text!(SuspendedReason);

row! {
    "entitlement_changes" by uid, select, nested, printed;

    /// The rights of an account since a change. Limits and features of the plan are in the
    /// catalogue.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct EntitlementChange {
        /// Number in the order of all changes; 0 before it is stored.
        pub seq: i64,
        pub uid: Uid,
        /// Plan whose limits hold; `None` once the account is gone.
        pub plan_id: Option<PlanId>,
        /// Status on the wire.
        pub status: EntitlementStatus,
        /// Why access is suspended, when it is.
        pub suspended_reason: Option<SuspendedReason>,
        /// Until when it holds.
        pub valid_until: Option<Timestamp> as valid_until_us,
        /// Next change that time alone causes.
        pub next_change_at: Option<Timestamp> as next_change_at_us,
        /// Revision of the account.
        pub revision: i64,
        /// When the change was made.
        pub at: Timestamp as at_us,
    }
}

impl EntitlementChange {
    /// Position of the change in the feed.
    pub fn position(&self) -> FeedPosition {
        FeedPosition { seq: self.seq, at: self.at }
    }

    /// Whether the rights are equal; `seq`, revision and time are not compared.
    pub fn equals_state(&self, other: &Self) -> bool {
        let same = Self { seq: self.seq, revision: self.revision, at: self.at, ..other.clone() };
        *self == same
    }
}

row! {
    "entitlement_changes" by seq;

    /// Position in the feed and time of a change. The pair identifies a change even after a
    /// restore.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct FeedPosition {
        /// Number in the order of all changes; 0 before the first.
        pub seq: i64,
        /// When the change was made.
        pub at: Timestamp as at_us,
    }
}

/// The present rights of several accounts, and the last change that they include, from one
/// snapshot.
#[derive(Debug, Clone, Default)]
pub struct EntitlementStates {
    /// By uid, ascending.
    pub states: Vec<EntitlementChange>,
    /// The last committed change; `None` if no account was found.
    pub tail: Option<i64>,
}

/// An account with its subscriptions, and the end of the rights that the feed has last reported.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct FollowedAccount {
    #[sqlx(flatten)]
    pub account: Account,
    /// Next change that time alone causes, by the last row of the feed.
    #[sqlx(rename = "reported_until_us")]
    pub reported_until: Option<Timestamp>,
    /// Its subscriptions, oldest first.
    #[sqlx(skip)]
    pub subscriptions: Vec<Subscription>,
}

const FOLLOWED: &str = concat!(
    "SELECT ",
    columns!(),
    ", (SELECT next_change_at_us FROM entitlement_changes told WHERE told.uid = accounts.uid AND told.latest)
       AS reported_until_us FROM accounts WHERE uid IN {}"
);

/// Query of present rights with the last change. It is one statement, so that both come from one
/// snapshot.
macro_rules! states {
    () => {
        "SELECT seq, uid, plan_id, status, suspended_reason, valid_until_us, next_change_at_us, revision, at_us,
           (SELECT MAX(seq) FROM entitlement_changes) AS tail
         FROM entitlement_changes WHERE latest AND plan_id IS NOT NULL "
    };
}

row! {
    "entitlement_changes" by uid;

    pub struct State {
        pub state: EntitlementChange,
        pub tail: i64,
    }
}

/// Stored rights of an account, oldest first.
pub async fn by_uid(store: &Store, uid: &Uid) -> Result<Vec<EntitlementChange>> {
    ro!(store, rows select!("WHERE uid = $1 ORDER BY seq"), uid)
}

/// Whether the rights differ from the account's last row of the feed.
pub async fn is_news(tx: &mut Tx, change: &EntitlementChange) -> Result<bool> {
    let latest: Option<EntitlementChange> = tx!(tx, first select!("WHERE uid = $1 AND latest"), &change.uid)?;
    Ok(latest.is_none_or(|latest| !latest.equals_state(change)))
}

/// Appends the rights of an account if they changed. This must be the last statement of its
/// transaction.
pub async fn append(tx: &mut Tx, change: &EntitlementChange) -> Result<bool> {
    let latest: Option<EntitlementChange> = tx!(tx, first select!("WHERE uid = $1 AND latest"), &change.uid)?;
    if latest.as_ref().is_some_and(|latest| latest.equals_state(change)) {
        return Ok(false);
    }
    if let Connection::Pg(session) = &mut tx.connection {
        only!(Postgres, &mut session.executor(), execute "SELECT pg_advisory_xact_lock($1)", APPEND_LOCK)?;
    }
    if let Some(latest) = latest {
        tx!(tx, execute "UPDATE entitlement_changes SET latest = FALSE WHERE seq = $1", latest.seq)?;
    }
    tx!(tx, execute
        "INSERT INTO entitlement_changes (uid, latest, plan_id, status, suspended_reason, valid_until_us,
           next_change_at_us, revision, at_us)
         VALUES ($1, TRUE, $2, $3, $4, $5, $6, $7, $8)",
        &change.uid, change.plan_id.map(PlanId::as_str), change.status.text(),
        change.suspended_reason.map(SuspendedReason::name), change.valid_until, change.next_change_at,
        change.revision, change.at)?;
    tx.rights_changed.push(change.uid.clone());
    Ok(true)
}

/// Removes what a later change of the same account took the place of, and accounts that are gone,
/// from before `$1`. The newest change stays whatever it is: cursors name it until another
/// one comes.
pub const PURGE: Statement = purge!(
    "entitlement_changes",
    "seq",
    "at_us < $1 AND (NOT latest OR plan_id IS NULL) AND seq < (SELECT MAX(seq) FROM entitlement_changes)"
);

/// Changes after `seq`, in order, at most `limit`.
pub async fn after(store: &Store, seq: i64, limit: i64) -> Result<Vec<EntitlementChange>> {
    ro!(store, rows select!("WHERE seq > $1 ORDER BY seq LIMIT $2"), seq, limit)
}

/// Several accounts from one snapshot, so that each revision matches its rights. Unknown uids are
/// left out.
pub async fn followed_accounts(store: &Store, uids: &[Uid]) -> Result<Vec<FollowedAccount>> {
    let (mut accounts, rows): (Vec<FollowedAccount>, Vec<Subscription>) =
        snapshot!(store, rows in uids => FOLLOWED, rows in uids => subscriptions::BY_UIDS);
    let mut of: HashMap<Uid, Vec<Subscription>> = HashMap::new();
    for row in rows {
        of.entry(row.uid.clone()).or_default().push(row);
    }
    for followed in &mut accounts {
        followed.subscriptions = of.remove(&followed.account.uid).unwrap_or_default();
    }
    Ok(accounts)
}

/// Position of the last committed change; `seq` is 0 before the first.
pub async fn tail(store: &Store) -> Result<FeedPosition> {
    let tail: Option<FeedPosition> = ro!(store, first
        "SELECT seq, at_us FROM entitlement_changes ORDER BY seq DESC LIMIT 1")?;
    Ok(tail.unwrap_or_default())
}

/// Position of the change with this number; `None` if no such row is stored.
pub async fn position(store: &Store, seq: i64) -> Result<Option<FeedPosition>> {
    ro!(store, first "SELECT seq, at_us FROM entitlement_changes WHERE seq = $1", seq)
}

/// The present rights of the accounts whose uid is after `after`, at most `limit`.
pub async fn states_page(store: &Store, after: &str, limit: i64) -> Result<EntitlementStates> {
    let rows = ro!(store, rows concat!(states!(), "AND uid > $1 ORDER BY uid LIMIT $2"), after, limit)?;
    Ok(states_of(rows))
}

/// The present rights of some accounts. Accounts without a row are left out.
pub async fn states_by_uids(store: &Store, uids: &[Uid]) -> Result<EntitlementStates> {
    let rows = ro!(store, rows in uids => concat!(states!(), "AND uid IN {} ORDER BY uid"))?;
    Ok(states_of(rows))
}

fn states_of(rows: Vec<State>) -> EntitlementStates {
    let tail = rows.first().map(|row| row.tail);
    EntitlementStates { states: rows.into_iter().map(|row| row.state).collect(), tail }
}
