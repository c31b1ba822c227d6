//! The steps of the way to a purchase, as they are counted by day: by visits where a page tells of them, by the
//! server's own facts from there on.

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// A visit began, on whatever page.
    Landing,
    /// A page with plans was seen.
    Plans,
    /// The sign-up form was seen.
    SignUpForm,
    /// An account was made.
    SignedUp,
    /// The offers were seen.
    Upsell,
    /// A checkout has its client secret.
    CheckoutStarted,
    /// A checkout was completed, paid or not.
    CheckoutFinished,
    /// The first payment of a subscription was confirmed.
    Paid,
}

impl Step {
    /// Every step, in their order.
    pub const ALL: [Self; 8] = [
        Self::Landing,
        Self::Plans,
        Self::SignUpForm,
        Self::SignedUp,
        Self::Upsell,
        Self::CheckoutStarted,
        Self::CheckoutFinished,
        Self::Paid,
    ];

    /// The name, stored and on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Landing => "landing",
            Self::Plans => "plans",
            Self::SignUpForm => "signup",
            Self::SignedUp => "signed_up",
            Self::Upsell => "upsell",
            Self::CheckoutStarted => "checkout_started",
            Self::CheckoutFinished => "finished",
            Self::Paid => "paid",
        }
    }

    /// The step of a name that a page may tell.
    pub fn of_page(name: &str) -> Option<Self> {
        let told = [Self::Landing, Self::Plans, Self::SignUpForm, Self::Upsell];
        told.into_iter().find(|step| step.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pagina_conta_apenas_os_passos_que_ve() {
        let told: Vec<_> =
            Step::ALL.into_iter().filter(|step| Step::of_page(step.name()).is_some()).collect();

        assert_eq!(told, [Step::Landing, Step::Plans, Step::SignUpForm, Step::Upsell]);
        assert_eq!(Step::of_page("Landing"), None);
    }
}
