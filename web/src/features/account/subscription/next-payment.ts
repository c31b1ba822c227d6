import { paidBy } from '../../../api/subscription'
import { formatDate } from '../../../lib/dates'
import { formatCentavos } from '../../../lib/money'
import { nextPayment as texts } from '../../../texts/billing'
import type { Balance } from '../use-account'
import { isOver, type SubscriptionView } from './account-status'

/**
 * The next payments, as the card shows them. `next` is amount and day of the next payment; null
 * where none comes or its invoice is open already.
 */
export function comingMoney(view: SubscriptionView, { credit, carried }: Balance) {
  const { end, details } = view
  const amount = details?.nextPaymentCentavos
  if (details && end && amount !== undefined) {
    const isCovered = amount === 0n && credit >= details.priceCentavos
    const value = texts.value(formatCentavos(amount), formatDate(end))
    if (isCovered) return { next: `${value} ${texts.covered}`, notes: [] }
    const notes = [
      amount > 0n ? texts.by[paidBy(details)] : texts.tooLittle,
      credit > 0n && amount > 0n ? texts.creditFirst(formatCentavos(credit)) : '',
      carried > 0n ? texts.carriedWhy : '',
    ]
    return { next: value, notes: notes.filter((note) => note !== '') }
  }
  if (credit === 0n) return { next: null, notes: [] }
  const ends = details?.cancelAtPeriodEnd === true || isOver(view)
  return { next: null, notes: [ends ? texts.creditAfterEnd : texts.creditKept] }
}
