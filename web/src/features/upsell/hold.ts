import { UPSELL_HOLD_MS } from '../../lib/timers'

/**
 * Until when the selection and its offers are held. A stored end is kept, also when it has passed,
 * so that a reload does not buy time; one that is missing, unreadable or further away than a hold
 * can be is made anew. An end of an earlier choice never gets here: it goes when a plan is chosen.
 */
export function holdEnd(stored: Date | null, now: Date): Date {
  const latest = new Date(now.getTime() + UPSELL_HOLD_MS)
  return stored && stored.getTime() <= latest.getTime() + CLOCK_SLACK_MS ? stored : latest
}

/** The page that stored the end may have had a clock slightly ahead. */
const CLOCK_SLACK_MS = 5_000
