//! The metadata between gateway and servers. A gateway believes none of it from outside; a server believes it of a
//! gateway alone.

/// Every name begins with it.
pub const PREFIX: &str = "x-garimpo-";

/// To the server: the visitor's address, behind proxies that are trusted.
pub const CLIENT_ADDRESS: &str = "x-garimpo-client-address";
/// To the server: what the visitor's program calls itself, visible ASCII, at most 512 bytes.
pub const USER_AGENT: &str = "x-garimpo-user-agent";
/// To the server: the id under which the request is logged everywhere.
pub const REQUEST_ID: &str = "x-garimpo-request-id";
/// To the server: `1` where the request names our own origin.
pub const OWN_ORIGIN: &str = "x-garimpo-own-origin";
/// To the server: what shows that a gateway of this fleet asks.
pub const FLEET_SECRET: &str = "x-garimpo-fleet-secret";
/// To the server: a nonce with the gateway's proof of the fleet's secret, at a health check.
pub const FLEET_CHALLENGE: &str = "x-garimpo-fleet-challenge";

/// From the server: the id of its database with its proof of the fleet's secret.
pub const FLEET_PROOF: &str = "x-garimpo-fleet-proof";
/// From the server: the session that becomes the cookie; empty ends it.
pub const SESSION: &str = "x-garimpo-session";
/// From the server: seconds for which the cookie lives; 0 ends it.
pub const SESSION_MAX_AGE: &str = "x-garimpo-session-max-age";
/// From the server: the account that made the call, for the gateway's log.
pub const UID: &str = "x-garimpo-uid";
