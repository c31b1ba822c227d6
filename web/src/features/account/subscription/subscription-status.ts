import type { SubscriptionStatus } from '../../../api/subscription'
import { statusLabels } from '../../../texts/account'

/** The label of a subscription and how it is set off. */
export interface StatusLabel {
  text: string
  tone: 'good' | 'bad' | 'waiting'
}

/** subscription_active true or false decides; before a first payment the status's own text. */
export function statusLabel(
  active: boolean | undefined,
  status: SubscriptionStatus | undefined,
): StatusLabel {
  if (active === true) return { text: statusLabels.active, tone: 'good' }
  if (active === false) return { text: statusLabels.inactive, tone: 'bad' }
  return { text: status ? statusLabels.byStatus[status] : statusLabels.processing, tone: 'waiting' }
}
