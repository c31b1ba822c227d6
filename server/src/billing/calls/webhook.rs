//! WebhookService: receives the provider's events from the gateway.

use garimpo_proto::billing::v1 as pb;
use garimpo_proto::billing::v1::webhook_service_server::WebhookService;
use tonic::{Request, Response};

use crate::billing::sync::events::Events;
use crate::wire::Reply;

/// The gRPC service that receives events.
#[derive(Clone)]
pub struct WebhookApi(Events);

impl WebhookApi {
    /// Creates the service.
    pub fn new(events: Events) -> Self {
        Self(events)
    }
}

#[tonic::async_trait]
impl WebhookService for WebhookApi {
    /// Anyone may call it, because the signature authenticates the event.
    async fn receive_event(
        &self,
        request: Request<pb::ReceiveEventRequest>,
    ) -> Reply<pb::ReceiveEventResponse> {
        let request = request.into_inner();
        self.0.receive(request.payload, &request.signature).await?;
        Ok(Response::new(pb::ReceiveEventResponse {}))
    }
}
