import type { Refund } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { formatDate, toDate } from '../../../lib/dates'
import { formatCentavos } from '../../../lib/money'
import { serverNow } from '../../../lib/server-clock'
import { refund as texts } from '../../../texts/billing'

/** A refund is paid, or on its way. */
export const refundState = ({ state }: Refund) => (state === 'paid' ? 'paid' : 'requested')

/** How the money comes, each part of it, and until when. */
export function refundText(refund: Refund): string {
  const { amountCentavos, pixCentavos } = refund
  const state = refundState(refund)
  const day = toDate(refund.dueAt)
  if (pixCentavos === 0n) return texts.text[state].card
  const onCard = amountCentavos - pixCentavos
  const due = day ? texts.until(formatDate(day)) : texts.within
  if (onCard > 0n) return texts.text[state].both(formatCentavos(onCard), formatCentavos(pixCentavos), due)
  return texts.text[state].pix(due)
}

/**
 * The provider makes a refund by card within seconds, unless it is down or the payment is disputed.
 */
const UNDER_WAY_MS = 60_000

/** Whether the refund by card is being made, or the credit that ends with it is still there. */
export function isUnderWay(refund: Refund | undefined, credit: bigint, now = serverNow()): boolean {
  const requestedAt = toDate(refund?.requestedAt)
  if (!refund || !requestedAt || now.getTime() - requestedAt.getTime() >= UNDER_WAY_MS) return false
  return refund.state === 'paid' ? credit > 0n : refund.amountCentavos > refund.pixCentavos
}
