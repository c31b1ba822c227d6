//! The references of the figures, in a process of their own: a bare axum handler, and a tonic
//! unary call that returns the same bytes.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::task::{Context, Poll};

use anyhow::{Context as _, Result};
use axum::Router;
use axum::routing::get;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use tokio::net::TcpListener;
use tonic::codegen::{Body, BoxFuture, Service, StdError};
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;

/// The argument that starts this program as the references.
pub const COMMAND: &str = "reference";
/// Path of the unary call that returns the same bytes as the handler.
pub const SIZED_UNARY: &str = "/bench.Sized/Answer";

/// The running references, killed on drop.
pub struct Reference {
    child: Child,
    /// Address of the bare handler.
    pub http: String,
    /// Address of the unary call.
    pub grpc: String,
}

impl Reference {
    /// The handler returns `body`.
    pub fn start(body: &str) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        let mut child = command.args([COMMAND, body]).stdout(Stdio::piped()).spawn()?;
        let mut lines = BufReader::new(child.stdout.take().context("its output")?).lines();
        let mut line = || lines.next().context("the reference prints its addresses")?.context("a line");
        Ok(Self { http: line()?, grpc: line()?, child })
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub async fn serve(body: String) -> Result<()> {
    let (http, grpc) = (TcpListener::bind("127.0.0.1:0").await?, TcpListener::bind("127.0.0.1:0").await?);
    println!("http://{}", http.local_addr()?);
    println!("http://{}", grpc.local_addr()?);
    let body = Bytes::from(body);
    let served = body.clone();
    let handler = get(move || async move { ([(CONTENT_TYPE, "application/json")], served) });
    let unary = tonic::transport::Server::builder()
        .add_service(Sized(body.clone()))
        // As in the product: without it a response of two packets waits for an ACK.
        .serve_with_incoming(TcpIncoming::from(grpc).with_nodelay(Some(true)));
    tokio::spawn(unary);
    axum::serve(http, Router::new().route("/", handler)).await?;
    Ok(())
}

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
        let codec = ProstCodec::<Bytes, Bytes>::default();
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
