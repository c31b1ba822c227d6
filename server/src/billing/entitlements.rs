//! EntitlementService: what an account may use now, for the product's own services.

use std::collections::{BTreeSet, HashMap};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::{Stream, StreamExt as _, future, stream};
use garimpo_domain::limits::Resource;
use garimpo_domain::plans::PlanId;
use garimpo_domain::rights::Rights;
use garimpo_domain::{Timestamp, catalog};
use garimpo_proto::billing::v1 as pb;
use garimpo_proto::billing::v1::entitlement_service_server::EntitlementService;
use garimpo_proto::errors::v1::ErrorReason;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};

use super::apply::account_state;
use super::feed::{Cursor, Feed, Messages, Pace, Permit, Watched, Watcher, state_of};
use super::view::current;
use super::{Billing, shelf};
use crate::caller::{Caller, Principal, Scope};
use crate::error::{Error, Violations};
use crate::store::Account;
use crate::store::entitlement_changes::EntitlementChange;
use crate::store::subscriptions::Subscription;
use crate::wire::timestamp;

/// An answer may be kept this long, and never beyond the next change that time makes.
const CACHE_FOR: Duration = Duration::from_mins(1);
/// Accounts of one batch.
const BATCH_MAX: usize = 1_000;
/// Accounts that one watch may name; more are watched by naming none.
const WATCHED_MAX: usize = 1_000;

/// The service over billing and its feed.
#[derive(Clone)]
pub struct EntitlementApi(Billing, Arc<Feed>);

impl EntitlementApi {
    /// Serves billing.
    pub(crate) fn new(billing: Billing, feed: Arc<Feed>) -> Self {
        Self(billing, feed)
    }
}

impl Billing {
    async fn entitlements_get(&self, uid: &str) -> Result<pb::GetEntitlementsResponse, Error> {
        let (account, rights) = self.account_rights(uid).await?;
        Ok(self.entitlements(&account, &rights))
    }

    async fn entitlements_batch(&self, uids: Vec<String>) -> Result<pb::BatchGetEntitlementsResponse, Error> {
        let asked = read_uids(uids)?;
        let known: Vec<String> = asked.iter().filter(|uid| is_storable(uid)).cloned().collect();
        let accounts = self.store.accounts_by_uids(&known).await?;
        let mut bought: HashMap<String, Vec<Subscription>> = HashMap::new();
        for row in self.store.subscriptions_by_uids(&known).await? {
            bought.entry(row.uid.clone()).or_default().push(row);
        }
        let mut not_found = asked;
        let mut entitlements = HashMap::with_capacity(accounts.len());
        for account in accounts {
            let rows = bought.remove(&account.uid).unwrap_or_default();
            let rights = self.rights_now(&account, &rows)?;
            not_found.remove(&account.uid);
            entitlements.insert(account.uid.clone(), self.entitlements(&account, &rights));
        }
        Ok(pb::BatchGetEntitlementsResponse { entitlements, not_found: not_found.into_iter().collect() })
    }

    async fn limit_check(&self, asked: &pb::CheckLimitRequest) -> Result<pb::CheckLimitResponse, Error> {
        let (resource, wanted) = read_limit(asked)?;
        let (_, rights) = self.account_rights(&asked.uid).await?;
        let limit = rights.limits.get(resource);
        let smallest = catalog().smallest_plan_for(resource, wanted);
        Ok(pb::CheckLimitResponse {
            allowed: limit.allows(wanted),
            limit: Some(shelf::limit_of(resource, limit)),
            smallest_plan_id: smallest.map(|plan| plan.id.as_str().to_owned()),
        })
    }

    async fn account_rights(&self, uid: &str) -> Result<(Account, Rights), Error> {
        if uid.is_empty() {
            return Err(
                Error::refused(ErrorReason::InvalidArgument, "uid is missing").with_field("uid", "missing")
            );
        }
        let account = if is_storable(uid) { self.store.account_by_uid(uid).await? } else { None };
        let account =
            account.ok_or_else(|| Error::refused(ErrorReason::UserNotFound, "no account has this uid"))?;
        let rows = self.store.subscriptions_by_uid(uid).await?;
        let rights = self.rights_now(&account, &rows)?;
        Ok((account, rights))
    }

    fn rights_now(&self, account: &Account, rows: &[Subscription]) -> Result<Rights, Error> {
        let state = current(rows).map(Subscription::state).transpose()?;
        Ok(catalog().rights(state.as_ref(), &account_state(account), self.now(), &self.settings.policy))
    }

    fn entitlements(&self, account: &Account, rights: &Rights) -> pb::GetEntitlementsResponse {
        let now = self.now();
        told(&state_of(account, rights, now), now).unwrap_or_default()
    }
}

/// A state of the feed on the wire; `None` when the account is gone.
pub(super) fn told(state: &EntitlementChange, now: Timestamp) -> Option<pb::GetEntitlementsResponse> {
    let plan = catalog().plan(PlanId::parse(state.plan_id.as_deref()?)?);
    let next_change_at = state.next_change_at_us.map(Timestamp::from_micros);
    Some(pb::GetEntitlementsResponse {
        plan_id: plan.id.as_str().to_owned(),
        status: state.status.clone(),
        limits: shelf::limits(&plan.limits),
        features: shelf::features(plan.features),
        valid_until: state.valid_until_us.map(|at| timestamp(Timestamp::from_micros(at))),
        next_change_at: next_change_at.map(timestamp),
        cache_for: Some(cache_for(next_change_at, now)),
        revision: state.revision,
        suspended_reason: state.suspended_reason.clone(),
    })
}

