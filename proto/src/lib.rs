//! The contract as Rust: code generated from `proto/garimpo`, by package. By hand: the names of
//! calls, metadata and reasons, the proof between gateway and server, and the encoded reply of
//! `fast_path`.

#![expect(
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes,
    reason = "generated from the commented .proto files"
)]

use std::collections::HashSet;
use std::sync::LazyLock;

pub mod fast_path;
pub mod fleet;
pub mod metadata;
pub mod reasons;

pub mod auth {
    pub mod v1 {
        tonic::include_proto!("garimpo.auth.v1");
    }
}
pub mod users {
    pub mod v1 {
        tonic::include_proto!("garimpo.users.v1");
    }
}
pub mod billing {
    pub mod v1 {
        tonic::include_proto!("garimpo.billing.v1");
    }
}
pub mod tracking {
    pub mod v1 {
        tonic::include_proto!("garimpo.tracking.v1");
    }
}
pub mod errors {
    pub mod v1 {
        tonic::include_proto!("garimpo.errors.v1");
    }
}

/// Descriptors of the public services, for reflection on the public port.
pub const PUBLIC_DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/public.bin"));

/// Descriptors of all services, for reflection on the internal port.
pub const ALL_DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/all.bin"));

/// `package.Service/Method` of every call in one of the descriptor sets above.
pub fn rpcs(descriptors: &[u8]) -> impl Iterator<Item = String> {
    let set = <prost_types::FileDescriptorSet as prost::Message>::decode(descriptors)
        .expect("the descriptors that this program was built with are readable");
    set.file.into_iter().flat_map(|file| {
        let package = file.package().to_owned();
        file.service.into_iter().flat_map(move |service| {
            let name = format!("{package}.{}", service.name());
            service.method.into_iter().map(move |method| format!("{name}/{}", method.name()))
        })
    })
}

/// `package.Service/Method` of an HTTP path, if the contract has that call. Outside callers cannot
/// make up a name, so it is safe as a label of a metric.
pub fn rpc_name(path: &str) -> Option<&'static str> {
    static NAMES: LazyLock<HashSet<String>> = LazyLock::new(|| rpcs(ALL_DESCRIPTORS).collect());
    NAMES.get(path.strip_prefix('/')?).map(String::as_str)
}

/// Whether a call only reads, so that it may be repeated. The verb of the method's name decides.
/// `path` may be a path or a method.
pub fn is_read(path: &str) -> bool {
    let method = path.rsplit('/').next().unwrap_or_default();
    ["Get", "List", "Preview", "BatchGet", "Check", "Watch"].iter().any(|verb| method.starts_with(verb))
}
