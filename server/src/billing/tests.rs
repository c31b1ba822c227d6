//! Billing over the real sandbox.
