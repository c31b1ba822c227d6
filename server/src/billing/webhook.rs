//! WebhookService: the provider's events, passed on by the gateway.

use garimpo_proto::billing::v1 as pb;
use garimpo_proto::billing::v1::webhook_service_server::WebhookService;
use tonic::{Request, Response, Status};

use crate::billing::Billing;

/// The service over billing.
#[derive(Clone)]
pub struct WebhookApi(Billing);

impl WebhookApi {
    /// Serves billing's events.
    pub fn new(billing: Billing) -> Self {
        Self(billing)
    }
}

#[tonic::async_trait]
impl WebhookService for WebhookApi {
    /// Anyone may deliver: the signature is the proof.
    async fn receive_event(
        &self,
        request: Request<pb::ReceiveEventRequest>,
    ) -> Result<Response<pb::ReceiveEventResponse>, Status> {
        let request = request.into_inner();
        self.0.event_receive(request.payload, &request.signature).await?;
        Ok(Response::new(pb::ReceiveEventResponse {}))
    }
}
