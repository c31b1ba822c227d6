//! The company: name, tax id, contacts and external links.

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
