import type { Refund } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { formatDate, toDate } from '../../lib/dates'
import { refund as texts } from '../../texts/billing'

/** A refund as its card tells it. */
export interface RefundTold {
  protocol: string
  amountCentavos: bigint
  method: string
  state: 'requested' | 'paid'
  requestedAt: Date | null
  /** Until when a Pix is paid. */
  dueAt: Date | null
}

export function toldOf(refund: Omit<Refund, '$typeName' | '$unknown'>): RefundTold {
  return {
    protocol: refund.protocol,
    amountCentavos: refund.amountCentavos,
    method: refund.method,
    state: refund.state === 'paid' ? 'paid' : 'requested',
    requestedAt: toDate(refund.requestedAt),
    dueAt: toDate(refund.dueAt),
  }
}

/** How the money comes, and until when. */
export function refundText({ method, state, dueAt }: RefundTold): string {
  if (method !== 'pix') return texts.text[state].card
  if (state === 'paid') return texts.text.paid.pix
  return dueAt ? texts.text.requested.pix(formatDate(dueAt)) : texts.text.requested.pixUndated
}
