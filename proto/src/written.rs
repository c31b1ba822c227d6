//! EntitlementService as it is served: the messages of the contract, to the byte, held in as few pieces as they have parts.
//!
//! A batch is a thousand answers. Each name and each uid as a string of its own was most of what one cost, and the more
//! so the longer the allocator had run.

use std::sync::Arc;

use prost::bytes::{Buf, BufMut, Bytes};
use prost::encoding::{DecodeContext, WireType, message, skip_field};
use prost::{DecodeError, Message};

use crate::billing::v1::{Feature, Limit};

/// `garimpo.billing.v1.BatchGetEntitlementsRequest`: its uids are pieces of what came, and may be no text.
#[derive(Clone, PartialEq, Message)]
pub struct BatchGetEntitlementsRequest {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub uids: Vec<Bytes>,
}

/// `garimpo.billing.v1.BatchGetEntitlementsResponse`: a map is written as its entries are.
#[derive(Clone, PartialEq, Message)]
pub struct BatchGetEntitlementsResponse {
    #[prost(message, repeated, tag = "1")]
    pub entitlements: Vec<Entry>,
    #[prost(bytes = "bytes", repeated, tag = "2")]
    pub not_found: Vec<Bytes>,
}

/// An entry of the map above.
#[derive(Clone, PartialEq, Message)]
pub struct Entry {
    #[prost(bytes = "bytes", tag = "1")]
    pub uid: Bytes,
    #[prost(message, required, tag = "2")]
    pub answer: GetEntitlementsResponse,
}

/// `garimpo.billing.v1.GetEntitlementsResponse`: what was written of the plan and of the account, and what time makes of
/// it. It is only told; whoever reads one reads the contract's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct GetEntitlementsResponse {
    /// A written [`OfPlan`], made once.
    pub plan: &'static [u8],
    /// A written [`OfAccount`], made once for each reading.
    pub account: Arc<[u8]>,
    pub cache_for: prost_types::Duration,
}

const CACHE_FOR: u32 = 7;

impl Message for GetEntitlementsResponse {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        buf.put_slice(self.plan);
        buf.put_slice(&self.account);
        message::encode(CACHE_FOR, &self.cache_for, buf);
    }

    fn encoded_len(&self) -> usize {
        self.plan.len() + self.account.len() + message::encoded_len(CACHE_FOR, &self.cache_for)
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        skip_field(wire_type, tag, buf, context)
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

/// What an answer says of the plan.
#[derive(Clone, PartialEq, Message)]
pub struct OfPlan {
    #[prost(string, tag = "1")]
    pub plan_id: String,
    #[prost(message, repeated, tag = "3")]
    pub limits: Vec<Limit>,
    #[prost(message, repeated, tag = "4")]
    pub features: Vec<Feature>,
}

/// What it says of the account.
#[derive(Clone, PartialEq, Message)]
pub struct OfAccount {
    #[prost(string, tag = "2")]
    pub status: String,
    #[prost(message, optional, tag = "5")]
    pub valid_until: Option<prost_types::Timestamp>,
    #[prost(message, optional, tag = "6")]
    pub next_change_at: Option<prost_types::Timestamp>,
    #[prost(int64, tag = "8")]
    pub revision: i64,
    #[prost(string, optional, tag = "9")]
    pub suspended_reason: Option<String>,
}

mod generated {
    include!(concat!(env!("OUT_DIR"), "/written/garimpo.billing.v1.rs"));
}
pub use generated::{WatchEntitlementsResponse, entitlement_service_server};

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;
    use crate::billing::v1 as pb;

    fn contract() -> pb::GetEntitlementsResponse {
        let amount = Some(pb::limit::Amount::Max(9));
        let timestamp = |seconds| Some(prost_types::Timestamp { seconds, nanos: 5 });
        pb::GetEntitlementsResponse {
            plan_id: "elite_1".to_owned(),
            status: "active".to_owned(),
            limits: vec![pb::Limit { resource: "queues".to_owned(), amount }, pb::Limit::default()],
            features: vec![pb::Feature { name: "report".to_owned(), enabled: true }],
            valid_until: timestamp(1_800_000_000),
            next_change_at: timestamp(1_700_000_000),
            cache_for: Some(prost_types::Duration { seconds: 60, nanos: 0 }),
            revision: 7,
            suspended_reason: Some("payment_failed".to_owned()),
        }
    }

    /// The same as it is served.
    fn served(contract: pb::GetEntitlementsResponse) -> GetEntitlementsResponse {
        let pb::GetEntitlementsResponse { plan_id, limits, features, status, valid_until, .. } = contract;
        let pb::GetEntitlementsResponse { next_change_at, revision, suspended_reason, cache_for, .. } =
            contract;
        let plan = OfPlan { plan_id, limits, features };
        let account = OfAccount { status, valid_until, next_change_at, revision, suspended_reason };
        GetEntitlementsResponse {
            plan: plan.encode_to_vec().leak(),
            account: account.encode_to_vec().into(),
            cache_for: cache_for.expect("it was given"),
        }
    }

    #[test]
    fn resposta_servida_e_a_do_contrato() {
        let answer = served(contract());
        assert_eq!(pb::GetEntitlementsResponse::decode(&*answer.encode_to_vec()), Ok(contract()));

        let entry = Entry { uid: "usr_a".into(), answer };
        let batch =
            BatchGetEntitlementsResponse { entitlements: vec![entry], not_found: vec!["usr_b".into()] };
        let told = pb::BatchGetEntitlementsResponse {
            entitlements: [("usr_a".to_owned(), contract())].into(),
            not_found: vec!["usr_b".to_owned()],
        };
        assert_eq!(pb::BatchGetEntitlementsResponse::decode(&*batch.encode_to_vec()), Ok(told));
    }

    #[test]
    fn pedido_e_o_do_contrato() {
        let asked = pb::BatchGetEntitlementsRequest { uids: vec!["usr_a".to_owned(), String::new()] };
        let read = BatchGetEntitlementsRequest::decode(&*asked.encode_to_vec()).expect("the same message");
        assert_eq!(read.uids, ["usr_a", ""]);
    }
}
