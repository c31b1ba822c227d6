import type { Stripe } from '@stripe/stripe-js'
import { loadStripe } from '@stripe/stripe-js/pure'
import { loadConfig } from '../../lib/config'

let loading: Promise<Stripe> | undefined

/**
 * The provider's script, from the address in the runtime settings; without one the SDK knows its
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
  if (checkoutScriptUrl && !('Stripe' in window)) await addScript(checkoutScriptUrl)
  const stripe = await loadStripe(checkoutPublishableKey, { locale: 'pt-BR' })
  if (!stripe) throw new Error('the payment script gave nothing')
  return stripe
}

function addScript(src: string): Promise<void> {
  return new Promise((done, failed) => {
    const script = document.createElement('script')
    script.src = src
    script.onload = () => done()
    script.onerror = () => {
      script.remove()
      failed(new Error('the payment script did not load'))
    }
    document.head.append(script)
  })
}
