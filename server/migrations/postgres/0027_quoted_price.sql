-- first_payment_centavos is the amount that the provider asks for. quoted_centavos is the amount by our prices: the two
-- differ only where the provider rounds or holds a coupon otherwise. NULL in rows of before this column.
ALTER TABLE checkouts ADD COLUMN quoted_centavos BIGINT;
