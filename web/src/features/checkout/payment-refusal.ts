import type { PaymentIntentResult } from '@stripe/stripe-js'

/**
 * Why the payment was not made: no authentication, declined by the bank, or the provider did not
 * answer.
 */
export type PaymentRefusal = 'authentication' | 'declined' | 'failed'

/** Null where the payment was made, now or before. */
export function refusalOf({ error, paymentIntent }: PaymentIntentResult): PaymentRefusal | null {
  const status = (paymentIntent ?? error?.payment_intent)?.status
  if (status === 'succeeded' || status === 'processing') return null
  if (!error) return 'authentication'
  const authentication = ['payment_intent_authentication_failure', 'authentication_required']
  if ([error.code, error.decline_code].some((code) => code && authentication.includes(code)))
    return 'authentication'
  return error.type === 'card_error' ? 'declined' : 'failed'
}
