//! The contents of a plan: counted resources with their limits, and features that are on or off.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// Something that a plan limits by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Resource {
    /// WhatsApp numbers connected.
    WhatsappNumbers,
    /// WhatsApp groups posted to.
    WhatsappGroups,
    /// Telegram groups posted to.
    TelegramGroups,
    /// WhatsApp channels posted to.
    WhatsappChannels,
    /// Telegram bot accounts.
    TelegramBotAccounts,
    /// Automatic promoters (promotores automáticos).
    AutomaticPromoters,
    /// Sending queues (filas de envio).
    Queues,
    /// AI search automations (automações de busca com IA).
    AiSearches,
    /// Monitoring automations (monitoramentos).
    Monitorings,
    /// Sending routers (roteadores de envios).
    Routers,
    /// Post templates (modelos de post).
    Templates,
    /// Bot accounts for collaborators (contas de bot para colaboradores).
    CollaboratorBotAccounts,
}

crate::names::named!(Resource, parse, all);

/// How many of a resource a plan allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// At most this many; zero means none.
    Max(u32),
    /// Not counted.
    Unlimited,
}

impl Limit {
    /// Whether `wanted` in all fit within the limit.
    pub fn allows(self, wanted: u64) -> bool {
        match self {
            Limit::Max(max) => wanted <= u64::from(max),
            Limit::Unlimited => true,
        }
    }

    /// The number, or `None` when unlimited.
    pub const fn max(self) -> Option<u32> {
        match self {
            Limit::Max(max) => Some(max),
            Limit::Unlimited => None,
        }
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Max(u32),
            Word(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Max(max) => Ok(Limit::Max(max)),
            Written::Word(word) if word == "unlimited" => Ok(Limit::Unlimited),
            Written::Word(word) => {
                Err(serde::de::Error::custom(format!("limit '{word}' is neither a number nor 'unlimited'")))
            }
        }
    }
}

/// The limit of every resource; what was not set is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits([Limit; Resource::ALL.len()]);

impl Limits {
    /// Nothing at all.
    pub const NONE: Limits = Limits([Limit::Max(0); Resource::ALL.len()]);

    /// The limit of a resource.
    pub fn get(&self, resource: Resource) -> Limit {
        self.0[resource as usize]
    }

    /// Every resource with its limit, in the order of the cards.
    pub fn iter(&self) -> impl Iterator<Item = (Resource, Limit)> + '_ {
        Resource::ALL.into_iter().map(|resource| (resource, self.get(resource)))
    }

    /// These limits with the given ones in their place.
    pub fn replaced_by(mut self, limits: &BTreeMap<Resource, Limit>) -> Self {
        for (resource, limit) in limits {
            self.0[*resource as usize] = *limit;
        }
        self
    }
}

/// Something that a plan has or has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Feature {
    /// Group manager (gerenciador de grupos).
    GroupManager,
    /// Unique invite links (links de convite únicos).
    UniqueInviteLinks,
    /// Click tracking (rastreamento de cliques).
    ClickTracking,
    /// Live growth of members (evolução de membros ao vivo).
    LiveMemberGrowth,
    /// Dashboard of results (painel de resultados).
    Dashboard,
    /// Complete report of sent posts (relatório completo de envios).
    Report,
    /// Live views (visualizações ao vivo).
    LiveViews,
}

crate::names::named!(Feature, all);

/// The features that are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features([bool; Feature::ALL.len()]);

impl Features {
    /// No feature.
    pub const NONE: Features = Features([false; Feature::ALL.len()]);

    /// Whether a feature is on.
    pub fn has(&self, feature: Feature) -> bool {
        self.0[feature as usize]
    }

    /// The features that are on, in the order of the cards.
    pub fn iter(&self) -> impl Iterator<Item = Feature> + '_ {
        Feature::ALL.into_iter().filter(|feature| self.has(*feature))
    }

    /// These features and the given ones.
    pub fn with(mut self, features: &[Feature]) -> Self {
        for feature in features {
            self.0[*feature as usize] = true;
        }
        self
    }
}

