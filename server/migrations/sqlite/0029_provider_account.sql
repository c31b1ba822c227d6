-- The provider's account that this database belongs to: one row, stored when the provider was first reached.
CREATE TABLE provider_account (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- `acct_…`; NULL where the key may not read it.
  account_id TEXT,
  -- NULL where neither the balance nor the key shows the mode.
  livemode INTEGER,
  -- Id of the product that marks the provider's account, where its id cannot be read; NULL without one.
  marker TEXT,
  -- Whether the provider has stored that product.
  marked INTEGER NOT NULL DEFAULT FALSE,
  stored_at_us INTEGER NOT NULL
);
-- Accounts that paid and whose customer or subscription the provider does not have.
CREATE TABLE provider_losses (
  uid TEXT PRIMARY KEY,
  customer_id TEXT NOT NULL,
  -- unknown, deleted, or subscription.
  kind TEXT NOT NULL,
  seen_at_us INTEGER NOT NULL,
  -- Whether the operator was alarmed of it.
  reported INTEGER NOT NULL DEFAULT FALSE
);
-- Since when reconciliation stands still because too many customers are unknown to the provider: at most one row.
CREATE TABLE provider_stops (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  stopped_at_us INTEGER NOT NULL,
  losses INTEGER NOT NULL,
  customers INTEGER NOT NULL
);
