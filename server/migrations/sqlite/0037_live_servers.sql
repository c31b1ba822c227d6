-- Servers that serve now. They share the budget of calls to the payment provider.
CREATE TABLE live_servers (
  id TEXT PRIMARY KEY,
  -- Real time, not the product's.
  seen_at_us INTEGER NOT NULL
);
