//! Compiles the contract without a system protoc.

use std::path::PathBuf;

/// Reflection on the public port describes only these.
const PUBLIC: &[&str] = &[
    "garimpo/auth/v1/auth_service.proto",
    "garimpo/users/v1/user_service.proto",
    "garimpo/billing/v1/billing_service.proto",
    "garimpo/tracking/v1/tracking_service.proto",
    "garimpo/errors/v1/error_reason.proto",
    // With it a client that uses reflection can read the details of errors.
    "google/rpc/error_details.proto",
];

/// Served on the internal port beside the public ones.
const INTERNAL: &str = "garimpo/billing/v1/entitlement_service.proto";

/// Called by the gateway alone, so no port serves it.
const DIRECT: &str = "garimpo/billing/v1/webhook_service.proto";

#[expect(
    clippy::disallowed_methods,
    reason = "cargo passes arguments to build scripts by environment variables"
)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=garimpo");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let internal = [PUBLIC, &[INTERNAL]].concat();

    std::fs::write(out.join("public.bin"), compile(PUBLIC)?.encode_file_descriptor_set())?;
    std::fs::write(out.join("internal.bin"), compile(&internal)?.encode_file_descriptor_set())?;
    let compiler = compile(&[&internal[..], &[DIRECT]].concat())?;
    std::fs::write(out.join("rpcs.rs"), format!("&{:?}", rpcs(&compiler.file_descriptor_set())))?;
    Ok(tonic_prost_build::configure().compile_fds(compiler.file_descriptor_set())?)
}

/// `package.Service/Method` of every call, sorted.
fn rpcs(contract: &prost_types::FileDescriptorSet) -> Vec<String> {
    let services =
        contract.file.iter().flat_map(|file| file.service.iter().map(move |service| (file, service)));
    let calls = services.flat_map(|(file, service)| {
        let name = format!("{}.{}", file.package(), service.name());
        service.method.iter().map(move |method| format!("{name}/{}", method.name()))
    });
    let mut calls: Vec<_> = calls.collect();
    calls.sort();
    calls
}

fn compile(files: &[&str]) -> Result<protox::Compiler, protox::Error> {
    let mut compiler = protox::Compiler::new(["."])?;
    // Reflection shows the comments, too.
    compiler.include_imports(true).include_source_info(true).open_files(files)?;
    Ok(compiler)
}
