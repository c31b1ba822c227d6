-- Which platform's click an arrival came by, and the ids of the first click beside those of the last.
ALTER TABLE attributions ADD COLUMN clicked TEXT NOT NULL DEFAULT '';
ALTER TABLE click_ids ADD COLUMN first_fbc TEXT NOT NULL DEFAULT '';
ALTER TABLE click_ids ADD COLUMN first_gclid TEXT NOT NULL DEFAULT '';
