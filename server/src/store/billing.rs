//! Purchases, and the payment provider's state stored as rows.

pub mod cancellations;
pub mod card_payments;
pub mod catalog_pushes;
pub mod checkouts;
pub mod customers;
pub mod entitlement_changes;
pub mod events;
pub mod invoices;
pub mod orphaned_subscriptions;
pub mod paid_periods;
pub mod payers_check;
pub mod person_benefits;
pub mod plan_changes;
pub mod provider_account;
pub mod provider_losses;
pub mod reconciliation;
pub mod refunds;
pub mod subscriptions;

pub use cancellations::Cancellation;
pub use card_payments::CardPaymentOutcome;
pub use catalog_pushes::PushedPrice;
pub use checkouts::{Checkout, CheckoutState, CheckoutStatus, PaymentStatus};
pub use customers::Customer;
pub use entitlement_changes::{
    EntitlementChange, EntitlementStates, EntitlementStatus, FeedPosition, FollowedAccount,
};
pub use events::{DeliveredEvent, Milestone, NewEvent};
pub use invoices::{DisputeState, Invoice};
pub use orphaned_subscriptions::{AdoptionRefusal, PayerWithoutAccount};
pub use paid_periods::{PaidPeriod, PeriodSeen};
pub use payers_check::{PayersCheck, PayersState};
pub use person_benefits::{Benefit, GivenBenefit};
pub use plan_changes::{PlanChange, PlanChangeState};
pub use provider_account::ProviderAccount;
pub use provider_losses::{Absence, ProviderLoss, ProviderStop};
pub use reconciliation::{Reconciliation, SweepPhase};
pub use refunds::{Refund, RefundMethod, RefundReason, RefundState};
pub use subscriptions::{Retired, Subscription};
