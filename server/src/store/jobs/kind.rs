//! Kinds of jobs, and the classes and priorities by which they are claimed.

use strum::{EnumIter, EnumString, IntoEnumIterator as _, IntoStaticStr, VariantArray};

/// Kind of a job. Its name is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum JobKind {
    /// Applies a stored event of the payment provider.
    PaymentEvent,
    /// Syncs a customer with the payment provider.
    Reconcile,
    /// Stores an account's rights at a moment at which time alone changes them.
    RightsChange,
    /// Ends a second subscription of an account at the provider, and refunds it if it was paid.
    Retire,
    /// Resumes the provider's collection of an invoice, or voids the invoice.
    Collection,
    /// Moves the rest of an invoice that is below the boleto minimum to the next invoice.
    Carry,
    /// Stores a customer's new default card on the subscriptions, and pays open invoices with it.
    CardChange,
    /// Completes a plan change that a request left unfinished.
    PlanChange,
    /// Sets the coupon of a purchase in the trial again, if the provider used it up before the
    /// first charge.
    TrialCoupon,
    /// Closes a checkout session that its account no longer needs.
    CheckoutExpire,
    /// Pushes the catalogue to the provider.
    CatalogPush,
    /// Mails a reminder, if it still applies.
    Reminder,
    /// Sends a mail.
    Mail,
    /// Creates and mails a recovery code.
    PasswordReset,
    /// Creates and mails a code that confirms an email.
    EmailConfirmation,
    /// Deletes a deleted account's customer at the payment provider.
    AccountErase,
    /// Gives a payer whose account is missing an account.
    PayerAdoption,
    /// Sends the corrected email of an account to its identity provider and the payment provider.
    EmailCorrection,
    /// Deletes a deleted account at its identity provider.
    IdentityDelete,
    /// Sends a conversion event.
    Conversion,
    /// Deletes old rows.
    Retention,
    /// Checks the invariants of the data.
    Doctor,
}

garimpo_domain::named!(JobKind, parse, all);

impl JobKind {
    /// Whether the job repeats for ever and no visitor sees when it runs: fast-forwarding the
    /// sandbox's clock does not stop for it, and its ends are not logged.
    pub fn is_routine(self) -> bool {
        matches!(self, Self::Reconcile | Self::Retention | Self::Doctor)
    }

    /// Runs before the job is parked. A conversion gives up by age, in its handler: its seven days
    /// hold at most 336 pauses of half an hour, the shortest pause once pauses no longer grow.
    pub fn max_attempts(self) -> u32 {
        match self {
            Self::Conversion => 400,
            _ => 20,
        }
    }

    /// The order among the jobs of its class.
    pub fn priority(self) -> Priority {
        match self {
            Self::RightsChange => Priority::Rights,
            Self::PaymentEvent => Priority::Payment,
            Self::PasswordReset => Priority::Link,
            Self::Mail => Priority::Mail,
            Self::EmailConfirmation => Priority::Confirmation,
            Self::Retire
            | Self::Collection
            | Self::Carry
            | Self::CardChange
            | Self::PlanChange
            | Self::TrialCoupon
            | Self::CheckoutExpire => Priority::Subscription,
            Self::CatalogPush
            | Self::AccountErase
            | Self::PayerAdoption
            | Self::EmailCorrection
            | Self::IdentityDelete
            | Self::Conversion => Priority::Background,
            Self::Reconcile | Self::Retention | Self::Reminder | Self::Doctor => Priority::Housekeeping,
        }
    }

    /// The class whose slots it uses.
    pub fn class(self) -> JobClass {
        self.priority().class()
    }
}

/// Jobs that share slots in a process. A class whose slots are all in use delays no other class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray)]
pub enum JobClass {
    /// Calls no provider, so a slow provider does not delay it.
    Local,
    /// Payments and the changes at the payment provider that follow from them.
    Payment,
    /// Mails: a mail server that hangs delays no payment, and the payment provider delays no mail.
    Mail,
    /// Reports and cleaning at any provider; no visitor waits for it.
    Background,
    /// Repeats over every account. Thousands of jobs may be due at once.
    Housekeeping,
}

