//! The four subscription periods: how they are read, written and shown.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// How often a subscription is paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(ascii_case_insensitive)]
pub enum Interval {
    /// Every 30 days.
    #[strum(to_string = "monthly", serialize = "month", serialize = "mensal")]
    Monthly,
    /// Every 90 days ('trimestral').
    #[strum(to_string = "trimestral", serialize = "quarterly")]
    Quarterly,
    /// Every 180 days ('semestral').
    #[strum(to_string = "semestral", serialize = "semiannual")]
    Semiannual,
    /// Every 365 days ('anual').
    #[strum(to_string = "anual", serialize = "annual", serialize = "yearly")]
    Annual,
}

impl Interval {
    /// All periods, from the shortest.
    pub const ALL: [Self; Self::VARIANTS.len()] = *Self::VARIANTS.as_array().expect("their number");

    /// Reads every spelling in use: `month`, `monthly`, `mensal`, `quarterly`, `trimestral`,
    /// `semiannual`, `semestral`, `annual`, `yearly`, `anual`, in any case. `None` for anything
    /// else.
    pub fn parse(text: &str) -> Option<Self> {
        text.trim().parse().ok()
    }

    /// The length of the period in days, as prices recur by days.
    pub const fn days(self) -> u32 {
        match self {
            Interval::Monthly => 30,
            Interval::Quarterly => 90,
            Interval::Semiannual => 180,
            Interval::Annual => 365,
        }
    }

    /// The months that the period is priced as.
    pub const fn months(self) -> u32 {
        match self {
            Interval::Monthly => 1,
            Interval::Quarterly => 3,
            Interval::Semiannual => 6,
            Interval::Annual => 12,
        }
    }

    /// The spelling that we write everywhere but on the plans pages.
    pub fn written(self) -> &'static str {
        self.into()
    }

    /// The spelling that the plans pages store in selectedPlan: `month` for the monthly one.
    pub fn written_on_plans_page(self) -> &'static str {
        match self {
            Interval::Monthly => "month",
            longer => longer.written(),
        }
    }

    /// Suffix of a price of this period: `/mês`, `/3 meses`, `/6 meses`, `/ano`.
    pub const fn period_label(self) -> &'static str {
        match self {
            Interval::Monthly => "/mês",
            Interval::Quarterly => "/3 meses",
            Interval::Semiannual => "/6 meses",
            Interval::Annual => "/ano",
        }
    }

    /// The period's name for people: `Mensal`, `Trimestral`, `Semestral`, `Anual`.
    pub const fn name(self) -> &'static str {
        match self {
            Interval::Monthly => "Mensal",
            Interval::Quarterly => "Trimestral",
            Interval::Semiannual => "Semestral",
            Interval::Annual => "Anual",
        }
    }

    /// The line under a price of this period that says when it is charged.
    pub const fn subtext(self) -> &'static str {
        match self {
            Interval::Monthly => "Cobrado a cada 30 dias",
            Interval::Quarterly => "Cobrado a cada 90 dias",
            Interval::Semiannual => "Cobrado a cada 180 dias",
            Interval::Annual => "Cobrado a cada 365 dias",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_spelling_of_an_interval_is_parsed() {
        for (spellings, expected) in [
            (&["month", "monthly", "mensal", "MENSAL", " month "][..], Interval::Monthly),
            (&["quarterly", "trimestral"], Interval::Quarterly),
            (&["semiannual", "semestral"], Interval::Semiannual),
            (&["annual", "yearly", "anual"], Interval::Annual),
        ] {
            for spelling in spellings {
                assert_eq!(Interval::parse(spelling), Some(expected), "{spelling}");
            }
        }
        for unknown in ["", "year", "mês", "semanal", "3"] {
            assert_eq!(Interval::parse(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn intervals_have_30_90_180_and_365_days() {
        assert_eq!(Interval::ALL.map(Interval::days), [30, 90, 180, 365]);
        assert_eq!(Interval::ALL.map(Interval::months), [1, 3, 6, 12]);
    }

    #[test]
    fn an_interval_is_written_as_in_the_specification() {
        assert_eq!(Interval::ALL.map(Interval::written), ["monthly", "trimestral", "semestral", "anual"]);
        assert_eq!(
            Interval::ALL.map(Interval::written_on_plans_page),
            ["month", "trimestral", "semestral", "anual"]
        );
        assert_eq!(Interval::ALL.map(Interval::period_label), ["/mês", "/3 meses", "/6 meses", "/ano"]);
        for interval in Interval::ALL {
            assert_eq!(Interval::parse(interval.written()), Some(interval));
            assert_eq!(Interval::parse(interval.written_on_plans_page()), Some(interval));
        }
    }

    #[test]
    fn an_interval_has_a_name_and_a_text_for_how_often_it_is_charged() {
        assert_eq!(Interval::ALL.map(Interval::name), ["Mensal", "Trimestral", "Semestral", "Anual"]);
        assert_eq!(
            Interval::ALL.map(Interval::subtext),
            [
                "Cobrado a cada 30 dias",
                "Cobrado a cada 90 dias",
                "Cobrado a cada 180 dias",
                "Cobrado a cada 365 dias",
            ]
        );
        let shown = Interval::ALL.map(|interval| interval.to_string());
        assert_eq!(shown, ["monthly", "trimestral", "semestral", "anual"]);
    }
}
