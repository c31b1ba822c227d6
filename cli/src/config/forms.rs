//! Forms of values that one setting has: each function parses one value or refuses it.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};

use garimpo_domain::CampaignSwitch;
use garimpo_gateway::PublicUrl;
use ipnet::IpNet;
use secrecy::SecretString;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// While one secret is rolled two are valid; each one costs a hash per webhook.
const MAX_WEBHOOK_SECRETS: usize = 4;
/// Size of the file of refused passwords, in bytes.
const MAX_PASSWORD_FILE: u64 = 64 * 1024 * 1024;
/// Longest site key of a challenge's provider, in characters.
const MAX_SITE_KEY: usize = 100;
/// Conversion events that pages report.
pub const AD_EVENTS: [&str; 3] = ["cadastro", "checkout_iniciado", "checkout_finalizado"];

/// How errors describe [`switch`].
pub const SWITCH: &str = "1 or 0";
/// How errors describe an address to listen at.
pub const ADDRESS: &str = "an address such as 127.0.0.1:8080, port 0 for any free one";
/// How errors describe [`origin`].
pub const URL: &str = "http:// or https:// and a host, without path";

/// The value has another form; the setting's own text names the allowed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not allowed")]
pub struct NotAllowed;

type Parsed<T> = Result<T, NotAllowed>;

/// Several values of one setting. By the name `Vec`, clap would take one value from each argument.
pub type List<T> = Vec<T>;

/// `1` or `0`.
pub fn switch(text: &str) -> Parsed<bool> {
    one_of(&[("1", true), ("0", false)])(text)
}

/// The value of one of a few words.
pub fn one_of<T: Copy + Send + Sync + 'static>(
    words: &'static [(&'static str, T)],
) -> impl Fn(&str) -> Parsed<T> + Clone + Send + Sync {
    |text| words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value).ok_or(NotAllowed)
}

/// Whether the campaign runs: by its dates, always or never.
pub fn campaign(text: &str) -> Parsed<CampaignSwitch> {
    CampaignSwitch::parse(text).ok_or(NotAllowed)
}

/// Any secret.
#[expect(clippy::unnecessary_wraps, reason = "clap calls every form alike")]
pub fn secret(text: &str) -> Parsed<SecretString> {
    Ok(SecretString::from(text))
}

/// Parameters of TLS that the driver of PostgreSQL knows.
const TLS_PARAMETERS: [&str; 9] = [
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "ssl-root-cert",
    "ssl-ca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
];

/// An address of a database.
pub fn database_url(text: &str) -> Parsed<SecretString> {
    let schemes = ["sqlite://", "postgres://", "postgresql://"];
    allowed_if(schemes.iter().any(|scheme| text.starts_with(scheme)), SecretString::from(text))
}

/// Whether an address of PostgreSQL has a parameter of TLS that its driver would ignore
/// (`sslMode`).
pub fn has_unknown_tls_parameter(url: &str) -> bool {
    let is_unknown =
        |name: &str| name.to_ascii_lowercase().starts_with("ssl") && !TLS_PARAMETERS.contains(&name);
    reqwest::Url::parse(url).is_ok_and(|url| url.query_pairs().any(|(name, _)| is_unknown(&name)))
}

/// An address of PostgreSQL.
pub fn postgres_url(text: &str) -> Parsed<SecretString> {
    allowed_if(!text.starts_with("sqlite:"), text).and_then(database_url)
}

/// The port of the sandbox; `None` if another process is the sandbox.
#[derive(Debug, Clone, Copy)]
pub struct SandboxPort(pub Option<SocketAddr>);

/// The port of the sandbox, or `off`.
pub fn sandbox_port(text: &str) -> Parsed<SandboxPort> {
    if text == "off" {
        return Ok(SandboxPort(None));
    }
    text.parse().map(|address| SandboxPort(Some(address))).map_err(|_| NotAllowed)
}

/// Networks of trusted proxies, comma-separated. A range of half the world would let its clients
/// choose their own address.
pub fn networks(text: &str) -> Parsed<List<IpNet>> {
    let net = |t: &str| t.parse().ok().or_else(|| t.parse::<IpAddr>().ok().map(IpNet::from));
    let nets = text.split(',').map(|part| net(part.trim()).map(canonical).filter(is_of_proxies));
    nets.collect::<Option<_>>().ok_or(NotAllowed)
}

