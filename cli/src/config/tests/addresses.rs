//! Settings of addresses and sockets.

use super::*;

#[test]
fn a_public_url_outside_loopback_refuses_the_sandbox_and_http_unless_allowed() {
    let public = ("GARIMPO_PUBLIC_URL", "https://garimpo.example");
    assert!(refusal(Role::Serve, &[public]).contains("GARIMPO_ALLOW_SANDBOX"));
    assert!(read(Role::Serve, &[public, ("GARIMPO_ALLOW_SANDBOX", "1")]).is_ok());

    let plain = ("GARIMPO_PUBLIC_URL", "http://garimpo.example");
    let sandbox = ("GARIMPO_ALLOW_SANDBOX", "1");
    assert!(refusal(Role::Serve, &[plain, sandbox]).contains("GARIMPO_ALLOW_HTTP"));
    assert!(read(Role::Serve, &[plain, sandbox, ("GARIMPO_ALLOW_HTTP", "1")]).is_ok());
    assert!(read(Role::Serve, &[("GARIMPO_PUBLIC_URL", "http://localhost:9000")]).is_ok());
}

#[test]
fn a_port_outside_loopback_requires_an_https_url_and_permission_for_the_sandbox() {
    let https = ("GARIMPO_PUBLIC_URL", "https://garimpo.example");
    let (http, sandbox) = (("GARIMPO_ALLOW_HTTP", "1"), ("GARIMPO_ALLOW_SANDBOX", "1"));
    for address in ["10.0.0.5:8080", "0.0.0.0:8080", "[::]:8080", "[::ffff:10.0.0.5]:0"] {
        for name in
            ["GARIMPO_LISTEN", "GARIMPO_GRPC_LISTEN", "GARIMPO_METRICS_LISTEN", "GARIMPO_SANDBOX_LISTEN"]
        {
            let listen = (name, address);
            let error = refusal(Role::Serve, &[listen]);
            assert!(
                error.contains("GARIMPO_ALLOW_HTTP") && error.contains("GARIMPO_ALLOW_SANDBOX"),
                "{error}"
            );
            assert!(error.lines().any(|line| line.starts_with(name)), "{error}");
            assert!(refusal(Role::Serve, &[listen, sandbox]).contains("GARIMPO_ALLOW_HTTP"));
            assert!(refusal(Role::Serve, &[listen, https]).contains("GARIMPO_ALLOW_SANDBOX"));
            assert!(read(Role::Serve, &[listen, sandbox, https]).is_ok());
            assert!(read(Role::Serve, &[listen, sandbox, http]).is_ok());
        }
    }
    let open = [&STRIPE[..], &OUTSIDE[..], &[("GARIMPO_LISTEN", "0.0.0.0:8080")]].concat();
    assert!(refusal(Role::Serve, &open).contains("GARIMPO_ALLOW_HTTP"));
    assert!(read(Role::Serve, &[&open[..], &[https]].concat()).is_ok());
    let emulator = [&IDENTITY_EMULATOR[..], &[("GARIMPO_LISTEN", "0.0.0.0:80"), http, sandbox]].concat();
    assert!(refusal(Role::Serve, &emulator).contains("while GARIMPO_IDENTITY_EMULATOR is 1"));
}

#[test]
fn the_sandbox_command_outside_loopback_requires_permission() {
    let listen = ("GARIMPO_SANDBOX_LISTEN", "0.0.0.0:12111");
    assert!(refusal(Role::Sandbox, &[listen]).contains("GARIMPO_ALLOW_SANDBOX"));
    assert!(read(Role::Sandbox, &[listen, ("GARIMPO_ALLOW_SANDBOX", "1")]).is_ok());
}

