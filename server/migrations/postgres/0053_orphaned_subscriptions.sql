-- Subscriptions that run at the payment provider and whose account is missing here, for instance bought after the backup
-- that was restored. A row is deleted when an account has the customer, or when the subscription has ended.
CREATE TABLE orphaned_subscriptions (
  subscription_id TEXT PRIMARY KEY,
  customer_id TEXT NOT NULL,
  -- The account in the subscription's metadata.
  uid TEXT NOT NULL,
  -- The customer's email at the provider; NULL without one.
  email TEXT,
  -- Total of the customer's paid invoices.
  paid_centavos BIGINT NOT NULL,
  found_at_us BIGINT NOT NULL,
  -- Why the last adoption was refused; NULL before the first one.
  refused TEXT
);
