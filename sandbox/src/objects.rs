//! Typed objects of the payments API, each complete as the provider's SDK declares it.
//!
//! A struct has the fields that the sandbox reads or changes, and `rest` has the others. `private`
//! is stored beside the object and never shown.

mod charge;
mod checkout_session;
mod discount;
mod dispute;
mod invoice;
mod invoice_payment;
mod object;
mod payment_intent;
mod payment_method;
mod refund;
mod subscription;
mod test_clock;

pub use charge::{Charge, ChargeStatus, Outcome, PaymentMethodDetails};
pub use checkout_session::{
    CheckoutSession, PaymentStatus, PrivateSession, SessionDiscount, SessionLine, SessionStatus,
};
pub use discount::{Discount, PrivateDiscount, Source};
pub use dispute::{Dispute, DisputeStatus, Evidence, EvidenceDetails, SubmissionMethod};
pub use invoice::{
    BillingReason, DiscountAmount, Invoice, InvoiceLine, InvoiceStatus, Period, PriceDetails, Pricing,
    PrivateInvoice, StatusTransitions,
};
pub use invoice_payment::{InvoicePayment, InvoicePaymentStatus, Payment, PaymentTransitions};
pub use object::{Address, BillingDetails, List, Metadata, Object, PaymentSettings, Rest, fields, rest};
pub use payment_intent::{
    BoletoDisplayDetails, NextAction, PaymentIntent, PaymentIntentStatus, PrivateIntent, Voucher,
};
pub use payment_method::{MethodKind, PaymentMethod, PrivateCard};
pub use refund::{Refund, RefundStatus};
pub use subscription::{
    CancellationDetails, PrivateSubscription, Subscription, SubscriptionItem, SubscriptionStatus, plan_of,
};
pub use test_clock::{Advancing, ClockStatus, ClockStatusDetails, TestClock};
