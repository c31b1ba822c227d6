//! A setting as errors and `garimpo config` show it.

/// Prefix of every setting.
pub const PREFIX: &str = "GARIMPO_";

pub struct Setting {
    /// Name of the variable.
    pub name: String,
    /// Whether its value is never shown.
    pub is_secret: bool,
    /// The form of its value.
    pub allowed: String,
    /// The value without the variable.
    pub default: Option<String>,
}
