//! The site's folder must exist when the gateway is compiled; without a web build it holds a
//! placeholder.

use std::path::Path;

const PLACEHOLDER: &str = "<!doctype html><html lang=\"pt-BR\"><meta charset=\"utf-8\"><title>404</title><p>O site ainda não foi construído.";

fn main() -> std::io::Result<()> {
    let dist = Path::new("../web/dist");
    println!("cargo:rerun-if-changed=../web/dist");
    std::fs::create_dir_all(dist)?;
    let not_found = dist.join("404.html");
    if !not_found.exists() && !dist.join("404.html.br").exists() {
        std::fs::write(not_found, PLACEHOLDER)?;
    }
    Ok(())
}
