import type { SelectedPlan } from '../lib/browser-storage'
import { inCampaign } from '../lib/catalog'
import { intervalOf } from '../texts/intervals'

/** Whether Black November lowers the first payment of the plan. */
export function isInCampaign({ name, interval }: SelectedPlan): boolean {
  return intervalOf(interval)?.stored === 'monthly' && inCampaign.includes(name)
}
