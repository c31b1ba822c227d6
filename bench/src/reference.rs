//! What the product is measured against: a bare axum handler and an empty tonic unary, in a process of their own.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result};
use axum::Router;
use axum::routing::get;
use garimpo_proto::billing::v1::webhook_service_server::{WebhookService, WebhookServiceServer};
use garimpo_proto::billing::v1::{ReceiveEventRequest, ReceiveEventResponse};
use http::header::CONTENT_TYPE;
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

/// The argument by which this program becomes the references.
pub const COMMAND: &str = "reference";
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
    let body = bytes::Bytes::from(body);
    let handler = get(move || async move { ([(CONTENT_TYPE, "application/json")], body) });
    let unary = tonic::transport::Server::builder()
        .add_service(WebhookServiceServer::new(Nothing))
        .serve_with_incoming(TcpListenerStream::new(grpc));
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
