import { useCallback, useEffect, useReducer, useRef } from 'react'
import { askCheckout } from '../../api/checkout'
import { read, remove } from '../../lib/browser-storage'
import { readCheckoutMessage } from '../../lib/checkout-message'
import { resultAddress, sessionIdOf } from '../../lib/checkout-outcome'
import { useGo } from '../../lib/go'
import { paths } from '../../lib/paths'
import { CHECKOUT_POLL_MS, SECOND_MS } from '../../lib/timers'
import { trackFinish } from '../../lib/tracking'
import { type Happening, look, type Monitor, next, watching } from './tab-monitor'

type State = Monitor | { kind: 'idle' } | { kind: 'leaving' }
type Step = Happening | { kind: 'opened' } | { kind: 'leaving' } | { kind: 'dismissed' }

function reduce(state: State, step: Step): State {
  if (step.kind === 'opened') return watching
  if (step.kind === 'leaving') return { kind: 'leaving' }
  if (step.kind === 'dismissed') return { kind: 'idle' }
  return state.kind === 'idle' || state.kind === 'leaving' ? state : next(state, step)
}

/** The checkout in a tab of its own, watched until it ends; then on to the page that the end leads to. */
export function useCheckoutTab() {
  const go = useGo()
  const tab = useRef<Window | null>(null)
  const [state, step] = useReducer(reduce, { kind: 'idle' })

  /** Must be called in the click itself, before any await: later the browser gives no window. */
  const open = useCallback((): 'tab' | 'here' => {
    remove('checkoutClientSecret')
    tab.current = openWindow()
    if (tab.current) {
      step({ kind: 'opened' })
      return 'tab'
    }
    // In-app browsers give no window: the checkout opens here, and goes to its result page by itself.
    step({ kind: 'leaving' })
    location.assign(paths.checkout)
    return 'here'
  }, [])

  // Back from the checkout in the same tab: the browser may show this page as it was left.
  useEffect(() => {
    const onShow = (event: PageTransitionEvent) => event.persisted && step({ kind: 'dismissed' })
    addEventListener('pageshow', onShow)
    return () => removeEventListener('pageshow', onShow)
  }, [])

  const focus = useCallback(() => tab.current?.focus(), [])
  const giveUp = useCallback(() => {
    tab.current?.close()
    step({ kind: 'given-up' })
  }, [])

  const watches = state.kind === 'watching' || state.kind === 'asking'
  useEffect(() => {
    if (!watches) return
    const onMessage = (event: MessageEvent) => {
      if (event.source === tab.current && readCheckoutMessage(event, location.origin))
        step({ kind: 'succeeded' })
    }
    const lookNow = () => {
      if (tab.current) step({ kind: 'seen', sighting: look(tab.current, location.origin) })
    }
    // Timers of a hidden page are slowed down: coming back looks at once.
    const onVisible = () => document.visibilityState === 'visible' && lookNow()
    const timer = setInterval(lookNow, CHECKOUT_POLL_MS)
    addEventListener('message', onMessage)
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      clearInterval(timer)
      removeEventListener('message', onMessage)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [watches])

  useEffect(() => {
    if (state.kind === 'asking') return ask(state.attempt, step)
    if (state.kind !== 'ended') return
    const sessionId = sessionIdOf(read('checkoutClientSecret'))
    if (state.finished) void trackFinish(sessionId)
    if (state.path) go(resultAddress(state.path, sessionId))
    else step({ kind: 'dismissed' })
  }, [state, go])

  return { phase: phaseOf(state), open, focus, giveUp }
}

function phaseOf(state: State): 'idle' | 'leaving' | 'open' | 'asking' {
  if (state.kind === 'watching') return 'open'
  if (state.kind === 'idle' || state.kind === 'leaving') return state.kind
  return state.kind === 'ended' && !state.path ? 'idle' : 'asking'
}

function openWindow(): Window | null {
  try {
    return window.open(paths.checkout, '_blank')
  } catch {
    return null
  }
}

function ask(attempt: number, step: (happening: Happening) => void): () => void {
  const sessionId = sessionIdOf(read('checkoutClientSecret'))
  let wanted = true
  const timer = setTimeout(
    () => {
      // Without a session nothing can have been bought.
      const asking = sessionId
        ? askCheckout(sessionId).then(({ outcome }) => outcome)
        : Promise.resolve('open' as const)
      asking.then(
        (outcome) => wanted && step({ kind: 'answered', outcome }),
        () => wanted && step({ kind: 'unanswered' }),
      )
    },
    attempt === 1 ? 0 : SECOND_MS,
  )
  return () => {
    wanted = false
    clearTimeout(timer)
  }
}
