//! The steps to a purchase, counted by day: pages report the steps of a visit, and the server
//! counts its own facts from the sign-up on.

use strum::{EnumString, IntoStaticStr, VariantArray};

/// A step.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub enum Step {
    /// A visit began, on whatever page.
    Landing,
    /// A page with plans was seen.
    Plans,
    /// The sign-up form was seen.
    #[strum(serialize = "signup")]
    SignUpForm,
    /// An account was made.
    SignedUp,
    /// The offers were seen.
    Upsell,
    /// A checkout has its client secret.
    CheckoutStarted,
    /// A checkout was completed, paid or not.
    #[strum(serialize = "finished")]
    CheckoutFinished,
    /// The first payment of a subscription was confirmed.
    Paid,
}

crate::names::named!(Step, all);

impl Step {
    /// Reads the name of a step that a page may report.
    pub fn of_page(name: &str) -> Option<Self> {
        let told = [Self::Landing, Self::Plans, Self::SignUpForm, Self::Upsell];
        told.into_iter().find(|step| step.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_counts_only_its_own_steps() {
        let told: Vec<_> =
            Step::ALL.into_iter().filter(|step| Step::of_page(step.name()).is_some()).collect();

        assert_eq!(told, [Step::Landing, Step::Plans, Step::SignUpForm, Step::Upsell]);
        assert_eq!(Step::of_page("Landing"), None);
    }
}
