//! Black November: when it runs, and until when its coupon is taken.

use serde::{Deserialize, Serialize};
use strum::EnumString;

use crate::instant::{Day, Timestamp};

/// Whether the dates decide about the campaign or the operator does (`GARIMPO_BLACK_NOVEMBER`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum CampaignSwitch {
    /// The catalogue's dates decide.
    #[default]
    Auto,
    /// It runs, whatever the date.
    On,
    /// It does not run, whatever the date.
    Off,
}

impl CampaignSwitch {
    /// Reads `auto`, `on` or `off`.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// The campaign of the catalogue (`catalog/campaign.toml`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Campaign {
    /// The coupon that the campaign hands out.
    pub coupon_id: String,
    /// Hours after the end in which the coupon is still taken.
    pub coupon_tolerance_hours: i64,
    /// Its first day, every year.
    pub first_day: MonthDay,
    /// Its last day, every year.
    pub last_day: MonthDay,
    /// Its texts.
    pub texts: CampaignTexts,
}

/// A day of any year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MonthDay {
    /// 1 to 12.
    pub month: u8,
    /// From 1.
    pub day: u8,
}

/// The words of the campaign's hero and cards, in pt-BR.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CampaignTexts {
    /// The hero's title.
    pub title: String,
    /// The line under it.
    pub subtitle: String,
    /// The button to the plans.
    pub button_text: String,
    /// The label on the cards with a campaign price.
    pub badge: String,
    /// Text beside a campaign price: `no 1º mês`.
    pub subtext_new: String,
}

impl Campaign {
    /// Whether the campaign runs: pages show it and its prices.
    pub fn is_on(&self, now: Timestamp, switch: CampaignSwitch) -> bool {
        match switch {
            CampaignSwitch::On => true,
            CampaignSwitch::Off => false,
            CampaignSwitch::Auto => {
                let Day { month, day, .. } = now.day_in_sao_paulo();
                (self.first_day..=self.last_day).contains(&MonthDay { month, day })
            }
        }
    }

    /// The next instant at which [`Campaign::is_on`] changes; `None` while the operator holds it.
    pub fn changes_at(&self, now: Timestamp, switch: CampaignSwitch) -> Option<Timestamp> {
        if switch != CampaignSwitch::Auto {
            return None;
        }
        let year = now.day_in_sao_paulo().year;
        [self.starts_in(year), self.ends_in(year), self.starts_in(year + 1)]
            .into_iter()
            .flatten()
            .find(|change| now < *change)
    }

    /// Whether the campaign's coupon is accepted: while the campaign runs and for 24 hours after
    /// its last day, so that a visitor who saw the price in the last minutes gets it. The
    /// operator's `off` ends it immediately.
    pub fn takes_coupon(&self, now: Timestamp, switch: CampaignSwitch) -> bool {
        self.is_on(now, switch)
            || (switch == CampaignSwitch::Auto
                && self.is_on(now.plus_hours(-self.coupon_tolerance_hours), switch))
    }

    fn starts_in(&self, year: i32) -> Option<Timestamp> {
        self.first_day.of(year).starts_in_sao_paulo()
    }

    /// The first instant after the last day.
    fn ends_in(&self, year: i32) -> Option<Timestamp> {
        self.last_day.of(year).starts_in_sao_paulo().map(|start| start.plus_days(1))
    }

    /// Whether its days follow each other in every year: a leap day would be missing in most years,
    /// and the turn of a year between them would make the next change wrong.
    pub(crate) fn has_valid_days(&self) -> bool {
        let exists = |day: MonthDay| day.of(2023).starts_in_sao_paulo().is_some();
        exists(self.first_day) && exists(self.last_day) && self.first_day <= self.last_day
    }
}

impl MonthDay {
    const fn of(self, year: i32) -> Day {
        Day { year, month: self.month, day: self.day }
    }
}

#[cfg(test)]
mod tests;
