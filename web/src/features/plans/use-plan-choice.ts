import { useCallback, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { call } from '../../api/call'
import {
  remove,
  type SelectedPlan,
  write,
  writeSelectedPlan,
  writeUpsellEnd,
} from '../../lib/browser-storage'
import { paths } from '../../lib/paths'
import { serverNow } from '../../lib/server-clock'
import { useSession } from '../../lib/session'
import { ACTIVE_SUBSCRIPTION_TOAST_MS, UPSELL_HOLD_MS } from '../../lib/timers'
import { useToasts } from '../../lib/toasts'
import { plans as texts } from '../../texts/plans'
import { managePlan } from '../../texts/site'

/**
 * Choosing a plan. `holds` starts the countdown of /upsell, which the promotional page leaves to it.
 * `choosing` names the plan while the server is asked who is choosing.
 */
export function usePlanChoice(holds: boolean) {
  const navigate = useNavigate()
  const { confirm } = useSession()
  const { show } = useToasts()
  const [choosing, setChoosing] = useState<string | null>(null)

  const choose = useCallback(
    async (plan: SelectedPlan) => {
      writeSelectedPlan(plan)
      // What is left of an earlier choice: its hold, and its checkout.
      remove('upsellEndTime', 'checkoutClientSecret')
      setChoosing(plan.name)
      try {
        const user = await confirm()
        if (!user) {
          write('loginRedirectUrl', paths.upsell)
          navigate(paths.signUp)
        } else if (await hasActiveSubscription(user.uid)) {
          // Fetched while its toast shows, so that the press does not wait for it.
          const portal = import('../../lib/portal')
          show({
            kind: 'info',
            title: texts.alreadySubscribed,
            durationMs: ACTIVE_SUBSCRIPTION_TOAST_MS,
            action: {
              label: managePlan,
              onSelect: async () => (await portal).openPortal(confirm, show),
            },
          })
        } else {
          if (holds) writeUpsellEnd(new Date(serverNow().getTime() + UPSELL_HOLD_MS))
          navigate(paths.upsell)
        }
      } finally {
        setChoosing(null)
      }
    },
    [confirm, navigate, show, holds],
  )

  return { choosing, choose }
}

/** A failure lets the visitor on: the checkout refuses a second subscription anyway. */
async function hasActiveSubscription(uid: string): Promise<boolean> {
  try {
    const { user } = await call(({ users }) => users.getUser({ uid }))
    return user?.subscriptionActive === true
  } catch (cause) {
    console.warn('the subscription could not be read', cause)
    return false
  }
}
