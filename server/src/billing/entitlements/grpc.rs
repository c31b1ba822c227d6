//! EntitlementService: what an account may use now, for the product's own services.

use std::collections::HashSet;
use std::pin::Pin;
use std::sync::Arc;

use bytestring::ByteString;
use futures::{Stream, stream};
use garimpo_domain::limits::Resource;
use garimpo_domain::{Timestamp, catalog};
use garimpo_proto::billing::v1 as pb;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::written;
use garimpo_proto::written::entitlement_service_server::EntitlementService;
use tokio::sync::OwnedSemaphorePermit;
use tonic::{Request, Response, Status};

use crate::auth::Sessions;
use crate::billing::catalog::wire;
use crate::billing::current_subscription::rights_of;
use crate::billing::entitlements::Entitlements;
use crate::billing::entitlements::fast_path::encoded_reply::Answer;
use crate::billing::entitlements::feed::watcher::{Permit, WatchTimings, Watched, Watcher};
use crate::billing::entitlements::feed::{Cursor, Feed, state_of};
use crate::billing::entitlements::uids::{is_storable, read_each, read_uid, read_uids};
use crate::caller::{Caller, Principal, Scope};
use crate::error::{Error, Violations};
use crate::store::billing::entitlement_changes::{self, EntitlementChange, FollowedAccount};

/// Accounts that one watch may name; more are watched by naming none.
const WATCHED_MAX: usize = 1_000;

/// A batch counts one call of its token's pace for so many uids.
const UIDS_OF_ONE_CALL: usize = 10;
/// The watch's name in the log.
const WATCH: &str = "garimpo.billing.v1.EntitlementService/WatchEntitlements";

/// The service over the entitlements and their feed.
#[derive(Clone)]
pub struct EntitlementApi {
    entitlements: Entitlements,
    feed: Arc<Feed>,
    sessions: Arc<Sessions>,
}

impl EntitlementApi {
    /// Serves what accounts may use.
    pub(crate) fn new(entitlements: Entitlements, feed: Arc<Feed>, sessions: Arc<Sessions>) -> Self {
        Self { entitlements, feed, sessions }
    }

    /// What an account may use now, as it was read lately or as the database says.
    async fn answer(&self, uid: &str) -> Result<Answer, Error> {
        if let Some(kept) = self.feed.kept(self.entitlements.context.now()).get(uid) {
            return Ok(kept);
        }
        let reading = self.feed.reading();
        let answer = Answer::of(&self.entitlements.rights_read(uid).await?)?;
        self.feed.keep(reading, uid, answer.clone());
        Ok(answer)
    }

    async fn batch(&self, asked: Vec<ByteString>) -> Result<written::BatchGetEntitlementsResponse, Error> {
        let now = self.entitlements.context.now();
        let (mut entitlements, mut unknown) = (Vec::with_capacity(asked.len()), Vec::new());
        let kept = self.feed.kept(now);
        for uid in asked {
            match kept.get(&uid) {
                Some(answer) => entitlements.push(entry(uid, &answer, now)),
                None => unknown.push(uid),
            }
        }
        let reading = self.feed.reading();
        let mut found = HashSet::new();
        for state in self.entitlements.rights_read_many(&unknown).await? {
            let answer = Answer::of(&state)?;
            self.feed.keep(reading, &state.uid, answer.clone());
            entitlements.push(entry(state.uid.clone().into(), &answer, now));
            found.insert(state.uid);
        }
        unknown.retain(|uid| !found.contains(&**uid));
        let not_found = unknown.into_iter().map(ByteString::into_bytes).collect();
        Ok(written::BatchGetEntitlementsResponse { entitlements, not_found })
    }

    async fn limit_check(&self, asked: &pb::CheckLimitRequest) -> Result<pb::CheckLimitResponse, Error> {
        let (resource, wanted) = read_limit(asked)?;
        let limit = self.answer(&asked.uid).await?.plan.limits.get(resource);
        let smallest = catalog().smallest_plan_for(resource, wanted);
        Ok(pb::CheckLimitResponse {
            allowed: limit.allows(wanted),
            limit: Some(wire::limit_of(resource, limit)),
            smallest_plan_id: smallest.map(|plan| plan.id.as_str().to_owned()),
        })
    }
}

impl Entitlements {
    /// What an account may use, as the database says.
    pub(crate) async fn rights_read(&self, uid: &str) -> Result<EntitlementChange, Error> {
        let read = self.rights_read_many(&[uid]).await?.pop();
        read.ok_or_else(|| Error::refused(ErrorReason::UserNotFound, "no account has this uid"))
    }

    /// The same of several accounts; who has none is left out.
    pub(crate) async fn rights_read_many(
        &self,
        uids: &[impl AsRef<str>],
    ) -> Result<Vec<EntitlementChange>, Error> {
        let known = uids.iter().map(AsRef::as_ref).filter(|uid| is_storable(uid));
        let known: Vec<String> = known.map(str::to_owned).collect();
        if known.is_empty() {
            return Ok(Vec::new());
        }
        let accounts = entitlement_changes::followed_accounts(&self.context.store, &known).await?;
        accounts.iter().map(|followed| self.rights_now(followed)).collect()
    }

    fn rights_now(&self, followed: &FollowedAccount) -> Result<EntitlementChange, Error> {
        let (now, account) = (self.context.now(), &followed.account);
        let rights = rights_of(account, &followed.subscriptions, now, &self.context.settings.policy)?;
        let mut state = state_of(account, &rights, now);
        // Time has changed it, and the job that tells the feed has not run yet: it counts one more then.
        state.revision += i64::from(followed.told_until_us.is_some_and(|until| until <= now.as_micros()));
        Ok(state)
    }
}

