//! The metadata between gateway and servers. A gateway drops it from requests of clients, and a
//! server trusts it from a gateway alone.

use http::HeaderName;

/// Prefix of every name.
pub const PREFIX: &str = "x-garimpo-";

/// To the server: the visitor's address, behind trusted proxies.
pub const CLIENT_ADDRESS: HeaderName = HeaderName::from_static("x-garimpo-client-address");
/// To the server: the visitor's user agent, in visible ASCII, at most 512 bytes.
pub const USER_AGENT: HeaderName = HeaderName::from_static("x-garimpo-user-agent");
/// To the server: the id of the request, in all logs.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-garimpo-request-id");
/// To the server: `1` if the `Origin` header is our own origin.
pub const OWN_ORIGIN: HeaderName = HeaderName::from_static("x-garimpo-own-origin");
/// To the server: the secret that gateways of the fleet share with servers.
pub const FLEET_SECRET: HeaderName = HeaderName::from_static("x-garimpo-fleet-secret");
/// To the server, at a health check: a nonce with the gateway's proof of the fleet's secret.
pub const FLEET_CHALLENGE: HeaderName = HeaderName::from_static("x-garimpo-fleet-challenge");

/// From the server, at a health check: the id of its database with its proof of the fleet's secret.
pub const FLEET_PROOF: HeaderName = HeaderName::from_static("x-garimpo-fleet-proof");
/// From the server: the session token for the cookie. Empty ends the session.
pub const SESSION: HeaderName = HeaderName::from_static("x-garimpo-session");
/// From the server: lifetime of the cookie in seconds. 0 ends it.
pub const SESSION_MAX_AGE: HeaderName = HeaderName::from_static("x-garimpo-session-max-age");
/// From the server: uid of the caller's account, for the gateway's log.
pub const UID: HeaderName = HeaderName::from_static("x-garimpo-uid");
