//! A fleet of servers behind one backend: round robin over the servers whose health check succeeds.
//!
//! tonic's `Channel::balance_list` is not used: it keeps a server that refuses connections, counts
//! it as ready, and fails the next call with the connect error. With one dead server of three, 76
//! of 300 calls failed. Here a call that no server has begun goes to the next server, and so does a
//! read that was interrupted. A watcher per server removes it until its health check succeeds
//! again. A host name means all its addresses, which are resolved every second.
//!
//! A server gets no call before it has proved the fleet's secret and has the same database as the
//! others, because a stray server at one of the addresses would otherwise store sign-ups in its own
//! database.

mod address;
mod identity;
mod members;
mod server;
#[cfg(test)]
mod tests;

use crate::backend::Backend;
use crate::error::refused;
use address::FleetError;
use bytes::Bytes;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::is_read;
use garimpo_proto::metadata::FLEET_SECRET;
use http::{HeaderValue, Request, Response};
use http_body_util::{BodyExt, Full};
use members::{Lookup, Members, follow};
use server::{Interrupted, Server};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use tokio::task::JoinSet;
use tonic::body::Body;
use tonic::{Code, Status};

/// Several servers as one backend. Dropping the last clone stops the watchers.
#[derive(Clone)]
pub struct Fleet {
    members: Arc<Members>,
    _lookups: Arc<JoinSet<()>>,
}

impl Fleet {
    /// A fleet of the servers at `http://host:port` addresses.
    pub fn new(addresses: &[String], fleet_secret: &str) -> Result<Self, FleetError> {
        Self::with_lookup(addresses, fleet_secret, |host, port| {
            Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
        })
    }

    fn with_lookup(addresses: &[String], fleet_secret: &str, lookup: Lookup) -> Result<Self, FleetError> {
        if addresses.is_empty() {
            return Err(FleetError::Empty);
        }
        let mut secret = HeaderValue::from_str(fleet_secret).map_err(|_| FleetError::Secret)?;
        secret.set_sensitive(true);
        let members = Arc::new(Members::new(secret));
        let mut lookups = JoinSet::new();
        for (address, text) in addresses.iter().enumerate() {
            let (host, port) = address::host_and_port(text)?;
            match host.parse::<IpAddr>() {
                Ok(ip) => members.set_records(address, &[SocketAddr::new(ip, port)]),
                Err(_) => drop(lookups.spawn(follow(members.clone(), address, host, port, lookup))),
            }
        }
        Ok(Self { members, _lookups: Arc::new(lookups) })
    }

    /// Whether the health check of at least one server succeeds.
    pub fn is_ready(&self) -> bool {
        self.members.servers().iter().any(Server::is_ready)
    }

    pub fn backend(&self) -> Backend {
        let fleet = self.clone();
        Backend::new(move |request| {
            let fleet = fleet.clone();
            async move { fleet.call(request).await }
        })
    }

    async fn call(&self, request: Request<Body>) -> Result<Response<Body>, Status> {
        let (mut parts, body) = request.into_parts();
        // Every public call is unary and bounded before it comes here, so it can be kept for a
        // second try.
        let body = body.collect().await?.to_bytes();
        parts.version = http::Version::HTTP_2;
        parts.extensions.clear();
        parts.headers.insert(FLEET_SECRET, self.members.secret());
        let is_read = is_read(parts.uri.path());

        let mut last = unavailable("no server is ready");
        for server in self.members.in_turn() {
            match server.call(copy(&parts, body.clone())).await {
                Ok(response) => return Ok(response),
                Err(Interrupted::BeforeStart) => last = unavailable("no server can be reached"),
                Err(Interrupted::Later) if is_read => last = unavailable("the server went away"),
                // The server may have written, so the call is not repeated.
                Err(Interrupted::Later) => return Err(unavailable("the server went away within the call")),
            }
        }
        Err(last)
    }
}

fn unavailable(message: &str) -> Status {
    refused(Code::Unavailable, ErrorReason::Unavailable, message)
}

fn copy(parts: &http::request::Parts, body: Bytes) -> Request<Body> {
    Request::from_parts(parts.clone(), Body::new(Full::new(body)))
}
