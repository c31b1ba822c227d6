import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import type { UpsellOffer } from '../../gen/garimpo/billing/v1/billing_service_pb'
import {
  clearSelectedPlan,
  readSelectedPlan,
  readUpsellEnd,
  type SelectedPlan,
  write,
  writeSelectedPlan,
  writeUpsellEnd,
} from '../../lib/browser-storage'
import { useGo } from '../../lib/go'
import { formatCentavos } from '../../lib/money'
import { paths } from '../../lib/paths'
import { serverNow } from '../../lib/server-clock'
import { useConfirmedSession } from '../../lib/session'
import { useToasts } from '../../lib/toasts'
import { useSubscription } from '../../lib/use-subscription'
import { upsell as texts } from '../../texts/upsell'
import { Button, ButtonLink } from '../../ui/button'
import { CardPage } from '../../ui/card'
import { EmptySieve } from '../../ui/empty-sieve'
import { Notice } from '../../ui/notice'
import { PageLoading } from '../../ui/spinner'
import { CheckoutOverlay } from './checkout-overlay'
import {
  intervalOf,
  isMonthly,
  monthlyChoice,
  type OfferInterval,
  offerChoice,
  restoredChoice,
} from './choice'
import { holdEnd } from './hold'
import { HoldBanner } from './hold-banner'
import { OfferCard } from './offer-card'
import { OfferDialog } from './offer-dialog'
import { Reassurance } from './reassurance'
import styles from './upsell.module.css'
import { useCheckoutTab } from './use-checkout-tab'
import { useOffers } from './use-offers'
import { usePaidMeanwhile } from './use-paid-meanwhile'

/** /upsell: the longer periods of the chosen plan, or on with the month. Spec sections 2 and 4. */
export function Upsell({
  trialNote,
  managePlan,
}: {
  trialNote: ReactNode
  /** 'Gerenciar Plano', for whoever subscribes already. */
  managePlan: ReactNode
}) {
  const go = useGo()
  const { show } = useToasts()
  const session = useConfirmedSession()
  // Read once: what is taken below is stored under the same key and must not change the offers.
  const [chosen] = useState(readSelectedPlan)
  const { offers, reload } = useOffers(chosen)
  const end = useHold(session.kind !== 'loading' && chosen !== null)
  const [taken, setTaken] = useState<{ offer: UpsellOffer; interval: OfferInterval } | null>(null)
  // The plan as it was chosen, and what was taken of it to the checkout.
  const purchase = useRef<{ chosen: SelectedPlan; taken: SelectedPlan } | null>(null)
  const restore = useCallback(() => {
    const { taken: bought = null, chosen: before = null } = purchase.current ?? {}
    const restored = restoredChoice(readSelectedPlan(), bought, before)
    if (restored) writeSelectedPlan(restored)
  }, [])
  const tab = useCheckoutTab(restore)
  const subscribing = useSubscription()
  usePaidMeanwhile()
  useEffect(() => {
    // Nothing is left to conclude.
    if (subscribing.kind === 'active') clearSelectedPlan()
  }, [subscribing.kind])

  const gone = offers.kind === 'gone'
  useEffect(() => {
    if (chosen && !gone) return
    if (gone) {
      clearSelectedPlan()
      show({ kind: 'error', title: texts.planGone })
    }
    go(paths.plans, { replace: true })
  }, [chosen, gone, go, show])

  // In the click itself: only then does the browser give the checkout a window.
  const buy = (before: SelectedPlan, choice: SelectedPlan) => {
    purchase.current = { chosen: before, taken: choice }
    writeSelectedPlan(choice)
    if (session.kind === 'none') {
      write('loginRedirectUrl', paths.promoPlans)
      go(paths.signUp)
    } else if (tab.open() === 'tab') setTaken(null)
  }

  if (chosen && subscribing.kind === 'active')
    return (
      <Notice title={texts.subscribed.title} text={texts.subscribed.text}>
        {managePlan}
        <ButtonLink to={paths.account} variant="secondary">
          {texts.subscribed.account}
        </ButtonLink>
      </Notice>
    )
  if (!chosen || gone || offers.kind === 'loading' || subscribing.kind === 'asking' || !end)
    return <PageLoading label={texts.loading} />
  if (offers.kind === 'failed')
    return (
      <Notice art={<EmptySieve />} title={texts.failed.title} text={texts.failed.text}>
        <Button onClick={reload}>{texts.failed.retry}</Button>
        <ButtonLink to={paths.plans} variant="secondary">
          {texts.failed.plans}
        </ButtonLink>
      </Notice>
    )

  const { answer, plan, couponDropped } = offers
  const first = formatCentavos(answer.selectedPriceCentavos)
  const month = monthlyChoice(plan, answer)
  const card = isMonthly(plan) ? plan : month
  const firstChargeAt = subscribing.kind === 'inactive' ? subscribing.firstChargeAt : null
  const then = formatCentavos(answer.monthlyPriceCentavos)
  return (
    <>
      <HoldBanner end={end} onOver={reload} />
      <CardPage>
        <header className={styles.head}>
          <h1>{texts.title}</h1>
          <p className={styles.lead}>{texts.lead(answer.planName || plan.name)}</p>
          {couponDropped && (
            <p className={styles.warning} role="status">
              {texts.couponDropped}
            </p>
          )}
        </header>
        {trialNote}
        <div className={styles.offers}>
          {answer.offers.map((offer) => {
            const interval = intervalOf(offer)
            return (
              interval && (
                <OfferCard
                  key={offer.id}
                  offer={offer}
                  interval={interval}
                  main={offer.highlight || answer.offers.length === 1}
                  firstChargeAt={firstChargeAt}
                  onTake={() => setTaken({ offer, interval })}
                />
              )
            )
          })}
        </div>
        <div className={styles.monthly}>
          <Button
            variant="secondary"
            size="lg"
            disabled={tab.phase === 'leaving'}
            onClick={() => buy(card, month)}
          >
            {texts.monthly}
          </Button>
          <p>{first === then ? texts.monthlyPrice(then) : texts.monthlyFirst(first, then)}</p>
        </div>
        <Reassurance />
      </CardPage>
      <OfferDialog
        taken={taken}
        busy={tab.phase === 'leaving'}
        firstChargeAt={firstChargeAt}
        onBack={() => setTaken(null)}
        onConfirm={() => taken && buy(card, offerChoice(plan, taken.offer, taken.interval))}
      />
      <CheckoutOverlay phase={tab.phase} onFocus={tab.focus} onGiveUp={tab.giveUp} />
    </>
  )
}

/** Until when the offers are held, once the server's time is known. */
function useHold(ready: boolean): Date | null {
  const [end, setEnd] = useState<Date | null>(null)
  useEffect(() => {
    if (!ready) return
    const stored = readUpsellEnd()
    const held = holdEnd(stored, serverNow())
    if (held !== stored) writeUpsellEnd(held)
    setEnd(held)
  }, [ready])
  return end
}
