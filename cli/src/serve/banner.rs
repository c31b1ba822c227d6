//! The banner on a terminal when the product starts with its sandbox.

use std::io::{IsTerminal as _, Write as _};

use crate::data_dir::Addresses;

/// Writes the banner to a terminal; what is not a terminal gets the log alone.
pub fn show(addresses: &Addresses) -> std::io::Result<()> {
    let mut out = std::io::stderr().lock();
    if out.is_terminal() {
        lines(addresses).iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    Ok(())
}

/// The lines of the banner; none without a sandbox, because an operator reads the log instead.
fn lines(addresses: &Addresses) -> Vec<String> {
    let Some(sandbox) = &addresses.sandbox else { return Vec::new() };
    let row = |name: &str, value: &str| format!("  {name:<10}{value}");
    let of = |name: &str, address: &Option<String>| address.as_deref().map(|found| row(name, found));
    let mut lines = vec![String::new(), "  Garimpo is running.".to_owned(), String::new()];
    lines.extend(of("site", &addresses.public));
    lines.push(row("sandbox", &format!("{sandbox} (payments, mailbox, clock)")));
    lines.extend(of("gRPC", &addresses.grpc));
    lines.extend(of("metrics", &addresses.metrics).map(|line| line + "/metrics"));
    lines.push(row("test card", "4242 4242 4242 4242, any later date, any CVC"));
    lines.push(row("stop", "Ctrl+C"));
    lines.push(String::new());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(name: &str) -> String {
        format!("http://{name}")
    }

    #[test]
    fn the_start_banner_shows_the_addresses_a_test_card_and_how_to_stop() {
        let addresses = Addresses {
            public: Some(at("site")),
            grpc: Some(at("grpc")),
            sandbox: Some(at("sandbox")),
            metrics: Some(at("metrics")),
            redirect: None,
        };

        let banner = lines(&addresses);

        assert!(banner.len() <= 10, "{banner:?}");
        let text = banner.join("\n");
        for part in
            ["http://site", "http://grpc", "http://sandbox", "http://metrics/metrics", "4242", "Ctrl+C"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(lines(&Addresses { sandbox: None, ..addresses }), [""; 0]);
    }
}
