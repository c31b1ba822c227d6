//! EntitlementService as it is served: an answer takes the plan's limits and features as bytes that were made once. To
//! make them anew, each name a string of its own, was most of what a batch of a thousand cost, and the more so the
//! longer the allocator had run.

use prost::bytes::Bytes;

/// `garimpo.billing.v1.GetEntitlementsResponse` with the same bytes on the wire, where a message and a field of bytes are
/// written alike.
#[derive(Clone, PartialEq, prost::Message)]
pub struct GetEntitlementsResponse {
    #[prost(string, tag = "1")]
    pub plan_id: String,
    #[prost(string, tag = "2")]
    pub status: String,
    /// Each a written `Limit`.
    #[prost(bytes = "bytes", repeated, tag = "3")]
    pub limits: Vec<Bytes>,
    /// Each a written `Feature`.
    #[prost(bytes = "bytes", repeated, tag = "4")]
    pub features: Vec<Bytes>,
    #[prost(message, optional, tag = "5")]
    pub valid_until: Option<prost_types::Timestamp>,
    #[prost(message, optional, tag = "6")]
    pub next_change_at: Option<prost_types::Timestamp>,
    #[prost(message, optional, tag = "7")]
    pub cache_for: Option<prost_types::Duration>,
    #[prost(int64, tag = "8")]
    pub revision: i64,
    #[prost(string, optional, tag = "9")]
    pub suspended_reason: Option<String>,
}

mod generated {
    include!(concat!(env!("OUT_DIR"), "/written/garimpo.billing.v1.rs"));
}
pub use generated::{BatchGetEntitlementsResponse, WatchEntitlementsResponse, entitlement_service_server};

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::GetEntitlementsResponse;
    use crate::billing::v1 as pb;

    #[test]
    fn resposta_servida_tem_os_mesmos_bytes_que_a_do_contrato() {
        let amount = Some(pb::limit::Amount::Max(9));
        let timestamp = |seconds| Some(prost_types::Timestamp { seconds, nanos: 5 });
        let told = pb::GetEntitlementsResponse {
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
        .encode_to_vec();

        let served = GetEntitlementsResponse::decode(told.as_slice()).expect("the same message");

        assert_eq!(served.encode_to_vec(), told);
    }
}
