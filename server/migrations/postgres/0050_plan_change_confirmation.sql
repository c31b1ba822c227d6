-- End of the time in which the payer can confirm the change's payment at the bank; NULL if none was needed.
ALTER TABLE plan_changes ADD COLUMN confirm_until_us BIGINT;