#[test]
fn trusted_proxies_cannot_be_a_large_part_of_the_internet() {
    for wrong in [
        "0.0.0.0/0",
        "::/0",
        "10.0.0.0/8, 0.0.0.0/0",
        "0.0.0.0/1,128.0.0.0/1",
        "2000::/7",
        "8.0.0.0/8",
        "::ffff:0:0/96",
    ] {
        let refused = refusal(Role::Serve, &[("GARIMPO_TRUSTED_PROXIES", wrong)]);
        assert!(refused.contains("none larger"), "{wrong}");
    }
    let mapped = read(Role::Serve, &[("GARIMPO_TRUSTED_PROXIES", "::ffff:10.0.0.0/104")]).unwrap();
    assert_eq!(mapped.trusted_proxies, ["10.0.0.0/8".parse().unwrap()], "clients are compared as IPv4");
    for right in ["10.0.0.0/8", "127.0.0.0/8", "fc00::/7, 192.0.2.7", "104.16.0.0/12, 2400:cb00::/32"] {
        assert!(read(Role::Serve, &[("GARIMPO_TRUSTED_PROXIES", right)]).is_ok(), "{right}");
    }
}

#[test]
fn a_process_without_a_sandbox_of_its_own_needs_the_address_of_another() {
    let off = ("GARIMPO_SANDBOX_LISTEN", "off");
    let elsewhere = ("GARIMPO_SANDBOX_URL", "http://127.0.0.1:12111");
    assert!(refusal(Role::Serve, &[off]).starts_with("GARIMPO_SANDBOX_URL: found nothing"));
    let config = read(Role::Serve, &[off, elsewhere]).unwrap();
    assert!(config.uses_sandbox && !config.runs_sandbox());
    assert!(read(Role::Serve, &[elsewhere]).unwrap().runs_sandbox());
    assert!(refusal(Role::Sandbox, &[off, elsewhere]).starts_with("GARIMPO_SANDBOX_LISTEN: found \"off\""));
    assert!(read(Role::Serve, &[&STRIPE[..], &OUTSIDE[..], &[off]].concat()).is_ok(), "no sandbox is used");
}

fn passed(sockets: &[(&str, &str)]) -> Vec<PassedSocket> {
    let socket = |(name, address): &(&str, &str)| PassedSocket {
        name: (*name).to_owned(),
        address: address.parse().ok(),
    };
    sockets.iter().map(socket).collect()
}

fn read_with(role: Role, settings: &[(&str, &str)], sockets: &[(&str, &str)]) -> Result<Config, String> {
    let environment = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Config::read(role, &environment.collect(), passed(sockets)).map_err(|errors| errors.to_string())
}

#[test]
fn a_systemd_socket_replaces_the_listen_address_under_the_same_rules() {
    let config = read_with(Role::Serve, &[], &[("public", "127.0.0.1:9000")]).unwrap();
    assert_eq!(config.listen.public.to_string(), "127.0.0.1:9000");
    assert_eq!(config.listen.grpc.to_string(), "127.0.0.1:50051");

    let same = [("GARIMPO_LISTEN", "127.0.0.1:9000")];
    assert!(read_with(Role::Serve, &same, &[("public", "127.0.0.1:9000")]).is_ok());
    let other = read_with(Role::Serve, &same, &[("public", "127.0.0.1:9001")]).err().unwrap();
    assert!(other.starts_with("GARIMPO_LISTEN: found \"127.0.0.1:9000\"; allowed: no value, or"), "{other}");

    let open = read_with(Role::Serve, &[], &[("metrics", "0.0.0.0:9464")]).err().unwrap();
    assert!(
        open.starts_with("socket metrics: found \"0.0.0.0:9464\"; allowed: a loopback address"),
        "{open}"
    );
}

#[test]
fn wrong_systemd_sockets_are_all_reported_at_once() {
    let wrong = [
        ("public", "127.0.0.1:9000"),
        ("public", "127.0.0.1:9001"),
        ("site", "127.0.0.1:9002"),
        ("metrics", "no TCP"),
    ];
    let postgres = [
        ("GARIMPO_DATABASE_URL", "postgres://garimpo@127.0.0.1/garimpo"),
        ("GARIMPO_SANDBOX_LISTEN", "off"),
        ("GARIMPO_SANDBOX_URL", "http://127.0.0.1:12111"),
    ];
    assert_eq!(
        read_with(Role::Serve, &postgres, &wrong).err().unwrap(),
        "socket public: found a second socket of the name; allowed: one ListenStream=\n\
         socket site: found a name of no port of this command; allowed: FileDescriptorName= public, grpc, metrics\n\
         socket metrics: found another kind of socket; allowed: one that listens on TCP (ListenStream= with a port)"
    );
}

