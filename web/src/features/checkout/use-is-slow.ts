import { useEffect, useState } from 'react'
import { SLOW_RETURN_MS } from '../../lib/timers'

/** True once a page has waited too long to show nothing but 'Carregando...'. */
export function useIsSlow(): boolean {
  const [isSlow, setIsSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsSlow(true), SLOW_RETURN_MS)
    return () => clearTimeout(timer)
  }, [])
  return isSlow
}
