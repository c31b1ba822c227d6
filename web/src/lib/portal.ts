import { useCallback, useState } from 'react'
import { call } from '../api/call'
import { portal as texts } from '../texts/account'
import { read } from './browser-storage'
import { useSession } from './session'
import { useToasts } from './toasts'

/** Opens the subscription management at the payment provider; what fails is said in a toast. Spec section 8. */
export function usePortal(): { opening: boolean; open: () => Promise<void> } {
  const { session, confirm } = useSession()
  const { show } = useToasts()
  const [opening, setOpening] = useState(false)

  const open = useCallback(async () => {
    setOpening(true)
    const user = session.kind === 'user' ? session.user : await confirm()
    const email = user?.email || read('userEmail')
    if (!email) {
      show({ kind: 'error', title: texts.errorTitle, description: texts.missingEmail })
      setOpening(false)
      return
    }
    try {
      const { url } = await call(({ billing }) => billing.createPortalSession({ email }))
      if (!url) throw new Error('the portal gave no address')
      location.assign(url)
    } catch (cause) {
      console.warn('Erro ao criar sessão do portal', cause)
      show({ kind: 'error', title: texts.errorTitle, description: texts.failed })
      setOpening(false)
    }
  }, [session, confirm, show])
  return { opening, open }
}
