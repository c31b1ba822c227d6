import { useEffect, useState } from 'react'
import { loadConfig } from '../../../lib/config'
import { endOfDayInSaoPaulo } from '../../../lib/dates'
import { serverNow } from '../../../lib/server-clock'
import { SECOND_MS } from '../../../lib/timers'

/**
 * 23:59:59 of today in São Paulo by the server's clock, null until it is known; the next day's once
 * it is over.
 */
export function useEndOfDay(wanted: boolean): Date | null {
  const [end, setEnd] = useState<Date | null>(null)
  useEffect(() => {
    const look = () => setEnd(endOfDayInSaoPaulo(serverNow()))
    if (end) {
      const timer = setTimeout(look, end.getTime() - serverNow().getTime() + SECOND_MS)
      return () => clearTimeout(timer)
    }
    // The visitor's own clock has to do when the server's cannot be asked.
    if (wanted) loadConfig().then(look, look)
  }, [wanted, end])
  return end
}
