-- Number printed on the invoice and its receipt. Rows of an older version get it at their next sync.
ALTER TABLE invoices ADD COLUMN number TEXT NOT NULL DEFAULT '';
-- Newest charge of its payment.
ALTER TABLE invoices ADD COLUMN charge_id TEXT NOT NULL DEFAULT '';
-- Next attempt to collect it; NULL if none is scheduled.
ALTER TABLE invoices ADD COLUMN next_attempt_at_us INTEGER;
