import { useEffect, useState } from 'react'

/**
 * The code of the recovery link, taken from the address and removed from it at once: it is to stand in no history,
 * bookmark or copied address (design section 5). Null when the address has none.
 */
export function useResetCode(): string | null {
  const [code] = useState(() => new URLSearchParams(location.search).get('code')?.trim() || null)
  useEffect(() => {
    // The router need not know: the screen is the same.
    if (location.search) history.replaceState(history.state, '', location.pathname)
  }, [])
  return code
}
