-- What of an invoice was too little to be paid alone and waits for the next one (design section 7).
ALTER TABLE invoices ADD COLUMN carried_centavos BIGINT NOT NULL DEFAULT 0;
-- Credit that paid the second of two purchases and was given back.
ALTER TABLE invoices ADD COLUMN credit_returned_centavos BIGINT NOT NULL DEFAULT 0;
-- Subscriptions of the customer that somebody made at the provider without our metadata, their ids parted by blanks.
ALTER TABLE customers ADD COLUMN made_by_hand TEXT NOT NULL DEFAULT '';
