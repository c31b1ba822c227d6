import { useEffect, useState } from 'react'
import { type TabKey, writeTab } from '../../lib/browser-storage'
import { useTabStored } from '../../lib/use-stored'

/**
 * The code of a mailed link, moved at once from the address to the tab's storage: no history,
 * bookmark or copied address may contain it. A reload reads it there under `key`, until it is
 * written as null. Null without one.
 */
export function useLinkedCode(key: TabKey): string | null {
  const stored = useTabStored(key)
  const linked = new URLSearchParams(location.search).get('code')?.trim()
  // The page keeps it, also after its use deletes the stored one.
  const [code] = useState(linked || stored)
  useEffect(() => {
    if (!location.search) return
    if (code) writeTab(key, code)
    // Without the router, because the screen is the same.
    history.replaceState(history.state, '', location.pathname)
  }, [key, code])
  return code
}