/// A range of IPv4 addresses that is written as IPv6 (`::ffff:10.0.0.0/104`), as IPv4: clients are
/// compared so.
fn canonical(net: IpNet) -> IpNet {
    let IpNet::V6(mapped) = net else { return net };
    let address = mapped.network().to_ipv4_mapped();
    let prefix = mapped.prefix_len().checked_sub(96);
    address.zip(prefix).and_then(|(address, prefix)| IpNet::new(address.into(), prefix).ok()).unwrap_or(net)
}

/// Whether a range is inside loopback or the private ones, or no larger than one of a network of
/// proxies.
fn is_of_proxies(net: &IpNet) -> bool {
    match net {
        IpNet::V4(net) => {
            let is_ours = net.network().is_private() || net.network().is_loopback();
            net.prefix_len() >= if is_ours { 8 } else { 12 }
        }
        IpNet::V6(net) => net.prefix_len() >= if net.network().is_unique_local() { 7 } else { 28 },
    }
}

/// A filter of the log.
pub fn log_filter(text: &str) -> Parsed<String> {
    allowed_if(tracing_subscriber::EnvFilter::try_new(text).is_ok(), text.to_owned())
}

/// Scheme and host alone.
pub fn origin(text: &str) -> Parsed<String> {
    PublicUrl::parse(text).map(|url| url.origin()).map_err(|_| NotAllowed)
}

/// A share from 0 to 1.
pub fn ratio(text: &str) -> Parsed<f64> {
    let ratio = text.parse::<f64>().map_err(|_| NotAllowed)?;
    allowed_if((0.0..=1.0).contains(&ratio), ratio)
}

/// An instant of RFC 3339.
pub fn instant(text: &str) -> Parsed<OffsetDateTime> {
    OffsetDateTime::parse(text, &Rfc3339).map_err(|_| NotAllowed)
}

/// An http or https address without a trailing slash.
pub fn http_url(text: &str) -> Parsed<String> {
    let rest = text.strip_prefix("http://").or(text.strip_prefix("https://"));
    let has_host = rest.is_some_and(|host| !host.is_empty() && !host.starts_with('/'));
    allowed_if(has_host, text.trim_end_matches('/').to_owned())
}

/// An address for passwords, keys and payments, which leave this machine over TLS only.
pub fn safe_url(text: &str) -> Parsed<String> {
    let url = http_url(text)?;
    let is_safe = url.starts_with("https://") || is_loopback(&url);
    allowed_if(is_safe, url)
}

/// The safe address of a script, as it is written.
pub fn safe_script(text: &str) -> Parsed<String> {
    safe_url(text).map(|_| text.to_owned())
}

/// Whether an http address stays on this machine.
pub fn is_loopback(url: &str) -> bool {
    let host = url.strip_prefix("http://").unwrap_or_default().split('/').next().unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    // The part before an `@` is no host.
    !host.contains('@')
        && (name == "localhost"
            || name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback()))
}

/// An address that an authority reaches the operator at.
pub fn contact_email(text: &str) -> Parsed<String> {
    let (local, host) = text.split_once('@').ok_or(NotAllowed)?;
    let is_text = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_graphic());
    allowed_if(is_text(local) && is_text(host) && !host.contains('@'), text.to_owned())
}

/// The id of a project, which becomes part of addresses.
pub fn project(text: &str) -> Parsed<String> {
    let stands = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-:.".contains(&byte);
    allowed_if(text.len() <= 100 && text.bytes().all(stands), text.to_owned())
}

/// A secret or restricted key.
pub fn secret_key(text: &str) -> Parsed<SecretString> {
    allowed_if(has_mode(text, &["sk", "rk"]), SecretString::from(text))
}

/// A publishable key. It goes to every visitor, so a secret key must never pass.
pub fn publishable_key(text: &str) -> Parsed<String> {
    allowed_if(has_mode(text, &["pk"]) && !text.contains(','), text.to_owned())
}

/// A site key. It goes to every visitor, so a secret of hCaptcha (`ES_…`) must never pass.
pub fn site_key(text: &str) -> Parsed<String> {
    let fits = text.len() <= MAX_SITE_KEY && is_key_text(text);
    allowed_if(fits && !text.starts_with("ES_"), text.to_owned())
}

fn has_mode(key: &str, kinds: &[&str]) -> bool {
    let has = |kind: &&str| {
        let rest = key
            .strip_prefix(*kind)
            .and_then(|rest| rest.strip_prefix("_live_").or(rest.strip_prefix("_test_")));
        rest.is_some_and(is_key_text)
    };
    kinds.iter().any(has)
}

