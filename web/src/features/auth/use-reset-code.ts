import { useEffect, useState } from 'react'
import { readTab, writeTab } from '../../lib/browser-storage'

/**
 * The code of the recovery link, taken from the address and removed from it at once: it is to stand in no history,
 * bookmark or copied address (design section 5). Its tab keeps it, for a reload, until `forgetResetCode`. Null
 * without one.
 */
export function useResetCode(): string | null {
  const [code] = useState(() => {
    const linked = new URLSearchParams(location.search).get('code')?.trim()
    if (linked) writeTab('resetCode', linked)
    return linked || readTab('resetCode')
  })
  useEffect(() => {
    // The router need not know: the screen is the same.
    if (location.search) history.replaceState(history.state, '', location.pathname)
  }, [])
  return code
}

/** The code has done its work, or never will. */
export function forgetResetCode(): void {
  writeTab('resetCode', null)
}
