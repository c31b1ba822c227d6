//! Changes seen for the first time: purchases, payments, boletos, failures, cancellations, and
//! amounts that are carried over.

use garimpo_domain::provider_status::InvoiceStatus;
use garimpo_domain::{Centavos, Renewal, SubscriptionId, Timestamp};

use crate::billing::facts::projection::input::{OwnSubscription, StoredState};
use crate::billing::facts::projection::plan_changes::is_of_unpaid_change;
use crate::store::{CheckoutState, Invoice, Refund, Subscription};

/// A cancellation seen for the first time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewCancellation {
    /// Its subscription.
    pub(crate) subscription: Subscription,
    /// When it was requested, in Unix seconds. A person who cancels, resumes and cancels again gets
    /// two mails.
    pub(crate) asked_at: i64,
}

/// A payment seen for the first time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewPayment {
    /// The paid invoice.
    pub(crate) invoice: Invoice,
    /// Its subscription.
    pub(crate) subscription: Subscription,
    /// Whether it is the subscription's first payment.
    pub(crate) opens_subscription: bool,
    /// Whether the account had never paid before.
    pub(crate) is_new_subscriber: bool,
}

/// A trial purchase seen for the first time, first charged at the trial's end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewTrialPurchase {
    /// The subscription that it created.
    pub(crate) subscription: Subscription,
    /// Amount of the first charge, as quoted.
    pub(crate) first_centavos: Centavos,
    /// When it is charged.
    pub(crate) first_charge_at: Timestamp,
}

/// A refund or loss seen for the first time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewRefund {
    /// The refunded invoice, as it is now.
    pub(crate) invoice: Invoice,
    /// Amount that was refunded or lost.
    pub(crate) centavos: Centavos,
    /// Its subscription.
    pub(crate) subscription: Subscription,
}

/// Compares the derived rows of an account with its stored ones.
pub(super) struct Sightings<'a> {
    pub(super) known: &'a StoredState,
    pub(super) subscriptions: &'a [Subscription],
    pub(super) invoices: &'a [Invoice],
}

