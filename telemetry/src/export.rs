//! Sends spans to a collector over OTLP: gRPC, in batches, beside the work that they describe.
//!
//! A span that does not fit into the queue, or that the collector does not accept, is dropped and
//! counted. The SDK's own batch processor is not used: it does not report what it drops.

use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_client::TraceServiceClient;
use opentelemetry_proto::transform::common::tonic::ResourceAttributesWithSchema;
use opentelemetry_proto::transform::trace::tonic::group_spans_by_resource_and_scope;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider, Span, SpanData, SpanLimits, SpanProcessor};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout, timeout_at};
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};

use crate::sampling;

/// Spans that wait; about 4 MiB.
const QUEUE: usize = 4_096;
/// Spans of one message.
const BATCH: usize = 512;
/// The first span of a batch waits at most this long for others.
const GATHERING: Duration = Duration::from_secs(1);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
const EXPORT_TIMEOUT: Duration = Duration::from_secs(5);
/// A stop sends what waits for at most this long.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);
const SPANS: &str = "garimpo_trace_spans_total";

/// Where and how much to record.
#[derive(Debug, Clone)]
pub struct TraceSettings {
    /// Origin of the collector, for instance `http://127.0.0.1:4317`; https is checked by the
    /// system's roots.
    pub url: String,
    /// Share of the traces that are recorded, 0 to 1.
    pub ratio: f64,
    /// Name of the service, by the role of the process.
    pub service: &'static str,
    pub version: &'static str,
    /// Distinguishes this process from others of its role.
    pub instance: String,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("the address of the collector")]
    Address(#[from] tonic::transport::Error),
    #[error("traces are recorded already")]
    Twice,
}

/// The export of this process.
#[derive(Debug)]
pub struct Exporter(mpsc::Sender<Order>);

#[derive(Debug)]
enum Order {
    Send(Box<SpanData>),
    /// Send what waits, then reply.
    Flush(oneshot::Sender<()>),
}

/// Begins to record traces; call it once, inside of a runtime. It connects when the first span
/// ends.
pub fn start(settings: TraceSettings) -> Result<Exporter, StartError> {
    let is_https = settings.url.starts_with("https:");
    let mut collector =
        Endpoint::from_shared(settings.url)?.connect_timeout(CONNECT_TIMEOUT).timeout(EXPORT_TIMEOUT);
    if is_https {
        collector = collector.tls_config(ClientTlsConfig::new().with_native_roots())?;
    }
    let channel = collector.connect_lazy();
    let resource = Resource::builder_empty()
        .with_service_name(settings.service)
        .with_attribute(KeyValue::new("service.version", settings.version))
        .with_attribute(KeyValue::new("service.instance.id", settings.instance))
        .build();
    let (queue, orders) = mpsc::channel(QUEUE);
    // Everything that the SDK would read from the environment is set.
    let provider = SdkTracerProvider::builder()
        .with_sampler(Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(settings.ratio))))
        .with_span_limits(SpanLimits::default())
        .with_resource(resource.clone())
        .with_span_processor(Queue(queue.clone()))
        .build();
    if !sampling::install(provider.tracer("garimpo"), settings.ratio) {
        return Err(StartError::Twice);
    }
    metrics::describe_counter!(SPANS, "Spans by outcome: sent, dropped (the queue was full), failed.");
    for outcome in ["sent", "dropped", "failed"] {
        count(outcome, 0);
    }
    let (client, resource) = (TraceServiceClient::new(channel), (&resource).into());
    tokio::spawn(Sender { client, resource, is_failing: false }.run(orders));
    Ok(Exporter(queue))
}

fn count(outcome: &'static str, spans: usize) {
    metrics::counter!(SPANS, "outcome" => outcome).increment(spans as u64);
}

impl Exporter {
    /// Sends what waits, for a limited time.
    pub async fn stop(&self) {
        let (sender, sent) = oneshot::channel();
        let flushed = async {
            if self.0.send(Order::Flush(sender)).await.is_ok() {
                drop(sent.await);
            }
        };
        drop(timeout(STOP_TIMEOUT, flushed).await);
    }
}

/// Takes ended spans without waiting.
#[derive(Debug)]
struct Queue(mpsc::Sender<Order>);

impl SpanProcessor for Queue {
    fn on_start(&self, _: &mut Span, _: &opentelemetry::Context) {}

    fn on_end(&self, span: SpanData) {
        if self.0.try_send(Order::Send(Box::new(span))).is_err() {
            count("dropped", 1);
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }
}

struct Sender {
    client: TraceServiceClient<Channel>,
    resource: ResourceAttributesWithSchema,
    /// Whether the last message was refused, so that an outage is logged once.
    is_failing: bool,
}

impl Sender {
    async fn run(mut self, mut orders: mpsc::Receiver<Order>) {
        while let Some(first) = orders.recv().await {
            let (batch, flushed) = gather(first, &mut orders).await;
            if !batch.is_empty() {
                self.send(batch).await;
            }
            if let Some(flushed) = flushed {
                let _ = flushed.send(());
            }
        }
    }

    async fn send(&mut self, batch: Vec<SpanData>) {
        let spans = batch.len();
        let resource_spans = group_spans_by_resource_and_scope(batch, &self.resource);
        let sending = self.client.export(ExportTraceServiceRequest { resource_spans });
        let failure = match timeout(EXPORT_TIMEOUT, sending).await {
            Ok(Ok(response)) => {
                let refused = response.into_inner().partial_success.map_or(0, |part| part.rejected_spans);
                let refused = usize::try_from(refused).unwrap_or_default().min(spans);
                count("sent", spans - refused);
                count("failed", refused);
                None
            }
            Ok(Err(status)) => Some(status.code().to_string()),
            Err(_) => Some("no answer in time".to_owned()),
        };
        let is_failing = failure.is_some();
        if let Some(error) = failure {
            count("failed", spans);
            if !self.is_failing {
                tracing::warn!(error, "the collector of traces does not accept spans: they are dropped");
            }
        } else if self.is_failing {
            tracing::info!("the collector of traces accepts spans again");
        }
        self.is_failing = is_failing;
    }
}

/// The spans of one message, and who waits for it.
async fn gather(
    first: Order,
    orders: &mut mpsc::Receiver<Order>,
) -> (Vec<SpanData>, Option<oneshot::Sender<()>>) {
    let until = Instant::now() + GATHERING;
    let mut batch = Vec::new();
    let mut next = Some(first);
    loop {
        match next {
            Some(Order::Send(span)) => batch.push(*span),
            Some(Order::Flush(waiting)) => return (batch, Some(waiting)),
            None => return (batch, None),
        }
        if batch.len() >= BATCH {
            return (batch, None);
        }
        next = timeout_at(until, orders.recv()).await.ok().flatten();
    }
}

#[cfg(test)]
mod tests {
    use opentelemetry::trace::Tracer as _;

    use super::*;

    #[test]
    fn a_full_queue_drops_the_span_without_waiting() {
        let (queue, mut orders) = mpsc::channel(2);
        let provider = SdkTracerProvider::builder()
            .with_sampler(Sampler::AlwaysOn)
            .with_span_processor(Queue(queue))
            .build();

        for _ in 0..5 {
            drop(provider.tracer("test").start("a span"));
        }

        let mut kept = 0;
        while orders.try_recv().is_ok() {
            kept += 1;
        }
        assert_eq!(kept, 2);
    }
}
