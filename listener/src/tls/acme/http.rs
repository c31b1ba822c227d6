//! The HTTP client of orders: reqwest, as for the other external services.

use std::path::Path;
use std::pin::Pin;
use std::time::Duration;

use anyhow::{Context as _, Result};
use axum::body::{Body, Bytes, to_bytes};
use instant_acme::{BodyWrapper, BytesResponse, Error, HttpClient};
use reqwest::redirect::Policy;

use crate::tls::settings::AcmeSettings;

/// Time limit of a call to the authority, with its response.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Bytes of a request: the largest carries one request for a signature.
const MAX_REQUEST: usize = 64 * 1024;

/// Bytes of a response: a chain of certificates has some thousands.
const MAX_RESPONSE: usize = 1024 * 1024;

pub struct Http(reqwest::Client);

impl Http {
    pub fn new(settings: &AcmeSettings) -> Result<Self> {
        let builder = reqwest::Client::builder().timeout(TIMEOUT).https_only(true).redirect(Policy::none());
        let builder = match &settings.ca {
            Some(path) => builder.tls_certs_only(roots(path).context("GARIMPO_ACME_CA")?),
            None => builder,
        };
        Ok(Self(builder.build()?))
    }
}

/// The certificates of a PEM file.
pub fn roots(path: &Path) -> Result<Vec<reqwest::Certificate>> {
    let roots = reqwest::Certificate::from_pem_bundle(&std::fs::read(path)?)?;
    anyhow::ensure!(!roots.is_empty(), "no certificate");
    Ok(roots)
}

async fn send(
    client: reqwest::Client,
    request: ::http::Request<BodyWrapper<Bytes>>,
) -> Result<BytesResponse, Error> {
    let (parts, body) = request.into_parts();
    let body = to_bytes(Body::new(body), MAX_REQUEST).await.map_err(|error| Error::Other(error.into()))?;
    let other = |error: reqwest::Error| Error::Other(Box::new(error));
    let request = reqwest::Request::try_from(::http::Request::from_parts(parts, body)).map_err(other)?;
    let (parts, body) = ::http::Response::from(client.execute(request).await.map_err(other)?).into_parts();
    let body = to_bytes(Body::new(body), MAX_RESPONSE).await.map_err(|error| Error::Other(error.into()))?;
    Ok(BytesResponse { parts, body: Box::new(body) })
}

impl HttpClient for Http {
    fn request(
        &self,
        request: ::http::Request<BodyWrapper<Bytes>>,
    ) -> Pin<Box<dyn Future<Output = Result<BytesResponse, Error>> + Send>> {
        Box::pin(send(self.0.clone(), request))
    }
}

#[cfg(test)]
mod tests;
