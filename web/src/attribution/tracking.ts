import { call } from '../api/call'
import { planName } from '../catalog/plan-names'
import { readSelectedPlan, type SelectedPlan } from '../catalog/selected-plan'
import { read, readStoredUser } from '../lib/browser-storage'
import { centavosOf } from '../lib/money'
import { serverNow } from '../lib/server-clock'
import { clickIds } from './attribution'
import { adoptAccountConsent, adsAllowed } from './consent'

/** An event that a page reports. The server reports payments, from its own records. */
export interface PageEvent {
  name: 'cadastro' | 'checkout_iniciado' | 'checkout_finalizado'
  /**
   * Derives the event's id, so that page and server share one: a uid, or a checkout session's id.
   */
  key: string
  purchase?: { plan: string; interval: string; valueCentavos: bigint }
}

/** Value of a conversion without a known price: R$ 1,00. Only reported, never charged. */
export const FALLBACK_VALUE_CENTAVOS = 100n

/**
 * Reports an event: first to the server, which has the account's consent and the value, then to
 * the platforms of this page under the same id. Reports nothing without the visitor's consent.
 * Callers need not await it: a failure is only logged.
 */
export async function track(event: PageEvent): Promise<void> {
  if (!adsAllowed()) return
  const uid = read('uid') ?? ''
  try {
    const reply = await sendToServer(event, location.origin + location.pathname)
    adoptAccountConsent(reply.consent, uid)
    if (!reply.mayLeave || !adsAllowed()) return
    const { sendToPlatforms } = await import('./ads')
    await sendToPlatforms(event.name, reply.eventId, reply.customData)
  } catch (cause) {
    console.warn(`tracking ${event.name} failed`, cause)
  }
}

function sendToServer({ name, key, purchase }: PageEvent, eventSourceUrl: string) {
  const now = serverNow().getTime()
  const user = readStoredUser()
  const { fbp, fbc } = clickIds()
  return call(({ tracking }) =>
    tracking.trackEvent({
      eventName: name,
      eventTime: { seconds: BigInt(Math.floor(now / 1000)), nanos: 0 },
      eventId: `${name}:${key}`,
      consent: true,
      eventSourceUrl,
      userData: {
        em: user?.email || undefined,
        fn: user?.name.split(' ')[0] || undefined,
        ph: user?.phone ?? read('userWhatsapp') ?? undefined,
        externalId: user?.uid,
        fbp: fbp || undefined,
        fbc: fbc || undefined,
      },
      customData: purchase && {
        valueCentavos: purchase.valueCentavos,
        currency: 'BRL',
        subscriptionPlan: purchase.plan,
        interval: purchase.interval,
      },
    }),
  )
}

/** Tracks the end of a checkout that bought something, with the stored choice. */
export function trackFinish(sessionId: string | null): Promise<void> {
  return track({
    name: 'checkout_finalizado',
    key: sessionId ?? (read('uid') || 'visitor'),
    purchase: finishOf(readSelectedPlan()),
  })
}

/** The purchase of a finished checkout, by the stored choice. */
export function finishOf(plan: SelectedPlan | null): NonNullable<PageEvent['purchase']> {
  return {
    plan: plan ? planName(plan.planId) : '',
    interval: plan?.interval ?? '',
    valueCentavos: (plan && centavosOf(plan.priceRaw)) ?? FALLBACK_VALUE_CENTAVOS,
  }
}
