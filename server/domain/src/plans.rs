//! The plans: their ids, names, texts, limits and list prices.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use strum::IntoStaticStr;

use crate::limits::{Features, Limits};
use crate::money::Centavos;
use crate::period::Interval;

/// The id of a plan; only ids of the catalogue exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct PlanId(&'static str);

macro_rules! plan_ids {
    ($($(#[$doc:meta])* $name:ident = $id:literal,)*) => {
        impl PlanId {
            $($(#[$doc])* pub const $name: PlanId = PlanId($id);)*

            /// Every id, in the order of the catalogue.
            pub const ALL: &'static [PlanId] = &[$(PlanId::$name),*];
        }
    };
}

plan_ids! {
    /// Top Afiliado, the entry plan.
    TOP_AFILIADO = "top_afiliado",
    /// Elite Nível 1.
    ELITE_NIVEL_1 = "elite_nivel_1",
    /// Elite Nível 2.
    ELITE_NIVEL_2 = "elite_nivel_2",
    /// Elite Nível 3.
    ELITE_NIVEL_3 = "elite_nivel_3",
    /// Elite Nível 4.
    ELITE_NIVEL_4 = "elite_nivel_4",
    /// Elite Nível 5.
    ELITE_NIVEL_5 = "elite_nivel_5",
    /// Elite Nível 6.
    ELITE_NIVEL_6 = "elite_nivel_6",
    /// Elite PRO 1.
    ELITE_PRO_1 = "elite_pro_1",
    /// Elite PRO 2.
    ELITE_PRO_2 = "elite_pro_2",
    /// Elite PRO 3.
    ELITE_PRO_3 = "elite_pro_3",
    /// Elite PRO 4.
    ELITE_PRO_4 = "elite_pro_4",
    /// Elite PRO 5.
    ELITE_PRO_5 = "elite_pro_5",
    /// Elite PRO 6.
    ELITE_PRO_6 = "elite_pro_6",
    /// The second id of Top Afiliado.
    TOP_AFILIADO_PROMO = "top_afiliado_promo",
    /// Profissional, the plan of the trial.
    PROFISSIONAL = "profissional",
    /// The free plan, without trial or subscription.
    FREE = "free",
    /// Iniciante.
    INICIANTE = "iniciante",
    /// Elite without a level.
    ELITE = "elite",
    /// Elite PRO 20.
    ELITE_PRO_20 = "elite_pro_20",
    /// The operator's own.
    ADMIN = "admin",
}

impl PlanId {
    /// Reads an id exactly as written in the catalogue. Names are read by `Catalog::plan_named`.
    pub fn parse(id: &str) -> Option<Self> {
        PlanId::ALL.iter().copied().find(|known| known.0 == id)
    }

    /// The id as text.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for PlanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl<'de> Deserialize<'de> for PlanId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = String::deserialize(deserializer)?;
        PlanId::parse(&id).ok_or_else(|| serde::de::Error::custom(format!("unknown plan id '{id}'")))
    }
}

/// The card on which a plan is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// Top Afiliado alone.
    #[strum(serialize = "Top Afiliado")]
    TopAfiliado,
    /// The Elite levels.
    Elite,
    /// The Elite PRO levels.
    #[strum(serialize = "Elite PRO")]
    ElitePro,
}

crate::names::named!(Group);

/// Price of a plan for one period, before any coupon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListPrice {
    /// The struck price beside it, where there is one.
    pub original: Option<Centavos>,
    /// The price of each period.
    pub price: Centavos,
}

/// The list prices of a plan that is for sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListPrices(pub(crate) [ListPrice; Interval::ALL.len()]);

impl ListPrices {
    /// The list price of a period.
    pub fn get(&self, interval: Interval) -> ListPrice {
        self.0[interval as usize]
    }
}

/// The texts of a plan's card, in pt-BR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardTexts {
    /// One line on whom the plan is for.
    pub description: String,
    /// The line that stands out.
    pub main_feature: String,
    /// A short label on the card, where there is one.
    pub badge: Option<String>,
    /// The button that visitors see.
    pub button: String,
}

/// A plan of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Stable id, as in the catalogue and the database.
    pub id: PlanId,
    /// Display name.
    pub name: String,
    /// Card of the plan; `None` if the plan is not sold.
    pub group: Option<Group>,
    /// Tab on the card: `Nível 1`, `PRO 1`; `None` if the card has no tabs.
    pub tab: Option<String>,
    /// Whether the plans pages show it.
    pub on_cards: bool,
    /// Whether the plan's card is highlighted.
    pub highlight: bool,
    /// Texts of the plan's card; `None` if the plan is not sold.
    pub texts: Option<CardTexts>,
    /// Feature lines of the plan's card.
    pub feature_lines: Vec<String>,
    /// Limits of the counted resources.
    pub limits: Limits,
    /// Features that the plan includes.
    pub features: Features,
    /// List prices; `None` if the plan is not sold.
    pub prices: Option<ListPrices>,
}

impl Plan {
    /// Whether it can be bought.
    pub fn is_for_sale(&self) -> bool {
        self.prices.is_some()
    }

    /// The list price of a period; `None` when the plan is not for sale.
    pub fn list_price(&self, interval: Interval) -> Option<ListPrice> {
        self.prices.map(|prices| prices.get(interval))
    }
}

/// The list under the cards of what every plan includes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CardsText {
    /// The list's title.
    pub benefits_title: String,
    /// Its lines.
    pub benefits: Vec<String>,
}

#[cfg(test)]
mod tests;