/// How limits and features read on the cards, in pt-BR (`catalog/limits.toml`).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitTexts {
    resources: BTreeMap<Resource, ResourceText>,
    groups: GroupsText,
    features: BTreeMap<Feature, String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResourceText {
    one: String,
    many: String,
    unlimited: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupsText {
    many: String,
    unlimited: String,
}

impl LimitTexts {
    /// The lines that say what the limits and features give, in the order of the cards; nothing for
    /// zero.
    pub fn lines(&self, limits: &Limits, features: &Features) -> Vec<String> {
        let mut lines = Vec::new();
        let groups_together = limits.get(Resource::WhatsappGroups) == limits.get(Resource::TelegramGroups);
        for (resource, limit) in limits.iter() {
            match resource {
                Resource::WhatsappGroups if groups_together => lines.extend(self.groups_line(limit)),
                Resource::TelegramGroups if groups_together => {}
                _ => lines.extend(self.resource_line(resource, limit)),
            }
        }
        lines.extend(features.iter().filter_map(|feature| self.features.get(&feature).cloned()));
        lines
    }

    fn groups_line(&self, limit: Limit) -> Option<String> {
        match limit {
            Limit::Max(0) => None,
            Limit::Max(n) => Some(self.groups.many.replace("{n}", &n.to_string())),
            Limit::Unlimited => Some(self.groups.unlimited.clone()),
        }
    }

    fn resource_line(&self, resource: Resource, limit: Limit) -> Option<String> {
        let text = self.resources.get(&resource)?;
        match limit {
            Limit::Max(0) => None,
            Limit::Max(1) => Some(text.one.clone()),
            Limit::Max(n) => Some(text.many.replace("{n}", &n.to_string())),
            Limit::Unlimited => Some(text.unlimited.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_allows_up_to_its_maximum_and_unlimited_allows_all() {
        assert!(Limit::Max(3).allows(3));
        assert!(!Limit::Max(3).allows(4));
        assert!(!Limit::Max(0).allows(1));
        assert!(Limit::Unlimited.allows(u64::MAX));
    }

    #[test]
    fn names_of_resources_and_features_are_parsed_as_written() {
        for (at, resource) in Resource::ALL.into_iter().enumerate() {
            assert_eq!(Resource::parse(resource.name()), Some(resource));
            assert_eq!(resource as usize, at);
            assert_eq!(serde_json::to_value(resource).unwrap(), resource.name());
        }
        for (at, feature) in Feature::ALL.into_iter().enumerate() {
            assert_eq!(feature as usize, at);
            assert_eq!(serde_json::to_value(feature).unwrap(), feature.name());
        }
        assert_eq!(Resource::parse("grupos"), None);
    }

    #[test]
    fn a_limit_is_a_number_or_the_word_unlimited() {
        let read = |text: &str| serde_json::from_str::<Limit>(text).ok();
        assert_eq!(read("3"), Some(Limit::Max(3)));
        assert_eq!(read("\"unlimited\""), Some(Limit::Unlimited));
        for wrong in ["\"unlimitd\"", "\"\"", "\"3\"", "-1", "true"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_unlimited_limit_has_no_maximum() {
        assert_eq!(Limit::Max(0).max(), Some(0));
        assert_eq!(Limit::Max(20).max(), Some(20));
        assert_eq!(Limit::Unlimited.max(), None);
    }

    fn texts() -> LimitTexts {
        toml::from_str(
            r#"
            [resources]
            whatsapp_groups = { one = "1 grupo WA", many = "{n} grupos WA", unlimited = "WA sem limite" }
            telegram_groups = { one = "1 grupo TG", many = "{n} grupos TG", unlimited = "TG sem limite" }
            queues = { one = "1 fila", many = "{n} filas", unlimited = "filas sem limite" }
            [groups]
            many = "{n} grupos de cada"
            unlimited = "grupos sem limite"
            [features]
            report = "Relatório"
            "#,
        )
        .unwrap()
    }

    #[test]
    fn equal_group_limits_are_one_line_and_different_ones_two() {
        let lines = |whatsapp, telegram| {
            let given =
                BTreeMap::from([(Resource::WhatsappGroups, whatsapp), (Resource::TelegramGroups, telegram)]);
            texts().lines(&Limits::NONE.replaced_by(&given), &Features::NONE)
        };
        assert_eq!(lines(Limit::Max(3), Limit::Max(3)), ["3 grupos de cada"]);
        assert_eq!(lines(Limit::Unlimited, Limit::Unlimited), ["grupos sem limite"]);
        assert_eq!(lines(Limit::Max(1), Limit::Max(2)), ["1 grupo WA", "2 grupos TG"]);
        assert_eq!(lines(Limit::Unlimited, Limit::Max(0)), ["WA sem limite"]);
        assert_eq!(lines(Limit::Max(0), Limit::Unlimited), ["TG sem limite"]);
        assert!(lines(Limit::Max(0), Limit::Max(0)).is_empty());
    }

    #[test]
    fn limit_lines_follow_the_order_of_cards_and_features_come_last() {
        let given =
            BTreeMap::from([(Resource::Queues, Limit::Max(1)), (Resource::TelegramGroups, Limit::Max(5))]);
        let features = Features::NONE.with(&[Feature::Report, Feature::Dashboard]);
        let lines = texts().lines(&Limits::NONE.replaced_by(&given), &features);
        assert_eq!(lines, ["5 grupos TG", "1 fila", "Relatório"]);
        assert_eq!(features.iter().collect::<Vec<_>>(), [Feature::Dashboard, Feature::Report]);
    }
}
