-- News of refunds and disputes name a payment, not a customer.
CREATE INDEX invoices_payment ON invoices (payment_intent_id);
