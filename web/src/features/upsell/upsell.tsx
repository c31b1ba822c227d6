import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { checkoutQuery } from '../../api/checkout'
import type { PlanOffers } from '../../api/promotion'
import { planChangeAddress } from '../../catalog/plan-names'
import {
  periodChoice,
  readSelectedPlan,
  type SelectedPlan,
  writeSelectedPlan,
} from '../../catalog/selected-plan'
import { clearSelectedPlan, read, readUpsellEnd, remove, writeUpsellEnd } from '../../lib/browser-storage'
import { outcomeOf, resultAddress, sessionIdOf } from '../../lib/checkout-outcome'
import { useCountdown } from '../../lib/countdown'
import type { Elements } from '../../lib/elements'
import { focus, pageHeading } from '../../lib/focus'
import { paths } from '../../lib/paths'
import { serverNow } from '../../lib/server-clock'
import { useToasts } from '../../lib/toasts'
import { useIsHydrating } from '../../lib/use-is-hydrating'
import { OpenBoleto } from '../../parts/boleto'
import { ManagePlan } from '../../parts/manage-plan'
import { TrialFirst } from '../../parts/trial'
import { useKeptPromotion } from '../../purchase/promotion'
import { useSubscription } from '../../purchase/use-subscription'
import { useConfirmedSession, useUid } from '../../session/session'
import { keptCoupon } from '../../texts/kept-coupon'
import { site } from '../../texts/site'
import { upsell as texts, upsell } from '../../texts/upsell'
import { Button, ButtonLink } from '../../ui/button'
import { InlineCountdown } from '../../ui/countdown'
import { Dialog } from '../../ui/dialog'
import { KeptCoupon } from '../../ui/kept-coupon'
import { Notice } from '../../ui/notice'
import { Sieve } from '../../ui/sieve'
import { PageLoading, Spinner } from '../../ui/spinner'
import { CampaignNote } from './campaign-note'
import { holdEnd, isMonthly, monthlyChoice } from './choice'
import { OfferDialog, Offers, OffersPage } from './offers'
import styles from './upsell.module.css'
import { type CheckoutPhase, usePurchase } from './use-checkout-tab'
import { useOffers } from './use-offers'

/** /upsell: the longer periods of the chosen plan, or on with the month. */
export function Upsell({ openInvoice }: { openInvoice: Elements }) {
  const { show } = useToasts()
  const isHydrating = useIsHydrating()
  const session = useConfirmedSession()
  // Read once: what is taken below is stored under the same key and must not change the offers.
  const [chosen, setChosen] = useState(readSelectedPlan)
  // The built page does not know the visitor and the promotion code.
  const { offers, isGone, isFailed, reload } = useOffers(isHydrating ? null : chosen)
  const end = useHold(session.kind !== 'loading' && chosen !== null)
  const { taken, setTaken, tab, buy } = usePurchase(session)
  const { kind: own } = useSubscription()
  usePaidMeanwhile()
  useEffect(() => {
    // Nothing is left to conclude.
    if (own === 'active') clearSelectedPlan()
  }, [own])

  const [isSwapped, setSwapped] = useState(false)
  const swapTo = (swapped: SelectedPlan) => {
    writeSelectedPlan(swapped)
    // The checkout of the earlier choice.
    remove('checkoutClientSecret')
    setChosen(swapped)
    setSwapped(true)
  }
  // The button that had the focus is not there any more.
  useEffect(() => {
    if (!isSwapped || !offers) return
    focus(pageHeading())
    setSwapped(false)
  }, [isSwapped, offers])

  const navigate = useNavigate()
  useEffect(() => {
    if (chosen && !isGone) return
    if (isGone) {
      clearSelectedPlan()
      show({ kind: 'error', title: texts.planGone })
    }
    navigate(paths.plans, { replace: true })
  }, [chosen, isGone, show, navigate])

  if (chosen && own === 'active')
    return (
      <Notice title={texts.subscribed.title} text={texts.subscribed.text}>
        <ButtonLink to={planChangeAddress(chosen.planId)}>{texts.subscribed.change}</ButtonLink>
        <ManagePlan variant="secondary" />
      </Notice>
    )
  const isLeaving = !chosen || isGone
  if (isLeaving && !isHydrating) return <PageLoading label={texts.loading} />
  if (isHydrating || !(offers || isFailed) || own === 'asking' || !end)
    return (
      <OffersPage>
        <div className={styles.wait}>
          <PageLoading label={texts.loading} />
        </div>
      </OffersPage>
    )
  if (isFailed || !offers)
    return (
      <Notice art={<Sieve width={180} />} title={texts.failed.title} text={texts.failed.text}>
        <Button onClick={reload}>{texts.failed.retry}</Button>
        <ButtonLink to={paths.plans} variant="secondary">
          {texts.failed.plans}
        </ButtonLink>
      </Notice>
    )
  const { plan } = offers
  const month = monthlyChoice(plan, offers.answer)
  const card = isMonthly(plan) ? plan : month
  const leaving = tab.phase === 'leaving'
  return (
    <OffersPage offers={offers}>
      <TrialFirst />
      <HoldBanner end={end} onOver={reload} />
      <Offers
        offers={offers}
        notes={
          <>
            {openInvoice}
            <OpenBoleto />
            <AppliedCoupon
              offers={offers}
              otherwise={
                <CampaignNote
                  plan={plan}
                  priceCentavos={offers.answer.selectedPriceCentavos}
                  onSwap={swapTo}
                />
              }
            />
          </>
        }
        leaving={leaving}
        onTake={(offer, interval) => setTaken({ offer, interval })}
        onMonthly={() => buy(card, month)}
      />
      {taken && (
        <OfferDialog
          taken={taken}
          busy={leaving}
          onBack={() => setTaken(null)}
          onConfirm={() =>
            buy(card, periodChoice(plan.planId, taken.interval, taken.offer.priceCentavos, taken.offer))
          }
        />
      )}
      {OVERLAY.includes(tab.phase) && <CheckoutOverlay tab={tab} />}
    </OffersPage>
  )
}

