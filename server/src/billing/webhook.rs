//! WebhookService: receives the provider's events from the gateway.

use garimpo_proto::billing::v1 as pb;
use garimpo_proto::billing::v1::webhook_service_server::WebhookService;
use tonic::{Request, Response};

use crate::billing::sync::events::Events;
use crate::wire::Reply;

/// The service over the receiver of events.
#[derive(Clone)]
pub struct WebhookApi(Events);

impl WebhookApi {
    /// Passes events on to their receiver.
    pub fn new(events: Events) -> Self {
        Self(events)
    }
}

#[tonic::async_trait]
impl WebhookService for WebhookApi {
    /// Anyone may deliver: the signature is the proof.
    async fn receive_event(
        &self,
        request: Request<pb::ReceiveEventRequest>,
    ) -> Reply<pb::ReceiveEventResponse> {
        let request = request.into_inner();
        self.0.event_receive(request.payload, &request.signature).await?;
        Ok(Response::new(pb::ReceiveEventResponse {}))
    }
}
