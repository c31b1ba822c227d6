-- Whether the account had confirmed its address or paid. Only then the email's owner is known to have had it.
ALTER TABLE deletions ADD COLUMN proven INTEGER NOT NULL DEFAULT 1;
