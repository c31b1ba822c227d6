//! Proof that a server belongs to the fleet.

use garimpo_proto::fleet::Challenge;
use garimpo_proto::metadata::{FLEET_CHALLENGE, FLEET_PROOF};
use http::HeaderValue;
use std::sync::OnceLock;
use tonic::transport::Channel;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

/// The secret and the database that all servers of a fleet share.
pub(super) struct Identity {
    pub secret: HeaderValue,
    /// Id of the first server's database, until the gateway restarts.
    pub database_id: OnceLock<String>,
}

/// Why a server is not ready.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unready {
    #[error("its status is not SERVING")]
    Leaves,
    #[error("its health check timed out")]
    TimedOut,
    #[error("{0}")]
    Refused(String),
    #[error("it does not prove the fleet secret, so it gets no call")]
    Unproven,
    #[error("it has another database than the first server, so it gets no call")]
    OtherDatabase,
}

impl Identity {
    /// Makes a health check with a challenge. The secret itself is sent only to servers that have
    /// proved it.
    pub async fn check(&self, client: &mut HealthClient<Channel>) -> Result<(), Unready> {
        let challenge = Challenge::new(self.secret.as_bytes(), rand::random());
        let mut request = tonic::Request::new(HealthCheckRequest { service: String::new() });
        let text = HeaderValue::try_from(challenge.text()).expect("a challenge is ASCII");
        request.metadata_mut().as_mut().insert(FLEET_CHALLENGE, text);
        let response =
            client.check(request).await.map_err(|status| Unready::Refused(status.message().to_owned()))?;
        let proof = response.metadata().as_ref().get(FLEET_PROOF).and_then(|proof| proof.to_str().ok());
        let database_id = proof.and_then(|proof| challenge.verified(proof)).ok_or(Unready::Unproven)?;
        if self.database_id.get_or_init(|| database_id.to_owned()) != database_id {
            return Err(Unready::OtherDatabase);
        }
        if response.get_ref().status() == ServingStatus::Serving { Ok(()) } else { Err(Unready::Leaves) }
    }
}
