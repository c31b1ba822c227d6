//! The site's own address.

use http::Uri;
use http::uri::Authority;
use std::net::IpAddr;

/// An http or https origin without a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    https: bool,
    authority: Authority,
}

#[derive(Debug, thiserror::Error)]
#[error("must be http:// or https:// and a host, without path or query")]
pub struct PublicUrlError;

impl PublicUrl {
    /// Reads `http://host[:port]` or `https://host[:port]`; a trailing slash is dropped.
    pub fn parse(text: &str) -> Result<Self, PublicUrlError> {
        let uri: Uri = text.parse().map_err(|_| PublicUrlError)?;
        let https = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(PublicUrlError),
        };
        let authority = uri.authority().ok_or(PublicUrlError)?.clone();
        let bare = uri.path_and_query().is_none_or(|p| p.as_str() == "/");
        let has_user = authority.as_str().contains('@');
        if bare && !has_user { Ok(Self { https, authority }) } else { Err(PublicUrlError) }
    }

    pub fn is_https(&self) -> bool {
        self.https
    }

    pub fn is_loopback(&self) -> bool {
        is_loopback_host(self.authority.host())
    }

    /// Whether the host is a name and no IP address.
    pub fn has_host_name(&self) -> bool {
        self.host().trim_matches(['[', ']']).parse::<IpAddr>().is_err()
    }

    /// Without the port.
    pub fn host(&self) -> &str {
        self.authority.host()
    }

    /// The origin as browsers write it: lower case, default port left out.
    pub fn origin(&self) -> String {
        let scheme = if self.https { "https" } else { "http" };
        let default = if self.https { 443 } else { 80 };
        let host = self.authority.host().to_ascii_lowercase();
        match self.authority.port_u16() {
            Some(port) if port != default => format!("{scheme}://{host}:{port}"),
            _ => format!("{scheme}://{host}"),
        }
    }
}

impl std::fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.origin())
    }
}

/// Whether a host name, as written in an address, is loopback.
pub(crate) fn is_loopback_host(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_url_becomes_an_origin_as_browsers_write_it() {
        for (text, origin) in [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://localhost:80/", "http://localhost"),
            ("https://Garimpo.Example", "https://garimpo.example"),
            ("https://garimpo.example:443", "https://garimpo.example"),
            ("http://[::1]:8080", "http://[::1]:8080"),
        ] {
            assert_eq!(PublicUrl::parse(text).unwrap().origin(), origin);
        }
    }

    #[test]
    fn a_public_url_with_a_path_or_another_scheme_is_refused() {
        for text in ["garimpo.example", "ftp://x", "http://x/y", "http://x/?q", "http://a@x", ""] {
            assert!(PublicUrl::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn loopback_is_recognised_by_name_and_by_address() {
        for (host, expected) in
            [("localhost", true), ("127.8.9.1", true), ("[::1]", true), ("10.0.0.1", false), ("x.com", false)]
        {
            assert_eq!(is_loopback_host(host), expected, "{host}");
        }
    }
}
