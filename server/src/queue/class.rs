//! Classes of jobs: each has its own places in a process, so that one that is full delays no other.

use strum::VariantArray;

use super::JobKind;

/// Jobs that share places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray)]
pub enum JobClass {
    /// Calls nothing outside this process, so that a slow provider does not delay it.
    Local,
    /// Payments, and what follows from them at the payment provider.
    Payment,
    /// Mails: a mail server that hangs delays no payment, and the payment provider delays no mail.
    Mail,
    /// Reports and cleaning at any provider; nobody waits for it.
    Background,
    /// Repeats by itself, over every account. Thousands of them may be due at once.
    Housekeeping,
}

impl JobClass {
    /// Every class, in the order in which places are filled.
    pub const ALL: [Self; Self::VARIANTS.len()] = *Self::VARIANTS.as_array().expect("their number");

    /// Jobs of the class that run at once in a process. Housekeeping has at most a quarter of all,
    /// also of those that call the payment provider.
    pub const fn places(self) -> usize {
        match self {
            Self::Local | Self::Payment | Self::Mail => 8,
            Self::Background => 4,
            Self::Housekeeping => 2,
        }
    }

    /// The priorities of its jobs, best first.
    pub(crate) fn priorities(self) -> impl Iterator<Item = Priority> {
        Priority::ALL.into_iter().filter(move |priority| priority.class() == self)
    }
}

/// The order in which due jobs of a class are claimed. The number is stored with the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, VariantArray)]
pub enum Priority {
    /// Rights that change by time.
    Rights = 1,
    /// Payments.
    Payment = 2,
    /// Mails with a link that somebody waits for.
    Link = 3,
    /// Changes at the payment provider that follow from a payment.
    Subscription = 4,
    /// Reports and cleaning at providers.
    Background = 5,
    /// Reminders, retention, and the look at one account.
    Housekeeping = 6,
    /// The daily look at every account.
    Sweep = 7,
    /// Other mails.
    Mail = 8,
}

impl Priority {
    /// Every priority, best first.
    pub const ALL: [Self; Self::VARIANTS.len()] = *Self::VARIANTS.as_array().expect("their number");

    /// The class that the jobs of a priority belong to.
    pub fn class(self) -> JobClass {
        match self {
            Self::Rights => JobClass::Local,
            Self::Payment | Self::Subscription => JobClass::Payment,
            Self::Link | Self::Mail => JobClass::Mail,
            Self::Background => JobClass::Background,
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
            Self::PaymentEvent => Priority::Payment,
            Self::PasswordReset | Self::EmailConfirmation => Priority::Link,
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
        let outside = [JobClass::Payment, JobClass::Housekeeping];

        assert!(4 * JobClass::Housekeeping.places() <= places(&JobClass::ALL));
        assert!(
            4 * JobClass::Housekeeping.places() <= places(&outside),
            "also of those that call the payment provider"
        );
    }

    #[test]
    fn cada_tipo_esta_na_classe_da_sua_regra() {
        let of = |class| JobKind::ALL.into_iter().filter(|kind| kind.class() == class).collect::<Vec<_>>();

        assert_eq!(of(JobClass::Local), [JobKind::RightsChange]);
        let housekeeping = [JobKind::Reconcile, JobKind::Reminder, JobKind::Retention];
        assert_eq!(of(JobClass::Housekeeping), housekeeping);
        let mails = [JobKind::Mail, JobKind::PasswordReset, JobKind::EmailConfirmation];
        assert!(mails.iter().all(|kind| of(JobClass::Mail).contains(kind)));
        assert_eq!(of(JobClass::Mail).len(), mails.len());
        assert!(of(JobClass::Payment).contains(&JobKind::PaymentEvent));
        assert!(of(JobClass::Background).contains(&JobKind::Conversion));
    }

    #[test]
    fn prioridades_tem_numeros_crescentes_e_diferentes_do_padrao_da_coluna() {
        let ranks: Vec<_> = Priority::ALL.into_iter().map(Priority::rank).collect();

        assert!(ranks.is_sorted_by(|one, next| one < next) && ranks[0] > 0, "{ranks:?}");
        assert!(Priority::ALL.is_sorted(), "as Ord has it");
    }
}