impl Sightings<'_> {
    pub(super) fn owner(&self, invoice: &Invoice) -> Option<&Subscription> {
        self.subscriptions.iter().find(|row| row.id == invoice.subscription_id)
    }

    /// The invoices that a rule selects, each with its subscription.
    fn select(&self, is_selected: impl Fn(&Invoice, &Subscription) -> bool) -> Vec<(Invoice, Subscription)> {
        let with_owner = self.invoices.iter().filter_map(|invoice| Some((invoice, self.owner(invoice)?)));
        with_owner
            .filter(|(invoice, owner)| is_selected(invoice, owner))
            .map(|(invoice, owner)| (invoice.clone(), owner.clone()))
            .collect()
    }

    pub(super) fn payments(&self) -> Vec<NewPayment> {
        // Confirm the payment even if the subscription has ended since, unless it was refunded. A
        // payment after the end gives no rights: it is refunded, and has its own mail.
        let is_confirmed = |row: &Invoice, owner: &Subscription| {
            !owner.is_replaced()
                && owner.returned_at.is_none()
                && owner.ended_at.is_none_or(|ended_at| row.paid_at <= Some(ended_at))
        };
        let new = self.select(|row, owner| {
            row.is_paid()
                && row.total_centavos > Centavos::ZERO
                && !self.known.was_paid(&row.id)
                && is_confirmed(row, owner)
        });
        let payment = |(invoice, subscription): (Invoice, Subscription)| NewPayment {
            opens_subscription: subscription.first_paid_at == invoice.paid_at,
            is_new_subscriber: false,
            invoice,
            subscription,
        };
        let mut new: Vec<NewPayment> = new.into_iter().map(payment).collect();
        new.sort_by_key(|payment| payment.invoice.paid_at);
        if let Some(first) = new.first_mut() {
            let had_paid = self.known.subscriptions.iter().any(Subscription::is_counted_as_paid);
            first.is_new_subscriber = !had_paid && first.opens_subscription;
        }
        new
    }

    pub(super) fn trial_purchases(&self, states: &[CheckoutState]) -> Vec<NewTrialPurchase> {
        let quoted = |row: &Subscription| {
            let state = states.iter().find(|state| state.subscription_id.as_ref() == Some(&row.id))?;
            let checkout = self.known.checkouts.iter().find(|checkout| checkout.id == state.id)?;
            Some(checkout.first_payment_centavos)
        };
        let is_new = |row: &&Subscription| row.is_running() && self.known.subscription(&row.id).is_none();
        let purchase = |row: &Subscription| {
            Some(NewTrialPurchase {
                first_charge_at: row.first_charge_at?,
                first_centavos: quoted(row)?,
                subscription: row.clone(),
            })
        };
        self.subscriptions.iter().filter(is_new).filter_map(purchase).collect()
    }

    /// Our own refunds are left out, because they are mailed when requested.
    pub(super) fn refunds(&self) -> Vec<NewRefund> {
        // Ended subscriptions are included, because many refunds follow or cause the end.
        let by_others =
            self.select(|invoice, owner| !owner.is_replaced() && !self.known.has_refund(&invoice.id));
        let refund = |(invoice, subscription): (Invoice, Subscription)| {
            let before = self.known.invoice(&invoice.id).map_or(Centavos::ZERO, |row| row.refunded_centavos);
            let centavos = invoice.refunded_centavos - before;
            (centavos > Centavos::ZERO).then_some(NewRefund { invoice, centavos, subscription })
        };
        by_others.into_iter().filter_map(refund).collect()
    }

    pub(super) fn boletos(&self) -> Vec<(Invoice, Subscription)> {
        let is_known =
            |row: &Invoice| self.known.invoice(&row.id).is_some_and(|s| s.boleto_line == row.boleto_line);
        // Ended subscriptions are included: the mail of their end says that the boleto is void.
        self.select(|row, owner| {
            row.status == InvoiceStatus::Open
                && row.boleto_line.is_some()
                && !is_known(row)
                && !owner.is_replaced()
        })
    }

    pub(super) fn too_little(&self, ours: &[OwnSubscription<'_>]) -> Vec<(Invoice, Subscription)> {
        let pays_by_boleto =
            |id: &SubscriptionId| ours.iter().any(|own| own.fact.id == *id && own.pays_by_boleto());
        self.select(|row, owner| {
            row.is_too_little() && owner.is_running_and_kept() && pays_by_boleto(&owner.id)
        })
    }

    /// Each card of an invoice that needs authentication counts once. The stored row has the card.
    /// A plan change is left out, because its payer is present.
    pub(super) fn authentications(&self) -> Vec<(Invoice, Subscription)> {
        let is_known = |row: &Invoice| {
            self.known.invoice(&row.id).is_some_and(|stored| stored.authentication == row.authentication)
        };
        self.select(|row, owner| {
            row.waits_for_authentication()
                && !is_known(row)
                && owner.is_running_and_kept()
                && !owner.cancel_at_period_end
                && !is_of_unpaid_change(row, &owner.provider_status)
        })
    }

    /// Failed renewals that are not stored yet, each with its newest invoice. A failure is stored
    /// if the subscription's row has the same `renewal`.
    pub(super) fn failures(&self) -> Vec<(Invoice, Subscription)> {
        let is_new = |row: &&Subscription| {
            let stored = self.known.subscription(&row.id).map(|stored| stored.renewal);
            matches!(row.renewal, Renewal::Failed { .. }) && row.is_running() && stored != Some(row.renewal)
        };
        let failure = |subscription: &Subscription| {
            let own = self.invoices.iter().filter(|row| row.subscription_id == subscription.id);
            let is_renewal = |row: &&Invoice| {
                row.can_be_paid() && !is_of_unpaid_change(row, &subscription.provider_status)
            };
            let newest = own.filter(is_renewal).max_by_key(|row| row.created_at)?;
            // The mail about the authentication covers it.
            (!newest.waits_for_authentication()).then(|| (newest.clone(), subscription.clone()))
        };
        self.subscriptions.iter().filter(is_new).filter_map(failure).collect()
    }

    /// Subscriptions that were cancelled or ended since the stored rows, if they were paid or have
    /// a scheduled charge. Replaced ones and those refunded on request are left out.
    pub(super) fn cancellations(&self, ours: &[OwnSubscription<'_>]) -> Vec<NewCancellation> {
        let ends = |row: &Subscription| {
            row.cancel_at_period_end || row.ended_at.is_some() || row.returned_at.is_some()
        };
        let asked_back = |row: &Subscription| {
            let of_row = |refund: &&Refund| refund.subscription_id == row.id;
            self.known.refunds.iter().filter(of_row).any(Refund::was_asked_for)
        };
        let is_new = |row: &&Subscription| {
            let stood = self.known.subscription(&row.id).is_some_and(|stored| !ends(stored));
            let was_bought = row.first_paid_at.is_some() || row.first_charge_at.is_some();
            !row.is_replaced() && stood && ends(row) && was_bought && !asked_back(row)
        };
        let cancellation = |row: &Subscription| {
            let fact = ours.iter().map(|own| own.fact).find(|fact| fact.id == row.id)?;
            let asked_at = fact.canceled_at.or(fact.ended_at).unwrap_or(fact.created);
            Some(NewCancellation { subscription: row.clone(), asked_at })
        };
        self.subscriptions.iter().filter(is_new).filter_map(cancellation).collect()
    }
}
