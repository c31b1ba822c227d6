import { reasonOf } from '../api/app-error'
import { call } from '../api/call'
import type { ToastContext } from '../lib/toasts'
import type { SessionContext } from '../session/session'
import { paymentsDown } from '../texts/refusals'
import { portal as texts } from '../texts/site'

/**
 * Opens the subscription management portal of the signed-in user. A failure shows the specified
 * toast.
 */
export async function openPortal(
  confirm: SessionContext['confirm'],
  show: ToastContext['show'],
): Promise<void> {
  try {
    const user = await confirm()
    if (!user?.email) {
      show({ kind: 'error', title: texts.error, description: texts.emailMissing })
      return
    }
    const { url } = await call(({ billing }) => billing.createPortalSession({ email: user.email }))
    if (!url) throw new Error('the portal session has no url')
    location.assign(url)
  } catch (cause) {
    console.error('the portal did not open', cause)
    show({
      kind: 'error',
      title: texts.error,
      description: reasonOf(cause) === 'PAYMENTS_DOWN' ? paymentsDown : texts.unavailable,
    })
  }
}
