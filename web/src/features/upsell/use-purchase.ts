import { useCallback, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import type { Interval } from '../../catalog/intervals'
import { readSelectedPlan, type SelectedPlan, writeSelectedPlan } from '../../catalog/selected-plan'
import type { UpsellOffer } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { write } from '../../lib/browser-storage'
import { paths } from '../../lib/paths'
import type { Session } from '../../session/session'
import { restoredChoice } from './choice'
import { useCheckoutTab } from './use-checkout-tab'

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
