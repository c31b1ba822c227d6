//! One measured number, what it is read against, and what we want it to be.

use serde::{Deserialize, Serialize};

/// A count as a number to reckon with; what is counted here stays far below 2^32.
pub fn count<N: TryInto<u32>>(counted: N) -> f64 {
    counted.try_into().map_or(f64::INFINITY, f64::from)
}

/// A measured figure.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Figure {
    /// What was measured.
    pub what: String,
    /// Unit of both numbers.
    pub unit: String,
    /// The product's.
    pub ours: f64,
    /// The same thing measured on the reference in the same run, where there is one.
    pub reference: Option<f64>,
    /// What we want.
    pub goal: Option<Goal>,
}

/// What a figure should be.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// At least this percentage of the reference.
    AtLeastPercent(f64),
    /// At most this, in the figure's unit.
    AtMost(f64),
}

impl Figure {
    /// One that stands alone.
    pub fn alone(what: &str, unit: &str, ours: f64) -> Self {
        Self { what: what.to_owned(), unit: unit.to_owned(), ours, reference: None, goal: None }
    }

    /// A rate beside that of a reference.
    pub fn rate(what: &str, unit: &str, ours: f64, reference: f64) -> Self {
        Self { reference: Some(reference), ..Self::alone(what, unit, ours) }
    }

    /// A cost beside that of a reference.
    pub fn cost(what: &str, unit: &str, ours: f64, at_most: f64) -> Self {
        Self { goal: Some(Goal::AtMost(at_most)), ..Self::alone(what, unit, ours) }
    }

    /// How much of a rate is kept when there are a thousand times as many accounts.
    pub fn kept(what: &str, unit: &str, large: f64, small: f64) -> Self {
        let what = format!("{what} with 1,000,000 accounts, beside 1,000");
        Self::rate(&what, unit, large, small).at_least_percent(83.0)
    }

    pub fn at_least_percent(self, percent: f64) -> Self {
        Self { goal: Some(Goal::AtLeastPercent(percent)), ..self }
    }

    pub fn beside(self, reference: f64) -> Self {
        Self { reference: Some(reference), ..self }
    }

    /// Ours in percent of the reference.
    pub fn percent(&self) -> Option<f64> {
        self.reference.map(|reference| self.ours / reference * 100.0)
    }

    /// Whether the goal is reached, where there is one.
    pub fn reached(&self) -> Option<bool> {
        match self.goal? {
            Goal::AtLeastPercent(least) => self.percent().map(|percent| percent >= least),
            Goal::AtMost(most) => Some(self.ours <= most),
        }
    }
}
