//! EntitlementService: the current rights of accounts, for the product's own services.

use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::Arc;

use futures::{Stream, stream};
use garimpo_domain::limits::Resource;
use garimpo_domain::{Timestamp, Uid, catalog};
use garimpo_proto::billing::v1 as pb;
use garimpo_proto::billing::v1::entitlement_service_server::EntitlementService;
use tokio::sync::OwnedSemaphorePermit;
use tonic::{Request, Response, Status};

use crate::auth::Sessions;
use crate::billing::catalog::wire;
use crate::billing::entitlements::Entitlements;
use crate::billing::entitlements::feed::watcher::{Permit, WatchTimings, Watched, Watcher};
use crate::billing::entitlements::feed::{Cursor, Feed};
use crate::billing::entitlements::reply::EntitlementsReply;
use crate::billing::entitlements::requested_uids::{check_each, check_uid, is_storable, parse_batch};
use crate::caller::{Caller, Principal, Scope};
use crate::error::{Error, ErrorReason, Result, Violations, log_failure};
use crate::rights::{rights_of, state_of};
use crate::store::{EntitlementChange, FollowedAccount, entitlement_changes};
use crate::wire::Reply;

/// Accounts that one watch names; without names it watches all.
const MAX_WATCHED: usize = 1_000;
/// Uids of a batch that count as one call of the token.
const UIDS_PER_CALL: usize = 10;
/// Name of the watch in the log.
const WATCH: &str = "garimpo.billing.v1.EntitlementService/WatchEntitlements";

#[derive(Clone)]
pub(crate) struct EntitlementApi {
    entitlements: Entitlements,
    feed: Arc<Feed>,
    sessions: Arc<Sessions>,
}

impl EntitlementApi {
    pub(crate) fn new(entitlements: Entitlements, feed: Arc<Feed>, sessions: Arc<Sessions>) -> Self {
        Self { entitlements, feed, sessions }
    }

    async fn reply(&self, uid: Uid) -> Result<EntitlementsReply> {
        let (mut found, _) = self.replies(vec![uid]).await?;
        found.pop().map(|(_, reply)| reply).ok_or_else(unknown_uid)
    }

    /// The replies with their uids, and the uids without an account, sorted.
    async fn replies(&self, uids: Vec<Uid>) -> Result<(Vec<(Uid, EntitlementsReply)>, BTreeSet<Uid>)> {
        let kept = self.feed.kept_replies(self.entitlements.context.now());
        let (mut found, unread) = kept.find(uids);
        if unread.is_empty() {
            return Ok((found, BTreeSet::new()));
        }
        // Boxed, because the future of a read has 15 KB and most calls read nothing.
        let states = Box::pin(self.entitlements.read_many_rights(&unread)).await?;
        let mut unknown: BTreeSet<Uid> = unread.into_iter().collect();
        for state in states {
            let reply = EntitlementsReply::of(&state)?;
            kept.keep(&state.uid, &reply);
            unknown.remove(&state.uid);
            found.push((state.uid, reply));
        }
        Ok((found, unknown))
    }
}

impl Entitlements {
    #[cfg(test)]
    pub(crate) async fn read_rights(&self, uid: &Uid) -> Result<EntitlementChange> {
        self.read_many_rights(std::slice::from_ref(uid)).await?.pop().ok_or_else(unknown_uid)
    }

    /// The rights of several accounts, read from the database. Unknown uids are left out.
    pub(crate) async fn read_many_rights(&self, uids: &[Uid]) -> Result<Vec<EntitlementChange>> {
        let known: Vec<Uid> = uids.iter().filter(|uid| is_storable(uid)).cloned().collect();
        if known.is_empty() {
            return Ok(Vec::new());
        }
        let accounts = entitlement_changes::followed_accounts(&self.context.store, &known).await?;
        Ok(accounts.iter().map(|followed| self.read_rights_now(followed)).collect())
    }

    fn read_rights_now(&self, followed: &FollowedAccount) -> EntitlementChange {
        let (now, account) = (self.context.now(), &followed.account);
        let rights = rights_of(account, &followed.subscriptions, now, &self.policy);
        let mut state = state_of(account, &rights, now);
        // If time has changed the rights and the job that appends to the feed has not run yet, it
        // will raise the revision by one.
        state.revision += i64::from(followed.reported_until.is_some_and(|until| until <= now));
        state
    }
}

fn unknown_uid() -> Error {
    Error::refused(ErrorReason::UserNotFound, "no account has this uid")
}

/// The watched accounts and the position from which the watch continues.
fn parse_watch(request: pb::WatchEntitlementsRequest, now: Timestamp) -> Result<(Watched, Option<Cursor>)> {
    let mut wrong = Violations::new();
    let uids = request.uids;
    if uids.len() > MAX_WATCHED {
        wrong.add("uids", ErrorReason::InvalidArgument, "at most 1,000 uids; none watches all");
    }
    check_each(&mut wrong, &uids);
    let cursor = request.cursor.filter(|text| !text.is_empty());
    let cursor = cursor.map(|text| Cursor::parse(&text)).transpose();
    let cursor = wrong.take("cursor", ErrorReason::InvalidArgument, cursor).flatten();
    wrong.refuse()?;
    let cursor = cursor.map(|cursor| cursor.unexpired(now)).transpose()?;
    Ok((
        if uids.is_empty() { Watched::All } else { Watched::Some(uids.into_iter().map(Uid::new).collect()) },
        cursor,
    ))
}

