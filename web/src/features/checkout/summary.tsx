import { intervalOf } from '../../catalog/intervals'
import { planName } from '../../catalog/plan-names'
import type { SelectedPlan } from '../../catalog/selected-plan'
import { formatDate } from '../../lib/dates'
import type { Elements } from '../../lib/elements'
import { formatCentavos } from '../../lib/money'
import { useSubscription } from '../../purchase/use-subscription'
import { checkout as texts } from '../../texts/checkout'
import { Bill } from '../../ui/facts'
import styles from './checkout.module.css'

/** What is bought, as a receipt that draws itself beside the form. */
export function Summary({
  plan,
  todayCentavos,
  children,
}: {
  plan: SelectedPlan | null
  /** First payment. */
  todayCentavos: bigint | null
  /** A line under the total. */
  children: Elements
}) {
  const { title, ...labels } = texts.summary
  const subscribing = useSubscription()
  const later = subscribing.kind === 'inactive' ? subscribing.firstChargeAt : null
  const coupon = plan?.couponCode ?? plan?.couponId
  const today = subscribing.kind === 'asking' ? null : todayCentavos
  return (
    <aside className={styles.receipt} aria-label={title}>
      <h2>{title}</h2>
      <Bill
        facts={[
          plan && [labels.plan, planName(plan.planId)],
          plan && [labels.interval, intervalOf(plan.interval)?.name],
          coupon && [labels.coupon, coupon],
        ]}
      />
      {today !== null && (
        <Bill
          className={styles.amount}
          facts={[later && [labels.later(formatDate(later)), formatCentavos(today)]]}
          total={[labels.today, later ? 0 : today]}
        />
      )}
      {children}
      {!(subscribing.kind === 'inactive' && subscribing.guaranteeUsed) && <p>{labels.guarantee}</p>}
    </aside>
  )
}