fn entry(uid: ByteString, answer: &Answer, now: Timestamp) -> written::Entry {
    written::Entry { uid: uid.into_bytes(), answer: answer.told(now) }
}

/// Which accounts a watch names, none stands for all, and from where it goes on.
fn read_watch(
    asked: pb::WatchEntitlementsRequest,
    now: Timestamp,
) -> Result<(Watched, Option<Cursor>), Error> {
    let mut wrong = Violations::new();
    let uids = asked.uids;
    if uids.len() > WATCHED_MAX {
        wrong.add("uids", ErrorReason::InvalidArgument, "at most 1,000 uids; none watches all");
    }
    read_each(&mut wrong, &uids);
    let cursor = asked.cursor.filter(|text| !text.is_empty());
    let cursor = cursor.map(|text| Cursor::parse(&text)).transpose();
    let cursor = wrong.take("cursor", ErrorReason::InvalidArgument, cursor).flatten();
    wrong.refuse()?;
    let cursor = cursor.map(|cursor| cursor.alive(now)).transpose()?;
    Ok((if uids.is_empty() { Watched::All } else { Watched::Some(uids.into_iter().collect()) }, cursor))
}

/// A watch outlives the look at its token: it is looked at again.
struct TokenPermit {
    sessions: Arc<Sessions>,
    caller: Arc<Caller>,
    /// Its place among the watches of the token, free again with it.
    _place: Option<OwnedSemaphorePermit>,
}

#[tonic::async_trait]
impl Permit for TokenPermit {
    async fn holds(&self) -> Result<(), Error> {
        let Principal::Service(service) = &self.caller.principal else {
            return Err(self.caller.ended(WATCH));
        };
        if self.sessions.still_serves(service).await? { Ok(()) } else { Err(self.caller.ended(WATCH)) }
    }
}

fn read_limit(asked: &pb::CheckLimitRequest) -> Result<(Resource, u64), Error> {
    let mut wrong = Violations::new();
    wrong.take("uid", ErrorReason::InvalidArgument, read_uid(asked.uid.as_bytes()));
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
    ) -> Result<Response<written::GetEntitlementsResponse>, Status> {
        Caller::of(&request).require_scope(Scope::BillingRead)?;
        let mut wrong = Violations::new();
        wrong.take("uid", ErrorReason::InvalidArgument, read_uid(request.get_ref().uid.as_bytes()));
        wrong.refuse()?;
        let answer = self.answer(&request.get_ref().uid).await?;
        Ok(Response::new(answer.told(self.entitlements.context.now())))
    }

    async fn batch_get_entitlements(
        &self,
        request: Request<written::BatchGetEntitlementsRequest>,
    ) -> Result<Response<written::BatchGetEntitlementsResponse>, Status> {
        let calls = request.get_ref().uids.len().div_ceil(UIDS_OF_ONE_CALL).max(1) as u32;
        Caller::of(&request).require_calls(Scope::BillingRead, calls)?;
        let asked = read_uids(request.into_inner().uids)?;
        Ok(Response::new(self.batch(asked).await?))
    }

    async fn check_limit(
        &self,
        request: Request<pb::CheckLimitRequest>,
    ) -> Result<Response<pb::CheckLimitResponse>, Status> {
        Caller::of(&request).require_scope(Scope::BillingRead)?;
        Ok(Response::new(self.limit_check(&request.into_inner()).await?))
    }

    type WatchEntitlementsStream =
        Pin<Box<dyn Stream<Item = Result<written::WatchEntitlementsResponse, Status>> + Send + 'static>>;

    async fn watch_entitlements(
        &self,
        request: Request<pb::WatchEntitlementsRequest>,
    ) -> Result<Response<Self::WatchEntitlementsStream>, Status> {
        let caller = Caller::of(&request);
        caller.require_scope(Scope::BillingRead)?;
        let now = self.entitlements.context.now();
        let (watched, cursor) = read_watch(request.into_inner(), now)?;
        if let Some(cursor) = &cursor {
            self.feed.check(cursor, now).await?;
        }
        let place = caller.open_watch()?;
        let permit = Box::new(TokenPermit { sessions: self.sessions.clone(), caller, _place: place });
        let (feed, clock, pace) =
            (self.feed.clone(), self.entitlements.context.clock.clone(), WatchTimings::CONTRACT);
        let watcher = Watcher { feed, clock, watched, permit, pace };
        let told = stream::unfold(Some(watcher.open(cursor)), |open| async {
            let mut open = open?;
            let message = open.next().await?;
            let goes_on = message.is_ok();
            Some((message.map_err(Status::from), goes_on.then_some(open)))
        });
        Ok(Response::new(Box::pin(told)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    #[test]
    fn cada_uid_de_um_lote_conta_uma_vez_e_o_que_nao_e_texto_e_recusado() {
        let uids =
            |asked: &[&'static [u8]]| read_uids(asked.iter().copied().map(Bytes::from_static).collect());

        assert_eq!(uids(&[b"usr_b", b"usr_a", b"usr_b"]).expect("texts"), ["usr_a", "usr_b"]);
        let refused = uids(&[b"usr_a", b"\xff"]).expect_err("no text");
        assert_eq!(refused.reason(), ErrorReason::InvalidArgument);
    }
}
