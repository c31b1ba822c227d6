-- Whether the account had confirmed its address. One that only paid and got the money back may have been a stranger's.
-- Deletions of older versions count as confirmed.
ALTER TABLE deletions ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 1;
-- When the email was last corrected; NULL if never. Payments before it do not show that the address is the account's.
ALTER TABLE accounts ADD COLUMN email_corrected_at_us INTEGER;

-- Most clients that one process saw with these labels: when the places of a day are taken, labels of many clients replace
-- those of few.
ALTER TABLE visit_counts ADD COLUMN clients INTEGER NOT NULL DEFAULT 0;
