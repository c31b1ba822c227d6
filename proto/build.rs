//! Compiles the contract without a system protoc.

use std::path::PathBuf;

/// Files of the public services: reflection on the public port returns these alone.
const PUBLIC: &[&str] = &[
    "garimpo/auth/v1/auth_service.proto",
    "garimpo/users/v1/user_service.proto",
    "garimpo/billing/v1/billing_service.proto",
    "garimpo/tracking/v1/tracking_service.proto",
    "garimpo/errors/v1/error_reason.proto",
    // With it a client that uses reflection can read the details of errors.
    "google/rpc/error_details.proto",
];

const INTERNAL: &[&str] =
    &["garimpo/billing/v1/entitlement_service.proto", "garimpo/billing/v1/webhook_service.proto"];

#[expect(clippy::disallowed_methods, reason = "cargo passes parameters of a build script by its environment")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=garimpo");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let all: Vec<&str> = PUBLIC.iter().chain(INTERNAL).copied().collect();

    std::fs::write(out.join("public.bin"), compile(PUBLIC)?.encode_file_descriptor_set())?;
    let compiler = compile(&all)?;
    std::fs::write(out.join("all.bin"), compiler.encode_file_descriptor_set())?;
    let generator = || tonic_prost_build::configure().codec_path("crate::codec::SmallCodec");
    generator().compile_fds(compiler.file_descriptor_set())?;
    serve_written(generator(), out.join("written"))
}

/// Generates the server of EntitlementService once more, with the messages of `src/written.rs`;
/// every message that has nothing of them is the ordinary one.
fn serve_written(
    generator: tonic_prost_build::Builder,
    out: PathBuf,
) -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all(&out)?;
    let package = ".garimpo.billing.v1";
    let ordinary = [
        "GetEntitlementsRequest",
        "CheckLimitRequest",
        "CheckLimitResponse",
        "WatchEntitlementsRequest",
        "Limit",
        "Feature",
    ];
    let generator = ordinary.iter().fold(generator, |generator, name| {
        generator.extern_path(format!("{package}.{name}"), format!("crate::billing::v1::{name}"))
    });
    let written = ["GetEntitlementsResponse", "BatchGetEntitlementsRequest", "BatchGetEntitlementsResponse"];
    let generator = written.iter().fold(generator, |generator, name| {
        generator.extern_path(format!("{package}.{name}"), format!("super::{name}"))
    });
    generator
        .build_client(false)
        .out_dir(out)
        .compile_fds(compile(&["garimpo/billing/v1/entitlement_service.proto"])?.file_descriptor_set())?;
    Ok(())
}

fn compile(files: &[&str]) -> Result<protox::Compiler, protox::Error> {
    let mut compiler = protox::Compiler::new(["."])?;
    // Comments are part of the descriptors, so that reflection is a manual.
    compiler.include_imports(true).include_source_info(true).open_files(files)?;
    Ok(compiler)
}
