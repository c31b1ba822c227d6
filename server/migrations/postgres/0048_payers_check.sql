-- Whether the payment provider had subscriptions of ours when this database had no account: at most one row, written at a
-- start without accounts, and none before the provider was first reached.
CREATE TABLE payers_check (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  -- clear: it had none; found: it had some, and nothing is sold; accepted: the operator sells nevertheless.
  state TEXT NOT NULL,
  -- Subscriptions with our metadata whose account is unknown here; at most a page of the provider's list.
  subscriptions BIGINT NOT NULL,
  checked_at_us BIGINT NOT NULL
);
-- A database with accounts is not a new one.
INSERT INTO payers_check (id, state, subscriptions, checked_at_us)
  SELECT 1, 'clear', 0, 0 WHERE EXISTS (SELECT 1 FROM accounts);