/** End of the offers' reservation, once the server's time is known. */
function useHold(ready: boolean): Date | null {
  const [end, setEnd] = useState<Date | null>(null)
  useEffect(() => {
    if (!ready) return
    const stored = readUpsellEnd()
    const end = holdEnd(stored, serverNow())
    if (end !== stored) writeUpsellEnd(end)
    setEnd(end)
  }, [ready])
  return end
}

/**
 * Asks once, when the page opens, whether a checkout of before has been paid, and goes to its
 * confirmation.
 */
function usePaidMeanwhile(): void {
  const navigate = useNavigate()
  const isSignedIn = useUid() !== null
  // Read once: the key is written again by what is bought here.
  const [sessionId] = useState(() => sessionIdOf(read('checkoutClientSecret')))
  const { data } = useQuery(checkoutQuery(isSignedIn ? sessionId : null))
  useEffect(() => {
    if (data && outcomeOf(data) === 'paid')
      navigate(resultAddress(paths.paymentSuccess, sessionId), { replace: true })
  }, [data, sessionId, navigate])
}

/**
 * How long selection and offers are reserved. At the end it says so and has the page read the
 * current prices.
 */
function HoldBanner({ end, onOver }: { end: Date; onOver: () => void }) {
  const { over } = useCountdown(end, onOver)
  return (
    <div className={styles.banner} role="status" aria-live={over ? 'polite' : 'off'}>
      <svg
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
        aria-hidden="true"
      >
        <circle cx="12" cy="13" r="8" />
        <path d="M12 9v4l2.500 2M9 2h6" />
      </svg>
      {over ? (
        <p>{texts.over}</p>
      ) : (
        <p>
          <span>{texts.reserved}</span> <InlineCountdown end={end} />
        </p>
      )}
    </div>
  )
}

/**
 * Says which offers have the kept coupon, and takes it out of them; `otherwise` where none has it.
 */
function AppliedCoupon({ offers: { answer }, otherwise }: { offers: PlanOffers; otherwise: Elements }) {
  const promotion = useKeptPromotion()
  if (!promotion) return otherwise
  const { couponCode: code } = promotion
  const isInMonth = answer.selectedCouponCode === code
  const isInOffers = answer.offers.some(({ couponCode }) => couponCode === code)
  if (!isInMonth && !isInOffers) return otherwise
  const month = answer.selectedCouponCode
  const text = isInMonth || !month ? keptCoupon.upsell : keptCoupon.upsellLonger(month)
  return <KeptCoupon code={code} text={text} />
}

/** The phases of the checkout tab in which the page is covered. */
const OVERLAY: readonly CheckoutPhase[] = ['open', 'asking', 'offline']

/** Covers the page while the checkout tab is open, while its result is read, and offline. */
function CheckoutOverlay({ tab }: { tab: ReturnType<typeof usePurchase>['tab'] }) {
  const { phase } = tab
  const texts = upsell.overlay
  const asking = phase === 'asking'
  const offline = phase === 'offline'
  return (
    <Dialog title={offline ? site.unheard.title : texts.title} onClose={tab.giveUp} locked look="overlay">
      {!offline && <Spinner size="lg" />}
      <p className={styles.overlayText} aria-live="polite">
        {offline ? site.unheard.text : asking ? texts.asking : texts.text}
      </p>
      <div className={styles.overlayActions}>
        <Button onClick={offline ? tab.open : tab.focus} aria-disabled={asking}>
          {offline ? site.unheard.again : texts.back}
        </Button>
        <Button variant="quiet" onClick={tab.giveUp} aria-disabled={asking}>
          {texts.cancel}
        </Button>
      </div>
    </Dialog>
  )
}
