//! Sockets that systemd passes in the place of ports that a role opens.

use std::net::SocketAddr;

use super::problem::ConfigError;
use super::source::Source;

/// The ports.
#[derive(Debug, Clone, Copy)]
pub struct Listen {
    /// Site, REST, gRPC-Web and gRPC for anyone.
    pub public: SocketAddr,
    /// All services, for our own.
    pub grpc: SocketAddr,
    /// The sandbox; `None` if another process is the sandbox.
    pub sandbox: Option<SocketAddr>,
    /// /metrics, /healthz, /readyz.
    pub metrics: SocketAddr,
    /// Redirects pages to https; `None` without that port.
    pub redirect: Option<SocketAddr>,
}

/// A socket that systemd passed.
#[derive(Debug, Clone)]
pub struct PassedSocket {
    /// FileDescriptorName= of its unit.
    pub name: String,
    /// Where it listens; `None` for what is no listening TCP socket.
    pub address: Option<SocketAddr>,
}

/// The ports: the name of the socket that may take the place of each, and its setting.
pub const PORTS: [(&str, &str); 5] = [
    ("public", "GARIMPO_LISTEN"),
    ("grpc", "GARIMPO_GRPC_LISTEN"),
    ("sandbox", "GARIMPO_SANDBOX_LISTEN"),
    ("metrics", "GARIMPO_METRICS_LISTEN"),
    ("redirect", "GARIMPO_REDIRECT_LISTEN"),
];

/// The address of a passed socket.
pub fn address_of(name: &str, passed: &[PassedSocket]) -> Option<SocketAddr> {
    passed.iter().find(|socket| socket.name == name)?.address
}

/// How errors call the port of a setting: by its socket where one takes its place.
pub fn named(passed: &[PassedSocket], setting: &str) -> String {
    let port = PORTS.iter().find(|(_, known)| *known == setting);
    let socket = port.filter(|(name, _)| address_of(name, passed).is_some());
    socket.map_or_else(|| setting.to_owned(), |(name, _)| format!("socket {name}"))
}

/// Puts the sockets' addresses in the place of the settings', so that every later check is about
/// where the process really listens. A setting that names another address is refused.
pub fn replace(listen: &mut Listen, passed: &[PassedSocket], source: &Source, errors: &mut Vec<ConfigError>) {
    let Listen { public, grpc, sandbox, metrics, redirect } = listen;
    if redirect.is_none() {
        *redirect = address_of("redirect", passed);
    }
    let ports = [Some(public), Some(grpc), sandbox.as_mut(), Some(metrics), redirect.as_mut()];
    for ((name, setting), port) in PORTS.into_iter().zip(ports) {
        let (Some(port), Some(address)) = (port, address_of(name, passed)) else { continue };
        if let Some(given) = source.values.get(setting).filter(|_| *port != address) {
            let allowed = format!("no value, or the address of the socket {name}, {address}");
            errors.push(ConfigError::refused(setting, given, &allowed));
        }
        *port = address;
    }
}

/// Refuses sockets that take no place, because a misspelt name would leave their port bound
/// elsewhere.
pub fn check(passed: &[PassedSocket], opened: &[&str], errors: &mut Vec<ConfigError>) {
    for (at, socket) in passed.iter().enumerate() {
        let name = socket.name.as_str();
        let is_opened = PORTS.iter().any(|(known, setting)| *known == name && opened.contains(setting));
        if !is_opened {
            let names = PORTS.iter().filter(|(_, setting)| opened.contains(setting)).map(|(name, _)| *name);
            let allowed = format!("FileDescriptorName= {}", names.collect::<Vec<_>>().join(", "));
            errors.push(ConfigError::socket(name, "a name of no port of this command", &allowed));
        } else if passed[..at].iter().any(|earlier| earlier.name == name) {
            errors.push(ConfigError::socket(name, "a second socket of the name", "one ListenStream="));
        } else if socket.address.is_none() {
            let allowed = "one that listens on TCP (ListenStream= with a port)";
            errors.push(ConfigError::socket(name, "another kind of socket", allowed));
        }
    }
}
