import { useCallback, useEffect, useReducer, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { askCheckout } from '../../api/checkout'
import { isSubscribed } from '../../api/subscription'
import { trackFinish } from '../../attribution/tracking'
import type { Interval } from '../../catalog/intervals'
import {
  readSelectedPlan,
  type SelectedPlan,
  toStoredPlan,
  writeSelectedPlan,
} from '../../catalog/selected-plan'
import type { UpsellOffer } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { read, remove, subscribe, write } from '../../lib/browser-storage'
import { type Outcome, resultAddress, sessionIdOf } from '../../lib/checkout-outcome'
import { paths } from '../../lib/paths'
import { after, CHECKOUT_POLL_MS, SECOND_MS } from '../../lib/timers'
import { type CheckoutWatched, readCheckoutMessage } from '../../purchase/checkout-message'
import type { Session } from '../../session/session'
import { restoredChoice } from './choice'
import { type Happening, look, type Monitor, next, watching } from './tab-monitor'

export type CheckoutPhase = 'idle' | 'leaving' | 'open' | 'asking' | 'offline'
type State = Monitor | { kind: 'idle' } | { kind: 'leaving' }
type Step = Happening | { kind: 'opened' } | { kind: 'leaving' } | { kind: 'dismissed' }

function reduce(state: State, step: Step): State {
  if (step.kind === 'opened') return watching
  if (step.kind === 'leaving') return { kind: 'leaving' }
  if (step.kind === 'dismissed') return { kind: 'idle' }
  return state.kind === 'idle' || state.kind === 'leaving' ? state : next(state, step)
}

/**
 * The checkout in a tab of its own, watched until it ends; then on to the page that the end leads
 * to. `onUnpaid` is called when the checkout ends without a purchase.
 */
export function useCheckoutTab(onUnpaid: () => void) {
  const tab = useRef<Window | null>(null)
  // The last checkout of the tab. Its result page removes it from storage.
  const session = useRef<string | null>(null)
  const [state, step] = useReducer(reduce, { kind: 'idle' })
  const navigate = useNavigate()

  /** Must be called in the click itself, before any await: later the browser gives no window. */
  const open = (): 'tab' | 'here' => {
    remove('checkoutClientSecret')
    session.current = null
    // One that never loaded loads by itself once there is a connection.
    tab.current?.close()
    tab.current = openWindow()
    if (tab.current) {
      step({ kind: 'opened' })
      return 'tab'
    }
    // In-app browsers give no window: the checkout opens here, and goes to its result page by
    // itself.
    step({ kind: 'leaving' })
    location.assign(paths.checkout)
    return 'here'
  }

  // Back from the checkout in the same tab: the browser may show this page as it was left.
  useEffect(() => {
    const onShow = (event: PageTransitionEvent) => event.persisted && step({ kind: 'dismissed' })
    addEventListener('pageshow', onShow)
    return () => removeEventListener('pageshow', onShow)
  }, [])

  const focus = () => tab.current?.focus()
  const giveUp = () => {
    tab.current?.close()
    step({ kind: 'given-up' })
  }

  const kind = state.kind
  useEffect(() => {
    const onMessage = (event: MessageEvent) => {
      const message = readCheckoutMessage(event, location.origin)
      // A reload lost the reference to the tab: adopt the tab that sends a message.
      if (!message || (kind === 'idle' ? !event.source : event.source !== tab.current)) return
      if (message.type === 'checkout_succeeded') step({ kind: 'succeeded' })
      if (message.type !== 'checkout_hello') return
      tab.current = event.source as Window
      session.current = message.sessionId ?? session.current
      if (kind === 'idle' || kind === 'offline') step({ kind: 'opened' })
      const plan = readSelectedPlan()
      const answer: CheckoutWatched = { type: 'checkout_watched', plan: plan && toStoredPlan(plan) }
      tab.current.postMessage(answer, location.origin)
    }
    addEventListener('message', onMessage)
    return () => removeEventListener('message', onMessage)
  }, [kind])

  const watches = kind === 'watching' || kind === 'asking'
  useEffect(() => {
    if (!watches) return
    // A guess until the tab names its own: another tab's checkout is stored under the same key.
    const remember = () => {
      session.current ??= sessionIdOf(read('checkoutClientSecret'))
    }
    const lookNow = () => {
      remember()
      if (tab.current) step({ kind: 'seen', sighting: look(tab.current, location.origin) })
    }
    // Timers of a hidden page are slowed down: coming back looks at once.
    const onVisible = () => document.visibilityState === 'visible' && lookNow()
    const timer = setInterval(lookNow, CHECKOUT_POLL_MS)
    const stopHearing = subscribe(remember)
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      clearInterval(timer)
      stopHearing()
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [watches])

  useEffect(() => {
    if (state.kind !== 'asking') return
    // A reply is ignored once the next read has begun.
    let isLatest = true
    const stepOnce = (result: Happening) => isLatest && step(result)
    const ask = () => outcomeOf(session.current)
    const asked = state.attempt > 1 ? after(SECOND_MS).then(ask) : ask()
    asked.then(
      (outcome) => stepOnce({ kind: 'answered', outcome }),
      () => stepOnce({ kind: 'unanswered', hasSession: session.current !== null }),
    )
    return () => {
      isLatest = false
    }
  }, [state])

  useEffect(() => {
    if (state.kind !== 'ended') return
    if (state.finished) void trackFinish(session.current)
    else onUnpaid()
    if (state.path) navigate(resultAddress(state.path, session.current))
    else step({ kind: 'dismissed' })
  }, [state, onUnpaid, navigate])

  return { phase: phaseOf(state), open, focus, giveUp }
}

function phaseOf(state: State): CheckoutPhase {
  if (state.kind === 'watching') return 'open'
  if (state.kind === 'idle' || state.kind === 'leaving' || state.kind === 'offline') return state.kind
  return state.kind === 'ended' && !state.path ? 'idle' : 'asking'
}

function openWindow(): Window | null {
  try {
    return window.open(paths.checkout, '_blank')
  } catch {
    return null
  }
}

/**
 * The state of the tab's checkout. Without a session id the subscription shows it, because the id
 * may have been missed.
 */
async function outcomeOf(sessionId: string | null): Promise<Outcome> {
  if (sessionId) return (await askCheckout(sessionId)).outcome
  return (await isSubscribed()) ? 'paid' : 'open'
}

/**
 * The offer in the dialog, and the way from it or from the month to the checkout; a checkout that
 * bought nothing leads back.
 */
export function usePurchase(session: Session) {
  const [taken, setTaken] = useState<{ offer: UpsellOffer; interval: Interval } | null>(null)
  // The plan as it was chosen, and what was taken of it to the checkout.
  const purchase = useRef<{ chosen: SelectedPlan; taken: SelectedPlan } | null>(null)
  const restore = useCallback(() => {
    const { taken: bought = null, chosen: before = null } = purchase.current ?? {}
    const restored = restoredChoice(readSelectedPlan(), bought, before)
    if (restored) writeSelectedPlan(restored)
  }, [])
  const tab = useCheckoutTab(restore)
  const navigate = useNavigate()

  /** In the click itself: only then does the browser give the checkout a window. */
  const buy = (before: SelectedPlan, choice: SelectedPlan) => {
    purchase.current = { chosen: before, taken: choice }
    writeSelectedPlan(choice)
    if (session.kind === 'none') {
      write('loginRedirectUrl', paths.promoPlans)
      navigate(paths.signUp)
    } else if (tab.open() === 'tab') setTaken(null)
  }

  return { taken, setTaken, tab, buy }
}
