/** The word that the checkout tab sends to the page that opened it, once it is paid. Spec section 4. */
export interface CheckoutSucceeded {
  type: 'checkout_succeeded'
  plan: string
  interval: string
  /** In reais with a decimal point, for tracking and display alone. */
  value: string
}

/** The message, when an event of the same origin carries one; else null. */
export function readCheckoutMessage(
  event: { origin: string; data: unknown },
  ownOrigin: string,
): CheckoutSucceeded | null {
  if (event.origin !== ownOrigin || typeof event.data !== 'object' || event.data === null) return null
  const { type, plan, interval, value } = event.data as Record<string, unknown>
  if (type !== 'checkout_succeeded') return null
  return { type, plan: String(plan ?? ''), interval: String(interval ?? ''), value: String(value ?? '') }
}