#[test]
fn a_stopping_process_drains_where_others_may_serve_and_its_port_closes() {
    let drain = |settings, sockets| read_with(Role::Serve, settings, sockets).unwrap().drain.as_secs();
    let postgres = [("GARIMPO_DATABASE_URL", "postgres://garimpo@127.0.0.1/garimpo")];
    assert_eq!(drain(&postgres, &[]), 2);
    assert_eq!(drain(&postgres, &[("public", "127.0.0.1:9000")]), 0);
    assert_eq!(drain(&[], &[]), 0);
}

#[test]
fn the_limit_of_one_client_is_at_most_the_total_limit() {
    let shown = |settings: &[(&str, &str)], name: &str| {
        let config = read(Role::Serve, settings).unwrap();
        config.shown.iter().find(|setting| setting.name == name).unwrap().value.clone()
    };

    for (name, usual) in [("CONNECTIONS", "1024"), ("EVENT_MIB", "4"), ("HASHES_WAITING", "64")] {
        let (total, share) = (format!("GARIMPO_LIMIT_{name}"), format!("GARIMPO_LIMIT_{name}_ADDRESS"));
        let error = refusal(Role::Serve, &[(&total, "3"), (&share, "4")]);
        assert_eq!(error, format!("{share}: found \"4\"; allowed: at most {total} (3)"));
        assert_eq!(shown(&[(&total, "3")], &share), "3");
        assert_eq!(shown(&[], &share), usual);
    }
}

#[test]
fn a_public_site_reaches_other_machines_over_tls_unless_a_setting_allows_plaintext() {
    let site = [&STRIPE[..], &OUTSIDE[..], &[("GARIMPO_PUBLIC_URL", "https://loja.example")]].concat();
    let word = ("GARIMPO_ALLOW_PLAINTEXT", "1");
    let migration = "GARIMPO_DATABASE_MIGRATION_URL";
    let tls = ("GARIMPO_DATABASE_URL", "postgres://eu:segredo@banco.example/x?sslmode=verify-full");
    for (settings, name) in [
        (
            vec![("GARIMPO_DATABASE_URL", "postgres://eu:segredo@banco.example/x?sslmode=disable")],
            "GARIMPO_DATABASE_URL",
        ),
        (
            vec![("GARIMPO_DATABASE_URL", "postgres://eu:segredo@10.0.0.9/x?sslmode=allow")],
            "GARIMPO_DATABASE_URL",
        ),
        (vec![tls, (migration, "postgres://eu:segredo@banco.example/x?ssl-mode=disable")], migration),
        (vec![("GARIMPO_TRACES_URL", "http://coletor.example:4317")], "GARIMPO_TRACES_URL"),
    ] {
        let settings = [&site[..], &settings].concat();
        let error = refusal(Role::Serve, &settings);
        assert!(error.starts_with(&format!("{name}: found ")) && !error.contains("segredo"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(read(Role::Serve, &[&settings[..], &[word]].concat()).is_ok(), "{name}");
    }
    for allowed in [
        tls,
        ("GARIMPO_DATABASE_URL", "postgres://eu:segredo@127.0.0.1/x?sslmode=disable"),
        ("GARIMPO_DATABASE_URL", "postgres:///x?host=/run/postgresql&sslmode=disable"),
        ("GARIMPO_TRACES_URL", "https://coletor.example:4317"),
        ("GARIMPO_TRACES_URL", "http://127.0.0.1:4317"),
    ] {
        assert!(read(Role::Serve, &[&site[..], &[allowed]].concat()).is_ok(), "{allowed:?}");
    }
}
