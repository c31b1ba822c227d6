//! The company: name, tax id, contacts and external links.
//!
//! The shipped brand is an example. [`Brand::placeholders`] finds its values that no customer may
//! see.

use serde::{Deserialize, Serialize};

/// The company and how to reach it (`catalog/brand.toml`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Brand {
    /// The product's name.
    pub name: String,
    /// The footer's line.
    pub tagline: String,
    /// The year in which the company was founded.
    pub founded: u16,
    /// The company's registered name.
    pub legal_name: String,
    /// Its tax id (CNPJ), as shown.
    pub tax_id: String,
    /// Its registered address on one line, as shown (required by decree 7.962/2013).
    pub address: String,
    /// The contact email.
    pub email: String,
    /// The support phone, as shown.
    pub phone: String,
    /// When support answers, as shown.
    pub support_hours: String,
    /// Addresses outside this site.
    pub links: Links,
    /// The social networks, in the order in which they are shown.
    pub socials: Vec<Social>,
}

/// Addresses outside this site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Links {
    /// The web app's login.
    pub app_login: String,
    /// The help centre.
    pub help_center: String,
    /// WhatsApp support, also where a boleto's receipt is sent.
    pub whatsapp_support: String,
    /// The agent on WhatsApp.
    pub whatsapp_sales: String,
}

/// A social network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Social {
    /// Its id, lower case: `instagram`.
    pub platform: String,
    /// Its name for people: `Instagram`.
    pub name: String,
    /// Our page there.
    pub url: String,
}

/// A field of the brand that nobody can be reached by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    /// The field's path in `brand.toml`, as `links.app_login`.
    pub field: String,
    /// Its value.
    pub found: String,
    /// The value that belongs there.
    pub allowed: &'static str,
}

/// Domains that are reserved for examples and tests (RFC 2606, RFC 6761).
const RESERVED_DOMAINS: [&str; 7] =
    ["example.com", "example.net", "example.org", "example", "test", "invalid", "localhost"];

impl Brand {
    /// Fields with a value of the example. A name cannot be recognised, because the company may
    /// have the example's.
    pub fn placeholders(&self) -> Vec<Placeholder> {
        let links = &self.links;
        let is_own_page = |url: &str| host_of(url).is_some_and(|host| !is_reserved(host));
        let fields = [
            ("tax_id", &self.tax_id, "the company's CNPJ", has_tax_id(&self.tax_id)),
            ("address", &self.address, "the company's registered address", is_own_address(&self.address)),
            ("email", &self.email, "a mail address of the company", is_own_email(&self.email)),
            ("phone", &self.phone, "the company's phone", has_number(&self.phone)),
            (
                "links.app_login",
                &links.app_login,
                "the https address of the app",
                is_own_page(&links.app_login),
            ),
            (
                "links.help_center",
                &links.help_center,
                "the https address of the help centre",
                is_own_page(&links.help_center),
            ),
            ("links.whatsapp_support", &links.whatsapp_support, CHAT, has_path(&links.whatsapp_support)),
            ("links.whatsapp_sales", &links.whatsapp_sales, CHAT, has_path(&links.whatsapp_sales)),
        ];
        let fields = fields.map(|(field, found, allowed, is_own)| (field.to_owned(), found, allowed, is_own));
        let socials = self.socials.iter().map(|social| {
            let allowed = "the https address of the company's page";
            (format!("socials.{}", social.platform), &social.url, allowed, has_path(&social.url))
        });
        fields
            .into_iter()
            .chain(socials)
            .filter(|(.., is_own)| !is_own)
            .map(|(field, found, allowed, _)| Placeholder { field, found: found.clone(), allowed })
            .collect()
    }
}

const CHAT: &str = "the https address of a WhatsApp chat, with its number";

/// Letters count, because a CNPJ may contain them since July 2026.
fn has_tax_id(text: &str) -> bool {
    text.chars().any(|c| c.is_ascii_alphanumeric() && c != '0')
}

fn has_number(text: &str) -> bool {
    text.chars().any(|c| matches!(c, '1'..='9'))
}

/// The zero postal code is no place.
fn is_own_address(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains("00000-000") && !text.contains("Rua Exemplo")
}

fn is_own_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(local, domain)| !local.is_empty() && !is_reserved(domain))
}

/// Whether an address leads further than the first page of its host, which belongs to the network
/// and not to the company.
fn has_path(url: &str) -> bool {
    let path = |host: &str| url["https://".len() + host.len()..].split(['?', '#']).next().unwrap_or_default();
    host_of(url).is_some_and(|host| !is_reserved(host) && !path(host).trim_matches('/').is_empty())
}

/// The host of an https address; `None` for every other text.
fn host_of(url: &str) -> Option<&str> {
    url.strip_prefix("https://")?.split(['/', '?', '#']).next().filter(|host| !host.is_empty())
}

fn is_reserved(host: &str) -> bool {
    let name = host.split(':').next().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
    let is_within =
        |domain: &str| name.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    name.is_empty() || RESERVED_DOMAINS.iter().any(|domain| is_within(domain))
}

#[cfg(test)]
mod tests;
