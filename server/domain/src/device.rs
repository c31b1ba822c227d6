//! A readable label for a device, derived from its user agent.
//!
//! People recognise their devices by it; no rule depends on it.

/// Shown where nothing is known.
pub const UNKNOWN_DEVICE: &str = "Aparelho desconhecido";

/// Longest name of a program that is taken over, in characters.
const LONGEST_PROGRAM: usize = 32;

/// Browsers by a token of their user agents. A browser that also contains the token of another
/// comes before it.
const BROWSERS: [(&str, &str); 14] = [
    ("Edg/", "Edge"),
    ("EdgA/", "Edge"),
    ("EdgiOS/", "Edge"),
    ("OPR/", "Opera"),
    ("OPT/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("YaBrowser/", "Yandex"),
    ("Instagram", "Instagram"),
    ("FBAN/", "Facebook"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

/// Systems by a token of their user agents, each with its preposition; Android is a Linux and an
/// iPhone "like Mac".
const SYSTEMS: [(&str, &str); 7] = [
    ("Android", "no Android"),
    ("iPhone", "no iPhone"),
    ("iPad", "no iPad"),
    ("Windows", "no Windows"),
    ("Mac OS X", "no Mac"),
    ("CrOS", "no Chromebook"),
    ("Linux", "no Linux"),
];

/// The label of a device: 'Chrome no Android', 'Safari no iPhone', 'grpcurl'.
///
/// # Examples
/// ```
/// use garimpo_domain::device::device_label;
/// assert_eq!(device_label(Some("curl/8.5.0")), "curl");
/// assert_eq!(device_label(None), "Aparelho desconhecido");
/// ```
pub fn device_label(user_agent: Option<&str>) -> String {
    let agent = user_agent.unwrap_or_default().trim();
    if !agent.starts_with("Mozilla/") {
        return program(agent).unwrap_or_else(|| UNKNOWN_DEVICE.to_owned());
    }
    let found = |names: &[(&str, &'static str)]| {
        names.iter().find(|(token, _)| agent.contains(token)).map(|(_, name)| *name)
    };
    match (found(&BROWSERS), found(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} {system}"),
        (Some(browser), None) => browser.to_owned(),
        (None, Some(system)) => format!("Navegador {system}"),
        (None, None) => UNKNOWN_DEVICE.to_owned(),
    }
}

/// A program names itself first: `grpcurl/1.9.1 grpc-go/1.61.0`.
fn program(agent: &str) -> Option<String> {
    let name = agent.split(['/', ' ', '(']).next().unwrap_or_default();
    let is_name = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
    (!name.is_empty() && is_name).then(|| name.chars().take(LONGEST_PROGRAM).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_labelled_by_browser_and_system_or_by_program() {
        for (agent, label) in [
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
                "Chrome no Android",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
                "Safari no iPhone",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0.7444.77 Mobile/15E148 Safari/604.1",
                "Chrome no iPhone",
            ),
            (
                "Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/141.0 Mobile/15E148 Safari/605.1.15",
                "Firefox no iPad",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
                "Edge no Windows",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 OPR/125.0.0.0",
                "Opera no Windows",
            ),
            (
                "Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
                "Samsung Internet no Android",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/22F76 Instagram 390.0.0.28.85",
                "Instagram no iPhone",
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 14.7; rv:145.0) Gecko/20100101 Firefox/145.0",
                "Firefox no Mac",
            ),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", "Firefox no Linux"),
            (
                "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
                "Chrome no Chromebook",
            ),
            ("Mozilla/5.0 (Windows NT 10.0)", "Navegador no Windows"),
            ("Mozilla/5.0 (Quest) Chrome/1", "Chrome"),
            ("Mozilla/5.0", UNKNOWN_DEVICE),
            ("grpcurl/1.9.1 grpc-go/1.61.0", "grpcurl"),
            ("tonic/0.14.5", "tonic"),
            ("python-requests/2.32", "python-requests"),
            ("<script>alert(1)</script>", UNKNOWN_DEVICE),
            ("", UNKNOWN_DEVICE),
            ("   ", UNKNOWN_DEVICE),
        ] {
            assert_eq!(device_label(Some(agent)), label, "{agent}");
        }
        assert_eq!(device_label(None), UNKNOWN_DEVICE);
        assert_eq!(device_label(Some(&"x".repeat(300))).len(), LONGEST_PROGRAM);
    }
}
