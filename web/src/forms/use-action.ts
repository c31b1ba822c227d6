import { useState } from 'react'
import { type Reason, reasonOf } from '../api/app-error'
import { type Toast, useToasts } from '../lib/toasts'

/**
 * A button that calls the server: busy meanwhile; a toast says that it failed, or what `act`
 * returns, about one matter.
 */
export function useAction(
  about: string,
  act: () => Promise<Pick<Toast, 'title' | 'description'> | null>,
  explain: (reason: Reason) => string,
) {
  const { show } = useToasts()
  const [busy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    try {
      const said = await act()
      if (said) show({ kind: 'success', ...said, about })
    } catch (cause) {
      show({ kind: 'error', title: explain(reasonOf(cause)), about })
    } finally {
      setBusy(false)
    }
  }
  return { busy, run }
}
