-- When the credit that plan changes of a returned subscription made was ended at the provider. NULL: not yet.
ALTER TABLE subscriptions ADD COLUMN credit_ended_at_us INTEGER;
