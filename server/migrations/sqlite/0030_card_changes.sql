-- The customer's default card that was handled last; NULL before the first look, empty without one.
ALTER TABLE customers ADD COLUMN default_card TEXT;
-- How often that default changed.
ALTER TABLE customers ADD COLUMN card_changes INTEGER NOT NULL DEFAULT 0;
-- Attempts of ours to pay an open invoice with a card that became the customer's default.
CREATE TABLE card_payments (
  invoice_id TEXT NOT NULL,
  payment_method_id TEXT NOT NULL,
  -- The change of the default card (customers.card_changes) that it belongs to.
  card_change INTEGER NOT NULL,
  -- Part of the idempotency key at the provider.
  attempt INTEGER NOT NULL,
  -- Empty while the provider's answer is not known; else paid, declined, authentication or refused.
  outcome TEXT NOT NULL,
  created_at_us INTEGER NOT NULL,
  PRIMARY KEY (invoice_id, payment_method_id)
);
-- The card whose payment of an open invoice the payer must authenticate; empty if none.
ALTER TABLE invoices ADD COLUMN authentication TEXT NOT NULL DEFAULT '';
