-- How far reconciliation has come: one row.
CREATE TABLE reconciliation (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  -- The provider's last event that was read; empty before the first one.
  event_cursor TEXT NOT NULL DEFAULT '',
  -- When its event list was read last; NULL before that.
  events_read_at_us BIGINT,
  -- The last account of the look at what is not final; empty at its begin.
  open_after TEXT NOT NULL DEFAULT '',
  -- Number of the sweep over the whole provider, and its phase; empty between two sweeps.
  sweep BIGINT NOT NULL DEFAULT 0,
  sweep_phase TEXT NOT NULL DEFAULT '',
  -- The last object or account that was read in this phase.
  sweep_after TEXT NOT NULL DEFAULT '',
  sweep_pages BIGINT NOT NULL DEFAULT 0,
  sweep_began_at_us BIGINT NOT NULL DEFAULT 0,
  -- When the sweep before this one began; 0 without one.
  sweep_before_at_us BIGINT NOT NULL DEFAULT 0
);
INSERT INTO reconciliation (id) VALUES (1);
-- The last sweep in which the provider listed the subscription.
ALTER TABLE subscriptions ADD COLUMN swept BIGINT NOT NULL DEFAULT 0;
