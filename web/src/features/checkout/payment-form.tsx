import type { Stripe } from '@stripe/stripe-js'
import { useEffect, useEffectEvent, useRef } from 'react'

/** The provider allows one form at a time: the next one waits until the last one is gone. */
let gone: Promise<unknown> = Promise.resolve()

/** The provider's embedded checkout of one session. */
export function PaymentForm({
  stripe,
  clientSecret,
  onComplete,
}: {
  stripe: Stripe
  clientSecret: string
  onComplete: () => void
}) {
  const place = useRef<HTMLDivElement>(null)
  const completed = useEffectEvent(onComplete)
  useEffect(() => {
    const opened = gone.then(() =>
      stripe.createEmbeddedCheckoutPage({ clientSecret, onComplete: () => completed() }),
    )
    void opened.then((form) => place.current && form.mount(place.current))
    return () => {
      gone = opened.then((form) => form.destroy()).catch(() => undefined)
    }
  }, [stripe, clientSecret])
  return <div ref={place} />
}
