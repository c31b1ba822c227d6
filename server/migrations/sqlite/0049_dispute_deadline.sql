-- Deadline to answer a dispute of the payment; NULL unless the payer's bank waits for our answer.
ALTER TABLE invoices ADD COLUMN dispute_answer_by_us INTEGER;
