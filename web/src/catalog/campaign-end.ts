import { endOfDayOfYear } from '../lib/dates'
import { DAY_MS } from '../lib/timers'
import { campaignLastDay } from './catalog'

/**
 * The end of the campaign that runs at `now`; null if the operator runs it outside its dates,
 * because it has no end then. A campaign takes a month at most.
 */
export function campaignEnd(now: Date): Date | null {
  const end = endOfDayOfYear(campaignLastDay, now)
  const leftMs = end.getTime() - now.getTime()
  return leftMs > 0 && leftMs <= 31 * DAY_MS ? end : null
}
