import type { CardPlan } from '../../../catalog/catalog'
import type { Deal } from '../../../catalog/deals'
import { formatCentavos } from '../../../lib/money'
import { plans as texts } from '../../../texts/plans'

/** The price of a plan: per month, with a deal after the price of the first month. */
export function priceNote({ monthlyCentavos }: CardPlan, deal: Deal | null): string {
  const monthly = `${formatCentavos(monthlyCentavos)}${texts.perMonth}`
  return deal ? texts.trialThen(formatCentavos(deal.firstMonthCentavos), monthly) : monthly
}

/** The trial that the button begins, and the price after it. */
export function trialLine(plan: CardPlan, deal: Deal | null): string {
  if (!deal || deal.couponId !== plan.blackNovember?.couponId) return texts.trialNote(priceNote(plan, deal))
  const monthly = `${formatCentavos(plan.monthlyCentavos)}${texts.perMonth}`
  return texts.trialCampaign(formatCentavos(deal.firstMonthCentavos), monthly)
}
