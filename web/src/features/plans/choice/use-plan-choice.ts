import { useEffect, useRef, useState } from 'react'
import { keepLinkedCode } from '../../../catalog/kept-promotion'
import { planName } from '../../../catalog/plan-names'
import { type SelectedPlan, writeSelectedPlan } from '../../../catalog/selected-plan'
import { remove, write, writeUpsellEnd } from '../../../lib/browser-storage'
import { paths, planChangeOf } from '../../../lib/paths'
import { serverNow } from '../../../lib/server-clock'
import { ACTIVE_SUBSCRIPTION_TOAST_MS, UPSELL_HOLD_MS } from '../../../lib/timers'
import { useToasts } from '../../../lib/toasts'
import { useSession } from '../../../session/session'
import { plans as texts } from '../../../texts/plans'
import { managePlan } from '../../../texts/site'
import { readOwnPlan } from './use-own-plan'

/**
 * Choosing a plan. `startsCountdown`: whether the countdown of /upsell starts with the choice, or,
 * on a promotional page, when /upsell opens. `choosing` is the plan's id while the session is read.
 */
export function usePlanChoice(startsCountdown: boolean) {
  const { confirm } = useSession()
  const { show } = useToasts()
  const [choosing, setChoosing] = useState<string | null>(null)
  const page = useRef<AbortController>(undefined)
  useEffect(() => {
    const here = new AbortController()
    page.current = here
    // Comes as soon as a link is followed: the answer must not lead elsewhere.
    const leave = () => here.abort()
    addEventListener('beforeunload', leave)
    return () => {
      removeEventListener('beforeunload', leave)
      leave()
    }
  }, [])

  const choose = async (plan: SelectedPlan) => {
    const here = page.current?.signal
    const { planId } = plan
    writeSelectedPlan(plan)
    // The hold and the checkout of an earlier choice.
    remove('upsellEndTime', 'checkoutClientSecret')
    setChoosing(planId)
    try {
      // The shown prices are those of the code in the address, also if it was removed since.
      keepLinkedCode(location.search)
      const user = await confirm()
      const own = user && !here?.aborted ? (await readOwnPlan(user.uid)).own : null
      // The visitor has left the page: do not redirect from the next one.
      if (here?.aborted) return
      if (!user) {
        write('loginRedirectUrl', paths.upsell)
        location.assign(paths.signUp)
      } else if (own) {
        // Loads while the toast shows, so that the press does not wait.
        const portal = import('../../../purchase/portal')
        show({
          kind: 'info',
          title: texts.alreadySubscribed,
          durationMs: ACTIVE_SUBSCRIPTION_TOAST_MS,
          actions: [
            { label: managePlan, onSelect: async () => (await portal).openPortal(confirm, show) },
            ...(own === planId
              ? []
              : [
                  {
                    label: texts.changeTo(planName(planId)),
                    onSelect: () => location.assign(planChangeOf(planId)),
                  },
                ]),
          ],
        })
      } else {
        if (startsCountdown) writeUpsellEnd(new Date(serverNow().getTime() + UPSELL_HOLD_MS))
        location.assign(paths.upsell)
      }
    } finally {
      setChoosing(null)
    }
  }

  return { choosing, choose }
}
