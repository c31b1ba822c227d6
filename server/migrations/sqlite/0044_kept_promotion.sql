-- Code of the promotion that the owner had at the sign-up and has not removed; NULL without one.
ALTER TABLE accounts ADD COLUMN promo_code TEXT;
-- When the owner last removed a promotion; NULL before that.
ALTER TABLE accounts ADD COLUMN promo_removed_at_us INTEGER;
