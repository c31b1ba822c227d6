import { intervalOf } from '../../../catalog/intervals'
import { planName } from '../../../catalog/plan-names'
import type { Invoice } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { formatDate, toDate } from '../../../lib/dates'
import { formatCentavos } from '../../../lib/money'
import { noBreak } from '../../../lib/no-break'
import { invoices as texts } from '../../../texts/billing'

/** An invoice as its line in the list shows it. */
export function invoiceLine(invoice: Invoice) {
  const {
    totalCentavos: total,
    amountDueCentavos: due,
    refundedCentavos: refunded,
    carriedCentavos: carried,
  } = invoice
  const credit = total - due - carried
  const made = toDate(invoice.createdAt)
  const interval = intervalOf(invoice.interval)?.name
  return {
    what: texts.reasons[invoice.reason] ?? texts.otherReason,
    plan: [invoice.planId && noBreak(planName(invoice.planId)), interval].filter(Boolean).join(', '),
    date: made ? formatDate(made) : '',
    number: invoice.number && texts.number(noBreak(invoice.number)),
    amount: total < 0n ? texts.credited(formatCentavos(-total)) : formatCentavos(due),
    // Details of the amount: paid with credit, refunded.
    notes: [
      total > 0n && credit > 0n ? texts.creditUsed(formatCentavos(total)) : '',
      total > 0n && credit < 0n ? texts.withEarlier(formatCentavos(-credit)) : '',
      carried > 0n ? texts.carried(formatCentavos(carried)) : '',
      refunded > 0n ? texts.refunded(formatCentavos(refunded)) : '',
    ].filter((note) => note !== ''),
    // Kind of the provider's page: a receipt once money was paid, until then the invoice.
    paper: ['paid', 'refunded'].includes(invoice.status) ? ('receipt' as const) : ('invoice' as const),
    method: texts.methods[invoice.paymentMethod] ?? '',
    status: statusOf(invoice),
    tone: toneOf(invoice),
  }
}

function statusOf({ totalCentavos, creditEnded, status }: Invoice): string {
  if (totalCentavos < 0n) return creditEnded ? texts.creditEnded : texts.asCredit
  return texts.statuses[status] ?? status
}

function toneOf({ creditEnded, status }: Invoice) {
  if (status === 'open') return 'waiting'
  return status === 'paid' && !creditEnded ? 'good' : 'plain'
}
