import type { Refund } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { formatDate, toDate } from '../../../lib/dates'
import { formatCentavos } from '../../../lib/money'
import { serverNow } from '../../../lib/server-clock'
import { refund as texts } from '../../../texts/billing'

/** A refund as its card shows it. */
export interface RefundSummary {
  protocol: string
  amountCentavos: bigint
  /** What of it comes by Pix; the rest comes on the card. */
  pixCentavos: bigint
  state: 'requested' | 'paid'
  requestedAt: Date | null
  /** Until when a Pix is paid. */
  dueAt: Date | null
}

export function toRefundSummary(refund: Omit<Refund, '$typeName' | '$unknown'>): RefundSummary {
  return {
    protocol: refund.protocol,
    amountCentavos: refund.amountCentavos,
    pixCentavos: refund.pixCentavos,
    state: refund.state === 'paid' ? 'paid' : 'requested',
    requestedAt: toDate(refund.requestedAt),
    dueAt: toDate(refund.dueAt),
  }
}

/** How the money comes, each part of it, and until when. */
export function refundText({ amountCentavos, pixCentavos, state, dueAt }: RefundSummary): string {
  if (pixCentavos === 0n) return texts.text[state].card
  const onCard = amountCentavos - pixCentavos
  const due = dueAt ? texts.until(formatDate(dueAt)) : texts.within
  if (onCard > 0n) return texts.text[state].both(formatCentavos(onCard), formatCentavos(pixCentavos), due)
  return texts.text[state].pix(due)
}

/**
 * The provider makes a refund by card within seconds, unless it is down or the payment is disputed.
 */
const UNDER_WAY_MS = 60_000

/** Whether the refund by card is being made, or the credit that ends with it is still there. */
export function isUnderWay(refund: RefundSummary | null, credit: bigint, now = serverNow()): boolean {
  if (!refund?.requestedAt || now.getTime() - refund.requestedAt.getTime() >= UNDER_WAY_MS) return false
  return refund.state === 'paid' ? credit > 0n : refund.amountCentavos > refund.pixCentavos
}
