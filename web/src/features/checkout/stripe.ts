import type { PaymentIntentResult, Stripe } from '@stripe/stripe-js'
import { loadStripe } from '@stripe/stripe-js/pure'
import { loadConfig } from '../../lib/config'
import { loadScript } from '../../lib/load-script'

let loading: Promise<Stripe> | undefined

/**
 * The provider's script, from the address in the runtime settings; without one the SDK uses its
 * own. The sandbox is not known here: it only has another address.
 */
export function loadPayments(): Promise<Stripe> {
  loading ??= load().catch((cause: unknown) => {
    loading = undefined
    throw cause
  })
  return loading
}

async function load(): Promise<Stripe> {
  const { checkoutScriptUrl, checkoutPublishableKey } = await loadConfig()
  if (checkoutScriptUrl && !('Stripe' in window)) await loadScript(checkoutScriptUrl)
  const stripe = await loadStripe(checkoutPublishableKey, { locale: 'pt-BR' })
  if (!stripe) throw new Error('the payment script gave nothing')
  return stripe
}

/**
 * Why the payment was not made: no authentication, declined by the bank, the provider did not
 * answer, or it refuses our key.
 */
export type PaymentRefusal = 'authentication' | 'declined' | 'failed' | 'down'

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