fn cache_for(next_change_at: Option<Timestamp>, now: Timestamp) -> prost_types::Duration {
    let left = next_change_at.map(|at| Duration::from_micros(at.micros_since(now).max(0).unsigned_abs()));
    let kept = left.map_or(CACHE_FOR, |left| left.min(CACHE_FOR));
    prost_types::Duration { seconds: kept.as_secs() as i64, nanos: kept.subsec_nanos() as i32 }
}

/// No uid holds NUL, and PostgreSQL takes none in a text.
fn is_storable(uid: &str) -> bool {
    !uid.contains('\0')
}

/// The uids of a batch, each once.
fn read_uids(uids: Vec<String>) -> Result<BTreeSet<String>, Error> {
    let mut wrong = Violations::new();
    if uids.is_empty() || uids.len() > BATCH_MAX {
        wrong.add("uids", ErrorReason::InvalidArgument, "1 to 1,000 uids");
    }
    if uids.iter().any(String::is_empty) {
        wrong.add("uids", ErrorReason::InvalidArgument, "a uid is empty");
    }
    wrong.refuse()?;
    Ok(uids.into_iter().collect())
}

/// Which accounts a watch names; none stands for all.
fn read_watched(uids: Vec<String>) -> Result<Watched, Error> {
    let mut wrong = Violations::new();
    if uids.len() > WATCHED_MAX {
        wrong.add("uids", ErrorReason::InvalidArgument, "at most 1,000 uids; none watches all");
    }
    if uids.iter().any(|uid| uid.is_empty() || !is_storable(uid)) {
        wrong.add("uids", ErrorReason::InvalidArgument, "a uid is empty or malformed");
    }
    wrong.refuse()?;
    Ok(if uids.is_empty() { Watched::All } else { Watched::Some(uids.into_iter().collect()) })
}

/// A watch outlives the look at its token: it is looked at again.
struct TokenPermit {
    billing: Billing,
    caller: Arc<Caller>,
}

#[tonic::async_trait]
impl Permit for TokenPermit {
    async fn holds(&self) -> Result<(), Error> {
        let Principal::Service(token) = &self.caller.principal else { return Ok(()) };
        if self.billing.store.service_token_is_live(&token.id).await? {
            return Ok(());
        }
        Err(Error::refused(ErrorReason::Unauthenticated, "the token was revoked"))
    }
}

fn read_limit(asked: &pb::CheckLimitRequest) -> Result<(Resource, u64), Error> {
    let mut wrong = Violations::new();
    if asked.uid.is_empty() {
        wrong.add("uid", ErrorReason::InvalidArgument, "uid is missing");
    }
    let resource = Resource::parse(&asked.resource).ok_or("no resource is called that");
    let resource = wrong.take("resource", ErrorReason::InvalidArgument, resource);
    let wanted = u64::try_from(asked.wanted).map_err(|_| "wanted is below 0");
    let wanted = wrong.take("wanted", ErrorReason::InvalidArgument, wanted);
    wrong.refuse()?;
    resource
        .zip(wanted)
        .ok_or_else(|| Error::refused(ErrorReason::InvalidArgument, "a field is missing or malformed"))
}

#[tonic::async_trait]
impl EntitlementService for EntitlementApi {
    async fn get_entitlements(
        &self,
        request: Request<pb::GetEntitlementsRequest>,
    ) -> Result<Response<pb::GetEntitlementsResponse>, Status> {
        Caller::of(&request).require_scope(Scope::BillingRead)?;
        Ok(Response::new(self.0.entitlements_get(&request.into_inner().uid).await?))
    }

    async fn batch_get_entitlements(
        &self,
        request: Request<pb::BatchGetEntitlementsRequest>,
    ) -> Result<Response<pb::BatchGetEntitlementsResponse>, Status> {
        Caller::of(&request).require_scope(Scope::BillingRead)?;
        Ok(Response::new(self.0.entitlements_batch(request.into_inner().uids).await?))
    }

    async fn check_limit(
        &self,
        request: Request<pb::CheckLimitRequest>,
    ) -> Result<Response<pb::CheckLimitResponse>, Status> {
        Caller::of(&request).require_scope(Scope::BillingRead)?;
        Ok(Response::new(self.0.limit_check(&request.into_inner()).await?))
    }

    type WatchEntitlementsStream =
        Pin<Box<dyn Stream<Item = Result<pb::WatchEntitlementsResponse, Status>> + Send + 'static>>;

    async fn watch_entitlements(
        &self,
        request: Request<pb::WatchEntitlementsRequest>,
    ) -> Result<Response<Self::WatchEntitlementsStream>, Status> {
        let caller = Caller::of(&request);
        caller.require_scope(Scope::BillingRead)?;
        let request = request.into_inner();
        let watched = read_watched(request.uids)?;
        let asked = request.cursor.filter(|text| !text.is_empty());
        let cursor = asked.map(|text| Cursor::read(&text, self.0.now())).transpose()?;
        let permit = Box::new(TokenPermit { billing: self.0.clone(), caller });
        let (feed, clock, pace) = (self.1.clone(), self.0.clock.clone(), Pace::CONTRACT);
        let watcher = Watcher { feed, clock, watched, permit, pace };
        let Messages { messages, ending } = watcher.open(cursor);
        let told = ReceiverStream::new(messages).map(Ok);
        let last = stream::once(ending).filter_map(|why| future::ready(why.ok())).map(|why| Err(why.into()));
        Ok(Response::new(Box::pin(told.chain(last))))
    }
}
