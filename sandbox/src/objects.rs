//! Typed objects of the payments API, each complete as the provider's SDK declares it: a new object
//! begins with the fields of `templates.json`.
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

pub use charge::{Charge, ChargeStatus, PaymentMethodDetails};
pub use checkout_session::{
    CheckoutSession, PaymentStatus, PrivateSession, SessionDiscount, SessionLine, SessionStatus,
};
pub use discount::{Discount, PrivateDiscount};
pub use dispute::{Dispute, DisputeStatus, SubmissionMethod};
pub use invoice::{
    BillingReason, DiscountAmount, Invoice, InvoiceLine, InvoiceStatus, Period, PrivateInvoice,
};
pub use invoice_payment::{InvoicePayment, InvoicePaymentStatus};
pub use object::{Address, BillingDetails, Metadata, Object, template};
pub use payment_intent::{BoletoDisplayDetails, NextAction, PaymentIntent, PaymentIntentStatus, Voucher};
pub use payment_method::{MethodKind, PaymentMethod, PrivateCard};
pub use refund::{Refund, RefundStatus};
pub use subscription::{
    HeldChange, PauseBehavior, PauseCollection, PendingUpdate, PrivateSubscription, Subscription,
    SubscriptionItem, SubscriptionStatus, plan_of,
};
pub use test_clock::{ClockStatus, TestClock};
