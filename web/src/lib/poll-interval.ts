import { useState } from 'react'
import { MINUTE_MS, SECOND_MS } from './timers'

const FIRST_MINUTE_POLL_MS = 3 * SECOND_MS
const LATER_POLL_MS = 30 * SECOND_MS

/** Time until the next read of a payment that the page awaits. A boleto may take three days. */
export function pollInterval(awaitedMs: number): number {
  return awaitedMs < MINUTE_MS ? FIRST_MINUTE_POLL_MS : LATER_POLL_MS
}

/** The same for a screen that has awaited the payment since it was opened. */
export function usePollInterval(): () => number {
  const [openedAt] = useState(() => performance.now())
  return () => pollInterval(performance.now() - openedAt)
}
