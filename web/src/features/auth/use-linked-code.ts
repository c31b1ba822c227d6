import { useEffect, useState } from 'react'
import { readTab, type TabKey, writeTab } from '../../lib/browser-storage'

/**
 * The code of a mailed link, taken from the address and removed from it at once: it is to stand in
 * no history, bookmark or copied address. Its tab keeps it under `key`, for a reload, until
 * it is written as null. Null without one.
 */
export function useLinkedCode(key: TabKey): string | null {
  const [code] = useState(() => {
    const linked = new URLSearchParams(location.search).get('code')?.trim()
    if (linked) writeTab(key, linked)
    return linked || readTab(key)
  })
  useEffect(() => {
    // Without the router, because the screen is the same.
    if (location.search) history.replaceState(history.state, '', location.pathname)
  }, [])
  return code
}
