import type { SubscriptionStatus } from '../../../api/subscription'
import { statusLabels } from '../../../texts/account'

/** subscription_active true or false decides; before a first payment the status's own text. */
export function statusLabel(active: boolean | undefined, status: SubscriptionStatus | undefined) {
  if (active === true) return { text: statusLabels.active, tone: 'good' as const }
  if (active === false) return { text: statusLabels.inactive, tone: 'bad' as const }
  return { text: status ? statusLabels.byStatus[status] : statusLabels.processing, tone: 'waiting' as const }
}