/// The token of a watch. It is checked again and again, because a watch lasts longer than a call.
struct TokenPermit {
    sessions: Arc<Sessions>,
    caller: Arc<Caller>,
    /// Counts the watch among those of its token until it is dropped.
    _slot: Option<OwnedSemaphorePermit>,
}

#[tonic::async_trait]
impl Permit for TokenPermit {
    async fn holds(&self) -> Result<()> {
        let Principal::Service(service) = &self.caller.principal else {
            return Err(self.caller.watch_revoked(WATCH));
        };
        if self.sessions.is_still_valid(service).await? {
            Ok(())
        } else {
            Err(self.caller.watch_revoked(WATCH))
        }
    }
}

fn parse_limit(request: &pb::CheckLimitRequest) -> Result<(Resource, u64)> {
    let mut wrong = Violations::new();
    wrong.take("uid", ErrorReason::InvalidArgument, check_uid(&request.uid));
    let resource = Resource::parse(&request.resource).ok_or("no resource is called that");
    let resource = wrong.take("resource", ErrorReason::InvalidArgument, resource);
    let wanted = u64::try_from(request.wanted).map_err(|_| "wanted is below 0");
    let wanted = wrong.take("wanted", ErrorReason::InvalidArgument, wanted);
    wrong.finish(resource.zip(wanted))
}

#[tonic::async_trait]
impl EntitlementService for EntitlementApi {
    async fn get_entitlements(
        &self,
        request: Request<pb::GetEntitlementsRequest>,
    ) -> Reply<pb::GetEntitlementsResponse> {
        Caller::of(&request).require_scope(Scope::BillingRead)?;
        let uid = request.into_inner().uid;
        let mut wrong = Violations::new();
        wrong.take("uid", ErrorReason::InvalidArgument, check_uid(&uid));
        wrong.refuse()?;
        Ok(Response::new(self.reply(Uid::new(uid)).await?.into_message(self.entitlements.context.now())))
    }

    async fn batch_get_entitlements(
        &self,
        request: Request<pb::BatchGetEntitlementsRequest>,
    ) -> Reply<pb::BatchGetEntitlementsResponse> {
        let calls = request.get_ref().uids.len().div_ceil(UIDS_PER_CALL).max(1) as u32;
        Caller::of(&request).require_calls(Scope::BillingRead, calls)?;
        let (found, unknown) = self.replies(parse_batch(request.into_inner().uids)?).await?;
        let now = self.entitlements.context.now();
        Ok(Response::new(pb::BatchGetEntitlementsResponse {
            entitlements: found
                .into_iter()
                .map(|(uid, reply)| (uid.into_string(), reply.into_message(now)))
                .collect(),
            not_found: unknown.into_iter().map(Uid::into_string).collect(),
        }))
    }

    async fn check_limit(&self, request: Request<pb::CheckLimitRequest>) -> Reply<pb::CheckLimitResponse> {
        Caller::of(&request).require_scope(Scope::BillingRead)?;
        let request = request.into_inner();
        let (resource, wanted) = parse_limit(&request)?;
        let limit = self.reply(Uid::new(request.uid)).await?.plan.limits.get(resource);
        let smallest = catalog().smallest_plan_for(resource, wanted);
        Ok(Response::new(pb::CheckLimitResponse {
            allowed: limit.allows(wanted),
            limit: Some(wire::limit_of(resource, limit)),
            smallest_plan_id: smallest.map(|plan| plan.id.as_str().to_owned()),
        }))
    }

    type WatchEntitlementsStream =
        Pin<Box<dyn Stream<Item = Result<pb::WatchEntitlementsResponse, Status>> + Send + 'static>>;

    async fn watch_entitlements(
        &self,
        request: Request<pb::WatchEntitlementsRequest>,
    ) -> Reply<Self::WatchEntitlementsStream> {
        let caller = Caller::of(&request);
        caller.require_scope(Scope::BillingRead)?;
        let now = self.entitlements.context.now();
        let (watched, cursor) = parse_watch(request.into_inner(), now)?;
        if let Some(cursor) = &cursor {
            self.feed.check(cursor, now).await?;
        }
        let slot = caller.open_watch()?;
        let watcher = Watcher {
            feed: self.feed.clone(),
            clock: self.entitlements.context.clock.clone(),
            watched,
            permit: Box::new(TokenPermit { sessions: self.sessions.clone(), caller, _slot: slot }),
            timings: WatchTimings::CONTRACT,
        };
        let messages = stream::unfold(Some(watcher.open(cursor)), |open| async {
            let mut open = open?;
            let message = open.next().await?;
            let goes_on = message.is_ok();
            let message = message.map_err(Status::from).inspect_err(log_failure);
            Some((message, goes_on.then_some(open)))
        });
        Ok(Response::new(Box::pin(messages)))
    }
}
