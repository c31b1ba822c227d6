//! One measured number, its reference and its goal.

use serde::{Deserialize, Serialize};

/// A count as `f64`. All counts here are far below 2^32.
pub fn count<N: TryInto<u32>>(counted: N) -> f64 {
    counted.try_into().map_or(f64::INFINITY, f64::from)
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Figure {
    /// The measured group. A run of the group replaces its figures.
    pub group: String,
    pub what: String,
    /// Unit of `ours` and `reference`.
    pub unit: String,
    /// Measured on the product.
    pub ours: f64,
    /// Measured on the reference in the same run.
    pub reference: Option<f64>,
    pub goal: Option<Goal>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// At least this percentage of the reference.
    AtLeastPercent(f64),
    /// At most this, in the figure's unit.
    AtMost(f64),
}

impl Figure {
    /// A figure without reference and goal.
    pub fn alone(what: &str, unit: &str, ours: f64) -> Self {
        Self {
            group: String::new(),
            what: what.to_owned(),
            unit: unit.to_owned(),
            ours,
            reference: None,
            goal: None,
        }
    }

    pub fn rate(what: &str, unit: &str, ours: f64, reference: f64) -> Self {
        Self { reference: Some(reference), ..Self::alone(what, unit, ours) }
    }

    pub fn cost(what: &str, unit: &str, ours: f64, at_most: f64) -> Self {
        Self { goal: Some(Goal::AtMost(at_most)), ..Self::alone(what, unit, ours) }
    }

    /// The rate with 1,000,000 accounts, compared with the rate with 1,000.
    pub fn kept(what: &str, unit: &str, large: f64, small: f64) -> Self {
        let what = format!("{what} with 1,000,000 accounts, compared with 1,000");
        Self::rate(&what, unit, large, small).at_least_percent(80.0)
    }

    pub fn at_least_percent(self, percent: f64) -> Self {
        Self { goal: Some(Goal::AtLeastPercent(percent)), ..self }
    }

    pub fn beside(self, reference: f64) -> Self {
        Self { reference: Some(reference), ..self }
    }

    /// `ours` in percent of `reference`.
    pub fn percent(&self) -> Option<f64> {
        self.reference.map(|reference| self.ours / reference * 100.0)
    }

    pub fn reached(&self) -> Option<bool> {
        match self.goal? {
            Goal::AtLeastPercent(least) => self.percent().map(|percent| percent >= least),
            Goal::AtMost(most) => Some(self.ours <= most),
        }
    }
}
