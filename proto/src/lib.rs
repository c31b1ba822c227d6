//! The contract as Rust: code generated from `proto/garimpo`, re-exported by package, and the names
//! of metadata and reasons.

#![expect(
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes,
    reason = "generated from the commented .proto files"
)]

pub mod codec;
pub mod fleet;
pub mod metadata;
pub mod reasons;
pub mod written;

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

/// `package.Service/Method` of every call in a descriptor set.
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

/// Whether a call only reads, by the verb of its name, so that it may be repeated. `path` is a path
/// or a method.
pub fn is_read(path: &str) -> bool {
    let method = path.rsplit('/').next().unwrap_or_default();
    ["Get", "List", "Preview", "BatchGet", "Check", "Watch"].iter().any(|verb| method.starts_with(verb))
}
