import { campaignCouponId, cardPlanOf } from '../../catalog/catalog'
import { planName } from '../../catalog/plan-names'
import type { SelectedPlan } from '../../catalog/selected-plan'
import { formatCentavos, storedPrice } from '../../lib/money'
import { useFirstPayment } from '../../purchase/first-payment'
import { signUp as texts } from '../../texts/sign-up'
import styles from './auth-page.module.css'

/** Over the sign-up form: the chosen plan. Only the visitor's coupon changes its stored price. */
export function ChosenPlan({ plan, code }: { plan: SelectedPlan; code: string | null }) {
  if (code === null && (plan.couponId === null || plan.couponId === campaignCouponId))
    return <PlanLine plan={plan} />
  return <PricedPlan plan={plan} />
}

/** At the price of its checkout, because a coupon may have come, gone or changed since the choice. */
function PricedPlan({ plan }: { plan: SelectedPlan }) {
  const payment = useFirstPayment(plan)
  const now = payment && { price: storedPrice(payment.centavos), couponId: payment.couponId }
  return <PlanLine plan={{ ...plan, ...now }} />
}

/** The plan, its price, and the later one if the first month costs less. */
function PlanLine({ plan: { planId, price, period, couponId } }: { plan: SelectedPlan }) {
  const isReduced = couponId !== null
  const month = isReduced && period === '/mês' ? cardPlanOf(planId)?.monthlyCentavos : undefined
  const reduced = period === '/mês' ? texts.firstMonth : texts.firstPeriod
  const later = couponId === campaignCouponId ? texts.laterInCampaign : texts.later
  return (
    <p className={styles.choice}>
      <span>{texts.plan}</span>
      <strong>{` ${planName(planId)}`}</strong>
      <span>{` ${texts.price(price, isReduced ? reduced : period)}`}</span>
      {month !== undefined && <small className={styles.later}>{` ${later(formatCentavos(month))}`}</small>}
    </p>
  )
}
