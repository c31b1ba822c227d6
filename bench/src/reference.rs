//! What the product is measured against: a bare axum handler, an empty tonic unary and one that answers bytes, in a
//! process of their own.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::task::{Context, Poll};

use anyhow::{Context as _, Result};
use axum::Router;
use axum::routing::get;
use bytes::Bytes;
use garimpo_proto::billing::v1::webhook_service_server::{WebhookService, WebhookServiceServer};
use garimpo_proto::billing::v1::{ReceiveEventRequest, ReceiveEventResponse};
use garimpo_proto::codec::SmallCodec;
use http::header::CONTENT_TYPE;
use tokio::net::TcpListener;
use tonic::codegen::{Body, BoxFuture, Service, StdError};
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

/// The argument by which this program becomes the references.
pub const COMMAND: &str = "reference";
/// Path of the unary call that answers as many bytes as the handler, whatever it is asked.
pub const SIZED_UNARY: &str = "/bench.Sized/Answer";
/// Path of the empty unary call.
pub const EMPTY_UNARY: &str = "/garimpo.billing.v1.WebhookService/ReceiveEvent";

/// The references, running; ended with the value.
pub struct Reference {
    child: Child,
    /// The bare handler.
    pub http: String,
    /// The empty unary.
    pub grpc: String,
}

impl Reference {
    /// Starts them; the handler answers `body`.
    ///
    /// # Errors
    /// They do not come up.
    pub fn start(body: &str) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        let mut child = command.args([COMMAND, body]).stdout(Stdio::piped()).spawn()?;
        let mut lines = BufReader::new(child.stdout.take().context("its output")?).lines();
        let mut line = || lines.next().context("the reference says where it listens")?.context("a line");
        Ok(Self { http: line()?, grpc: line()?, child })
    }

    /// Resident memory now, in MB.
    ///
    /// # Errors
    /// It is gone.
    pub fn resident_mb(&self) -> Result<f64> {
        crate::product::resident_mb(self.child.id())
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs as the references until killed.
///
/// # Errors
/// A port cannot be had.
pub async fn serve(body: String) -> Result<()> {
    let (http, grpc) = (TcpListener::bind("127.0.0.1:0").await?, TcpListener::bind("127.0.0.1:0").await?);
    println!("http://{}", http.local_addr()?);
    println!("http://{}", grpc.local_addr()?);
    let body = Bytes::from(body);
    let served = body.clone();
    let handler = get(move || async move { ([(CONTENT_TYPE, "application/json")], served) });
    let unary = tonic::transport::Server::builder()
        .add_service(WebhookServiceServer::new(Nothing))
        .add_service(Sized(body.clone()))
        // As the product does: an answer of two packets would wait for the caller's ACK.
        .serve_with_incoming(TcpIncoming::from(grpc).with_nodelay(Some(true)));
    tokio::spawn(unary);
    axum::serve(http, Router::new().route("/", handler)).await?;
    Ok(())
}

/// Answers an empty message.
struct Nothing;

#[tonic::async_trait]
impl WebhookService for Nothing {
    async fn receive_event(
        &self,
        _: Request<ReceiveEventRequest>,
    ) -> Result<Response<ReceiveEventResponse>, Status> {
        Ok(Response::new(ReceiveEventResponse {}))
    }
}

/// Answers the same bytes to every call.
#[derive(Clone)]
struct Sized(Bytes);

impl NamedService for Sized {
    const NAME: &'static str = "bench.Sized";
}

impl<B> Service<http::Request<B>> for Sized
where
    B: Body + Send + 'static,
    B::Error: Into<StdError> + Send + 'static,
{
    type Response = http::Response<tonic::body::Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let answer = self.clone();
        // The codec of the product's own services, so that only what is around and within the call differs.
        let codec = SmallCodec::<Bytes, Bytes>::default();
        Box::pin(async move { Ok(Grpc::new(codec).unary(answer, request).await) })
    }
}

impl UnaryService<Bytes> for Sized {
    type Response = Bytes;
    type Future = Ready<Result<Response<Bytes>, Status>>;

    fn call(&mut self, _: Request<Bytes>) -> Self::Future {
        ready(Ok(Response::new(self.0.clone())))
    }
}
