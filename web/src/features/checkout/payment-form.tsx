import { EmbeddedCheckout, EmbeddedCheckoutProvider } from '@stripe/react-stripe-js'
import type { Stripe } from '@stripe/stripe-js'
import { useMemo } from 'react'

/** The provider's embedded checkout. Its options may never change: give it a `key` by session. */
export function PaymentForm({
  stripe,
  clientSecret,
  onComplete,
}: {
  stripe: Stripe
  clientSecret: string
  onComplete: () => void
}) {
  const options = useMemo(() => ({ clientSecret, onComplete }), [clientSecret, onComplete])
  return (
    <EmbeddedCheckoutProvider stripe={stripe} options={options}>
      <EmbeddedCheckout />
    </EmbeddedCheckoutProvider>
  )
}
