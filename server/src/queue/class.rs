//! Classes of jobs: each has its own places in a process, so that one that is full delays no other.

use super::JobKind;

/// Jobs that share places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobClass {
    /// Calls nothing outside this process, so that a slow provider does not delay it.
    Local,
    /// Somebody waits for it.
    Prompt,
    /// Repeats by itself, over every account. Thousands of them may be due at once.
    Housekeeping,
}

impl JobClass {
    /// Every class, in the order in which places are filled.
    pub const ALL: [Self; 3] = [Self::Local, Self::Prompt, Self::Housekeeping];

    /// Jobs of the class that run at once in a process. Housekeeping has at most a quarter of all,
    /// also of those that call providers.
    pub const fn places(self) -> usize {
        match self {
            Self::Local | Self::Prompt => 8,
            Self::Housekeeping => 2,
        }
    }

    /// The priorities of its jobs, best first.
    pub(crate) fn priorities(self) -> impl Iterator<Item = Priority> {
        Priority::ALL.into_iter().filter(move |priority| priority.class() == self)
    }
}

/// The order in which due jobs of a class are claimed. The number is stored with the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// Rights that change by time.
    Rights = 1,
    /// Payments, and mails with a link that somebody waits for.
    Awaited = 2,
    /// Other mails.
    Mail = 3,
    /// Changes at the payment provider that follow from a payment.
    Subscription = 4,
    /// Reports and cleaning at providers.
    Background = 5,
    /// Reminders, retention, and the look at one account.
    Housekeeping = 6,
    /// The daily look at every account.
    Sweep = 7,
}

impl Priority {
    /// Every priority, best first.
    pub const ALL: [Self; 7] = [
        Self::Rights,
        Self::Awaited,
        Self::Mail,
        Self::Subscription,
        Self::Background,
        Self::Housekeeping,
        Self::Sweep,
    ];

    /// The class that the jobs of a priority belong to.
    pub fn class(self) -> JobClass {
        match self {
            Self::Rights => JobClass::Local,
            Self::Awaited | Self::Mail | Self::Subscription | Self::Background => JobClass::Prompt,
            Self::Housekeeping | Self::Sweep => JobClass::Housekeeping,
        }
    }

    /// The stored number; lower is claimed first.
    pub(crate) fn rank(self) -> i64 {
        self as i64
    }
}

impl JobKind {
    /// The order among the jobs of its class.
    pub fn priority(self) -> Priority {
        match self {
            Self::RightsChange => Priority::Rights,
            Self::PaymentEvent | Self::PasswordReset | Self::EmailConfirmation => Priority::Awaited,
            Self::Mail => Priority::Mail,
            Self::Retire
            | Self::Collection
            | Self::Carry
            | Self::CardChange
            | Self::PlanChange
            | Self::TrialCoupon
            | Self::CheckoutExpire => Priority::Subscription,
            Self::CatalogPush | Self::AccountErase | Self::IdentityDelete | Self::Conversion => {
                Priority::Background
            }
            Self::Reconcile | Self::Retention | Self::Reminder => Priority::Housekeeping,
        }
    }

    /// The class whose places it takes.
    pub fn class(self) -> JobClass {
        self.priority().class()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faxina_tem_no_maximo_um_quarto_dos_lugares() {
        let places = |classes: &[JobClass]| classes.iter().map(|class| class.places()).sum::<usize>();
        let outside = [JobClass::Prompt, JobClass::Housekeeping];

        assert!(4 * JobClass::Housekeeping.places() <= places(&JobClass::ALL));
        assert!(4 * JobClass::Housekeeping.places() <= places(&outside), "also of those that call providers");
    }

    #[test]
    fn cada_tipo_esta_na_classe_da_sua_regra() {
        let of = |class| JobKind::ALL.into_iter().filter(|kind| kind.class() == class).collect::<Vec<_>>();

        assert_eq!(of(JobClass::Local), [JobKind::RightsChange]);
        let housekeeping = [JobKind::Reconcile, JobKind::Reminder, JobKind::Retention];
        assert_eq!(of(JobClass::Housekeeping), housekeeping);
        assert_eq!(of(JobClass::Prompt).len(), JobKind::ALL.len() - 4);
    }

    #[test]
    fn prioridades_tem_numeros_crescentes_e_diferentes_do_padrao_da_coluna() {
        let ranks: Vec<_> = Priority::ALL.into_iter().map(Priority::rank).collect();

        assert!(ranks.is_sorted_by(|one, next| one < next) && ranks[0] > 0, "{ranks:?}");
        assert!(Priority::ALL.is_sorted(), "as Ord has it");
    }
}
