//! The contract as Rust: code generated from `proto/garimpo`, by package. By hand: the names of
//! calls and reasons, the caller of a request, and the services as the gateway calls them.

#![expect(
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes,
    reason = "generated from the commented .proto files"
)]

use std::sync::LazyLock;

mod caller;
pub mod reasons;
mod services;

pub use caller::{Caller, Credential, Returned, SessionChange};
pub use services::{DirectCall, Handlers, Reply, Services, Surround};

macro_rules! packages {
    ($($name:ident),*) => {
        $(pub mod $name {
            pub mod v1 {
                include!(concat!(env!("OUT_DIR"), "/garimpo.", stringify!($name), ".v1.rs"));
            }
        })*
    };
}

packages!(auth, users, billing, tracking, errors);

/// Descriptors of the public services, for reflection on the public port.
pub const PUBLIC_DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/public.bin"));

/// Descriptors of the services of the internal port, for reflection there.
pub const INTERNAL_DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/internal.bin"));

/// `package.Service/Method` of every call, sorted.
pub const RPCS: &[&str] = include!(concat!(env!("OUT_DIR"), "/rpcs.rs"));

/// `package.Service/Method` of an HTTP path, if the contract has that call. Outside callers cannot
/// make up a name, so it is safe as a label of a metric.
pub fn rpc_name(path: &str) -> Option<&'static str> {
    RPCS.binary_search(&path.strip_prefix('/')?).ok().map(|index| RPCS[index])
}

/// Label of a code in metrics: `NotFound`.
pub fn code_label(code: tonic::Code) -> &'static str {
    static LABELS: LazyLock<Vec<String>> =
        LazyLock::new(|| (0..=16).map(|number| format!("{:?}", tonic::Code::from(number))).collect());
    LABELS.get(code as usize).map_or("Unknown", String::as_str)
}

/// Whether a call only reads, so that it may be repeated. The verb of the method's name decides.
/// `path` may be a path or a method.
pub fn is_read(path: &str) -> bool {
    let method = path.rsplit('/').next().unwrap_or_default();
    ["Get", "List", "Preview", "BatchGet", "Check", "Watch"].iter().any(|verb| method.starts_with(verb))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rpcs_of_the_contract_become_labels() {
        assert!(RPCS.is_sorted());
        assert_eq!(
            rpc_name("/garimpo.auth.v1.AuthService/SignIn"),
            Some("garimpo.auth.v1.AuthService/SignIn")
        );
        for path in ["/garimpo.auth.v1.AuthService/Inventado", "/grpc.health.v1.Health/Check", "/", "x"] {
            assert_eq!(rpc_name(path), None, "{path}");
        }
        assert_eq!(code_label(tonic::Code::NotFound), "NotFound");
    }
}