impl JobClass {
    /// Every class, in the order in which slots are filled.
    pub const ALL: [Self; Self::VARIANTS.len()] = *Self::VARIANTS.as_array().expect("their number");

    /// Jobs of the class that a process runs at once. Housekeeping has at most a quarter of all
    /// slots, and of those that call the payment provider.
    pub const fn slots(self) -> usize {
        match self {
            Self::Local | Self::Payment | Self::Mail => 8,
            Self::Background => 4,
            Self::Housekeeping => 2,
        }
    }

    /// The priorities of its jobs, most urgent first.
    pub(crate) fn priorities(self) -> impl Iterator<Item = Priority> {
        Priority::iter().filter(move |priority| priority.class() == self)
    }
}

/// The order in which due jobs of a class are claimed, most urgent first. The number is stored with
/// the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, EnumIter)]
pub enum Priority {
    /// Rights that change by time.
    Rights = 1,
    Payment = 2,
    /// Mails with a link without which a visitor cannot go on.
    Link = 3,
    /// Changes at the payment provider that follow from a payment.
    Subscription = 4,
    /// Reports and cleaning at providers.
    Background = 5,
    /// Reminders, retention, and the sync of one account.
    Housekeeping = 6,
    /// The daily sync of every account.
    Sweep = 7,
    /// Other mails.
    Mail = 8,
    /// Mails that confirm an address. Anybody can cause many of them.
    Confirmation = 9,
}

impl Priority {
    /// The class to which the jobs of a priority belong.
    pub fn class(self) -> JobClass {
        match self {
            Self::Rights => JobClass::Local,
            Self::Payment | Self::Subscription => JobClass::Payment,
            Self::Link | Self::Mail | Self::Confirmation => JobClass::Mail,
            Self::Background => JobClass::Background,
            Self::Housekeeping | Self::Sweep => JobClass::Housekeeping,
        }
    }

    /// The stored number.
    pub(crate) fn rank(self) -> i64 {
        self as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn housekeeping_has_at_most_a_quarter_of_the_job_slots() {
        let slots = |classes: &[JobClass]| classes.iter().map(|class| class.slots()).sum::<usize>();
        let outside = [JobClass::Payment, JobClass::Housekeeping];

        assert!(4 * JobClass::Housekeeping.slots() <= slots(&JobClass::ALL));
        assert!(
            4 * JobClass::Housekeeping.slots() <= slots(&outside),
            "also of those that call the payment provider"
        );
    }

    #[test]
    fn each_job_kind_is_in_its_class() {
        let of = |class| JobKind::ALL.into_iter().filter(|kind| kind.class() == class).collect::<Vec<_>>();

        assert_eq!(of(JobClass::Local), [JobKind::RightsChange]);
        let housekeeping = [JobKind::Reconcile, JobKind::Reminder, JobKind::Retention, JobKind::Doctor];
        assert_eq!(of(JobClass::Housekeeping), housekeeping);
        let mails = [JobKind::Mail, JobKind::PasswordReset, JobKind::EmailConfirmation];
        assert!(mails.iter().all(|kind| of(JobClass::Mail).contains(kind)));
        assert_eq!(of(JobClass::Mail).len(), mails.len());
        assert!(of(JobClass::Payment).contains(&JobKind::PaymentEvent));
        assert!(of(JobClass::Background).contains(&JobKind::Conversion));
    }

    #[test]
    fn priority_ranks_are_ascending_and_different_from_the_column_default() {
        let ranks: Vec<_> = Priority::iter().map(Priority::rank).collect();

        assert!(ranks.is_sorted_by(|one, next| one < next) && ranks[0] > 0, "{ranks:?}");
        assert!(Priority::iter().is_sorted(), "as Ord has it");
    }
}