fn is_key_text(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Secrets of the webhook endpoint, comma-separated.
pub fn webhook_secrets(text: &str) -> Parsed<List<SecretString>> {
    let parts: Vec<_> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    let are_secrets = parts.iter().all(|part| part.strip_prefix("whsec_").is_some_and(is_key_text));
    let fits = (1..=MAX_WEBHOOK_SECRETS).contains(&parts.len());
    allowed_if(are_secrets && fits, parts.into_iter().map(SecretString::from).collect())
}

/// A version of Meta's API, which becomes part of addresses.
pub fn api_version(text: &str) -> Parsed<String> {
    let (major, minor) = text.strip_prefix('v').and_then(|rest| rest.split_once('.')).ok_or(NotAllowed)?;
    digits(major).and(digits(minor)).map(|_| text.to_owned())
}

/// Digits, which become part of addresses.
pub fn digits(text: &str) -> Parsed<String> {
    let are = (1..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    allowed_if(are, text.to_owned())
}

/// An account of Google's ads.
pub fn ads_id(text: &str) -> Parsed<String> {
    let account = text.strip_prefix("AW-").ok_or(NotAllowed)?;
    let fits = (1..=20).contains(&account.len()) && account.bytes().all(|byte| byte.is_ascii_digit());
    allowed_if(fits, text.to_owned())
}

/// Label of each conversion event.
pub fn ads_labels(text: &str) -> Parsed<BTreeMap<String, String>> {
    let label = |part: &str| {
        let (event, label) = part.trim().split_once('=')?;
        let stands = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let fits = (1..=100).contains(&label.len()) && label.bytes().all(stands);
        (AD_EVENTS.contains(&event) && fits).then(|| (event.to_owned(), label.to_owned()))
    };
    text.split(',').map(label).collect::<Option<_>>().ok_or(NotAllowed)
}

/// Why a file of refused passwords is not taken.
#[derive(Debug, thiserror::Error)]
pub enum PasswordFileError {
    #[error("the file cannot be read")]
    Unreadable(#[from] io::Error),
    #[error("no regular file, or a larger one")]
    NotAFile,
}

/// The refused passwords of a file. A device such as /dev/zero has no end, so only a regular file
/// is read.
pub fn password_file(path: &str) -> Result<List<String>, PasswordFileError> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() || metadata.len() > MAX_PASSWORD_FILE {
        return Err(PasswordFileError::NotAFile);
    }
    let text = std::fs::read_to_string(path)?;
    Ok(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

fn allowed_if<T>(is_allowed: bool, value: T) -> Parsed<T> {
    if is_allowed { Ok(value) } else { Err(NotAllowed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversion_labels_are_parsed_per_event() {
        let read = ads_labels("cadastro=abC_1-x, checkout_iniciado=y").unwrap();
        assert_eq!(read["cadastro"], "abC_1-x");
        assert_eq!(read["checkout_iniciado"], "y");
        for wrong in ["", "cadastro", "cadastro=", "outro=x", "cadastro=a b", "cadastro=x,,"] {
            assert!(ads_labels(wrong).is_err(), "{wrong}");
        }
        assert_eq!(ads_id("AW-123").as_deref(), Ok("AW-123"));
        assert!(["GT-123", "AW-", "AW-1x"].iter().all(|wrong| ads_id(wrong).is_err()));
    }

    #[test]
    fn each_stripe_key_has_its_prefix_and_a_secret_key_is_never_a_publishable_key() {
        assert!(publishable_key("pk_live_abc").is_ok());
        for wrong in [
            "sk_live_abc",
            "rk_live_abc",
            "pk_abc",
            "pk_live_",
            "pk_live_a b",
            "pk_test_,sk_test_a",
            "whsec_abc",
        ] {
            assert!(publishable_key(wrong).is_err(), "{wrong}");
        }
        for right in ["sk_live_a", "sk_test_a", "rk_live_a", "rk_test_a"] {
            assert!(secret_key(right).is_ok(), "{right}");
        }
        assert!(secret_key("pk_live_a").is_err());
        assert_eq!(webhook_secrets("whsec_a, whsec_b").unwrap().len(), 2);
        for wrong in ["", "sk_live_a", "whsec_a,b", "whsec_a,whsec_b,whsec_c,whsec_d,whsec_e"] {
            assert!(webhook_secrets(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_file_of_refused_passwords_is_a_regular_file() {
        assert!(password_file("/dev/zero").is_err());
        assert!(password_file("/nenhum/arquivo").is_err());
    }
}
