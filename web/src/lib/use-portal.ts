import { useCallback, useState } from 'react'
import { call } from '../api/call'
import { portal as texts } from '../texts/portal'
import { useSession } from './session'
import { useToasts } from './toasts'

/** Opens the subscription management portal of the signed-in user; failures show as the specification says (section 8). */
export function usePortal(): { opening: boolean; open: () => Promise<void> } {
  const { confirm } = useSession()
  const { show } = useToasts()
  const [opening, setOpening] = useState(false)

  const open = useCallback(async () => {
    setOpening(true)
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
      show({ kind: 'error', title: texts.error, description: texts.unavailable })
    } finally {
      setOpening(false)
    }
  }, [confirm, show])

  return { opening, open }
}
