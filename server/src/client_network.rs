//! The address or network by which limits count a client.

use std::net::IpAddr;

/// The address by which limits count: an IPv6 address counts by its /64, because a household holds
/// a whole /64.
pub(crate) fn limit_address(client: Option<IpAddr>) -> String {
    match client.map(|address| address.to_canonical()) {
        Some(IpAddr::V6(address)) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
        Some(IpAddr::V4(address)) => address.to_string(),
        None => "direct".to_owned(),
    }
}

/// The first three groups of an IPv6 limit address, which name its /48: a /48 is rented as easily
/// as a /64. `None` for other addresses.
pub(crate) fn site_of(limit_address: &str) -> Option<&str> {
    let (site, _) = limit_address.strip_suffix("::/64")?.rsplit_once(':')?;
    Some(site)
}

/// A /48 has this multiple of the limit of a /64, because more households share it.
pub(crate) const SITE_FACTOR: u32 = 4;

/// The network of a limit address: its /48, or an IPv4 address by itself.
pub(crate) fn network_of(limit_address: &str) -> &str {
    site_of(limit_address).unwrap_or(limit_address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_limits_count_an_ipv6_address_by_its_64_bit_network() {
        let from = |address: &str| limit_address(address.parse().ok());
        assert_eq!(from("2001:db8:1:2:3:4:5:6"), from("2001:db8:1:2::9"));
        assert_ne!(from("2001:db8:1:2::1"), from("2001:db8:1:3::1"));
        assert_eq!(from("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(network_of(&from("2001:db8:1:2::1")), "2001:db8:1");
        assert_eq!(network_of(&from("192.0.2.7")), "192.0.2.7");
    }
}
