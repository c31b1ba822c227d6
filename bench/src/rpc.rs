//! AuthService/GetSession of a signed-in visitor over native gRPC on the public port, compared with
//! an empty tonic unary call.

use anyhow::{Result, ensure};
use garimpo_proto::auth::v1::GetSessionRequest;
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use tonic::Request;
use tonic::transport::Endpoint;

use crate::figure::Figure;
use crate::filled::{self, FEW};
use crate::load::{self, Calls};
use crate::product::Product;
use crate::reference::{EMPTY_UNARY, Reference};

/// Calls per second, 64 concurrent over 4 connections.
pub async fn measure() -> Result<Vec<Figure>> {
    let data = filled::data_dir(FEW).await?;
    let product = Product::start(data.path()).await?;
    let authorization = format!("Bearer {}", data.token());
    let mut client = AuthServiceClient::new(Endpoint::new(product.url().to_owned())?.connect().await?);
    let mut request = Request::new(GetSessionRequest {});
    request.metadata_mut().insert("authorization", authorization.parse()?);
    ensure!(client.get_session(request).await?.into_inner().authenticated, "nobody is signed in");
    let reference = Reference::start("")?;
    let url = format!("{}/garimpo.auth.v1.AuthService/GetSession", product.url());
    let session = Calls { url, message: Vec::new(), authorization, at_once: load::SMALL_CALLS };
    let empty = Calls { url: format!("{}{EMPTY_UNARY}", reference.grpc), ..session.clone() };

    let [ours, bare] = load::in_turn([&session, &empty], Calls::per_second).await?;

    product.stop()?;
    let what = "GetSession over gRPC, compared with an empty tonic unary";
    Ok(vec![Figure::rate(what, "calls/s", ours, bare).at_least_percent(70.0)])
}
