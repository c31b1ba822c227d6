//! `catalog/plans.toml`: its rows, how one extends another, and the prices of longer periods.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::error::CatalogError;
use crate::limits::{Feature, Features, Limit, LimitTexts, Limits, Resource};
use crate::money::{Centavos, share_half_up};
use crate::period::Interval;
use crate::plans::{CardTexts, CardsText, Group, ListPrice, ListPrices, Plan, PlanId};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlansFile {
    pub(super) period_shares: PeriodShares,
    pub(super) cards: CardsText,
    plans: Vec<PlanRow>,
}

/// The share of the full price that each longer period costs: numerator, denominator.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PeriodShares {
    quarterly: (u32, u32),
    semiannual: (u32, u32),
    annual: (u32, u32),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanRow {
    id: PlanId,
    name: String,
    group: Option<Group>,
    tab: Option<String>,
    #[serde(default)]
    on_cards: bool,
    #[serde(default)]
    highlight: bool,
    description: Option<String>,
    main_feature: Option<String>,
    badge: Option<String>,
    button_text: Option<String>,
    extends: Option<PlanId>,
    #[serde(default)]
    features: Vec<Feature>,
    #[serde(default)]
    limits: BTreeMap<Resource, Limit>,
    #[serde(default)]
    prices: BTreeMap<Interval, PriceRow>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceRow {
    original: Option<Centavos>,
    price: Centavos,
}

impl PlansFile {
    /// Resolves the rows: each on the earlier one that it extends, with the prices of every period.
    pub(super) fn plans(self, texts: &LimitTexts) -> Result<Vec<Plan>, CatalogError> {
        let mut plans: Vec<Plan> = Vec::with_capacity(self.plans.len());
        for row in self.plans {
            if plans.iter().any(|plan| plan.id == row.id) {
                return Err(CatalogError::Plan(row.id, "has two rows"));
            }
            let base = match row.extends {
                None => (Limits::NONE, Features::NONE),
                Some(base) => plans
                    .iter()
                    .find(|plan| plan.id == base)
                    .map(|plan| (plan.limits, plan.features))
                    .ok_or(CatalogError::Plan(row.id, "extends a plan that is not above it"))?,
            };
            plans.push(row.plan(base, texts, &self.period_shares)?);
        }
        match PlanId::ALL.iter().find(|id| plans.iter().all(|plan| plan.id != **id)) {
            Some(missing) => Err(CatalogError::Plan(*missing, "has no row")),
            None => Ok(plans),
        }
    }
}

impl PlanRow {
    fn plan(
        self,
        base: (Limits, Features),
        texts: &LimitTexts,
        shares: &PeriodShares,
    ) -> Result<Plan, CatalogError> {
        let limits = base.0.replaced_by(&self.limits);
        let features = base.1.with(&self.features);
        let prices = self.prices(shares)?;
        let card = match (self.description, self.main_feature, self.button_text) {
            (Some(description), Some(main_feature), Some(button)) => {
                Some(CardTexts { description, main_feature, badge: self.badge, button })
            }
            _ => None,
        };
        if prices.is_some() != (card.is_some() && self.group.is_some()) {
            return Err(CatalogError::Plan(self.id, "is sold without a card or has a card and no price"));
        }
        Ok(Plan {
            id: self.id,
            name: self.name,
            group: self.group,
            tab: self.tab,
            on_cards: self.on_cards,
            highlight: self.highlight,
            texts: card,
            feature_lines: texts.lines(&limits, &features),
            limits,
            features,
            prices,
        })
    }

    fn prices(&self, shares: &PeriodShares) -> Result<Option<ListPrices>, CatalogError> {
        let Some(monthly) = self.prices.get(&Interval::Monthly) else {
            let refused = CatalogError::Plan(self.id, "has a longer period's price and no monthly one");
            return if self.prices.is_empty() { Ok(None) } else { Err(refused) };
        };
        let mut prices =
            [ListPrice { original: monthly.original, price: monthly.price }; Interval::ALL.len()];
        for interval in [Interval::Quarterly, Interval::Semiannual, Interval::Annual] {
            let full = monthly.price * interval.months();
            let (numerator, denominator) = shares.of(interval);
            let row = self.prices.get(&interval);
            prices[interval as usize] = ListPrice {
                original: Some(row.and_then(|row| row.original).unwrap_or(full)),
                price: match row {
                    Some(row) => row.price,
                    None if denominator == 0 => {
                        return Err(CatalogError::Plan(self.id, "has a share of zero parts"));
                    }
                    None => share_half_up(full, numerator, denominator),
                },
            };
        }
        let sensible = |price: &ListPrice| {
            price.price > Centavos::ZERO && price.original.is_none_or(|original| original >= price.price)
        };
        if prices.iter().all(sensible) {
            Ok(Some(ListPrices(prices)))
        } else {
            Err(CatalogError::Plan(self.id, "has a price that is not positive or above its original"))
        }
    }
}

impl PeriodShares {
    const fn of(&self, interval: Interval) -> (u32, u32) {
        match interval {
            Interval::Monthly => (1, 1),
            Interval::Quarterly => self.quarterly,
            Interval::Semiannual => self.semiannual,
            Interval::Annual => self.annual,
        }
    }
}
