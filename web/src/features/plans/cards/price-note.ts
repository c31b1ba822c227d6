import { type CardPlan, campaignCouponId, campaignLastDay } from '../../../catalog/catalog'
import type { Deal } from '../../../catalog/deals'
import { formatCentavos } from '../../../lib/money'
import { plans as texts } from '../../../texts/plans'

/** The price of a plan: per month, with a deal after the price of the first month. */
export function priceNote({ monthlyCentavos }: CardPlan, deal: Deal | null): string {
  const monthly = `${formatCentavos(monthlyCentavos)}${texts.perMonth}`
  return deal ? texts.trialThen(formatCentavos(deal.firstMonthCentavos), monthly) : monthly
}

/** One line under the button of a card: the trial that it begins. */
export function cardNote(deal: Deal | null): string {
  return deal?.couponId === campaignCouponId ? texts.cardNoteCampaign(campaignLastDay) : texts.cardNote
}

/** The trial that the button begins, and the price after it, where no card shows the price. */
export function trialLine(plan: CardPlan, deal: Deal | null): string {
  if (deal?.couponId !== campaignCouponId) return texts.priceAfterTrial(priceNote(plan, deal))
  const monthly = `${formatCentavos(plan.monthlyCentavos)}${texts.perMonth}`
  return texts.trialCampaign(formatCentavos(deal.firstMonthCentavos), monthly)
}
