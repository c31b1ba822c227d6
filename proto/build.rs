//! Compiles the contract without a system protoc.
//!
//! To tonic's code it adds two implementations of each service's trait: by the client of the
//! service, and by `Around`, which runs something around every call. So a gateway calls a service
//! in its process and a service over the network in the same way.

use std::fmt::Write as _;
use std::path::PathBuf;

use heck::ToSnakeCase as _;
use prost_build::{Service, ServiceGenerator};

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

const INTERNAL: &[&str] =
    &["garimpo/billing/v1/entitlement_service.proto", "garimpo/billing/v1/webhook_service.proto"];

#[expect(
    clippy::disallowed_methods,
    reason = "cargo passes arguments to build scripts by environment variables"
)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=garimpo");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let all: Vec<&str> = PUBLIC.iter().chain(INTERNAL).copied().collect();

    std::fs::write(out.join("public.bin"), compile(PUBLIC)?.encode_file_descriptor_set())?;
    let compiler = compile(&all)?;
    std::fs::write(out.join("all.bin"), compiler.encode_file_descriptor_set())?;
    std::fs::write(out.join("rpcs.rs"), format!("&{:?}", rpcs(&compiler.file_descriptor_set())))?;
    let tonic = tonic_prost_build::configure().service_generator();
    prost_build::Config::new()
        .service_generator(Box::new(WithImplementations(tonic)))
        .compile_fds(compiler.file_descriptor_set())?;
    Ok(())
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

/// tonic's generator, and our implementations of each service without streams.
struct WithImplementations(Box<dyn ServiceGenerator>);

impl ServiceGenerator for WithImplementations {
    fn generate(&mut self, service: Service, code: &mut String) {
        if service.methods.iter().all(|method| !method.client_streaming && !method.server_streaming) {
            let by_client =
                ("impl @ for crate::Remote<$<crate::Channel>>", "self.0.clone().{name}(request).await");
            let around = (
                "impl<S, A: crate::Surround> @ for crate::Around<S, A>
                 where S: std::ops::Deref<Target: @> + Send + Sync + 'static",
                "let call = |request| self.service.{name}(request);
                 self.around.run(\"{path}\", request, call).await",
            );
            for (head, body) in [by_client, around] {
                implement(&service, head, body, code).expect("a String takes any text");
            }
        }
        self.0.generate(service, code);
    }

    fn finalize(&mut self, code: &mut String) {
        self.0.finalize(code);
    }
}

/// Implements the trait of a service. `@` stands for the trait, `$` for the client.
fn implement(service: &Service, head: &str, body: &str, code: &mut String) -> std::fmt::Result {
    let Service { name, package, proto_name, .. } = service;
    let module = name.to_snake_case();
    let head = head.replace('@', &format!("{module}_server::{name}"));
    let client = |text: &str| text.replace('$', &format!("{module}_client::{name}Client"));
    writeln!(code, "#[tonic::async_trait] {} {{", client(&head))?;
    for method in &service.methods {
        let path = format!("{package}.{proto_name}/{}", method.proto_name);
        let body = client(body).replace("{name}", &method.name).replace("{path}", &path);
        let (name, input, output) = (&method.name, &method.input_type, &method.output_type);
        writeln!(
            code,
            "async fn {name}(&self, request: tonic::Request<{input}>)
             -> Result<tonic::Response<{output}>, tonic::Status> {{ {body} }}"
        )?;
    }
    writeln!(code, "}}")
}

fn compile(files: &[&str]) -> Result<protox::Compiler, protox::Error> {
    let mut compiler = protox::Compiler::new(["."])?;
    // Reflection shows the comments, too.
    compiler.include_imports(true).include_source_info(true).open_files(files)?;
    Ok(compiler)
}
