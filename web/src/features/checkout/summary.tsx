import type { ReactNode } from 'react'
import type { SelectedPlan } from '../../lib/browser-storage'
import { classNames } from '../../lib/class-names'
import { formatDate } from '../../lib/dates'
import { formatCentavos } from '../../lib/money'
import { useSubscription } from '../../purchase/use-subscription'
import { checkout as texts } from '../../texts/checkout'
import { intervalOf } from '../../texts/intervals'
import bill from '../../ui/bill.module.css'
import { Price } from '../../ui/price'
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
  children: ReactNode
}) {
  const { title, ...labels } = texts.summary
  const subscribing = useSubscription()
  const later = subscribing.kind === 'inactive' ? subscribing.firstChargeAt : null
  return (
    <aside className={styles.receipt} aria-label={title}>
      <h2>{title}</h2>
      <dl className={bill.bill}>
        {plan && (
          <>
            <div>
              <dt>{labels.plan}</dt>
              <dd>{plan.name}</dd>
            </div>
            <div>
              <dt>{labels.interval}</dt>
              <dd>{intervalOf(plan.interval)?.name}</dd>
            </div>
            {(plan.couponCode ?? plan.couponId) && (
              <div>
                <dt>{labels.coupon}</dt>
                <dd>{plan.couponCode ?? plan.couponId}</dd>
              </div>
            )}
          </>
        )}
        {todayCentavos !== null && subscribing.kind !== 'asking' && (
          <>
            {later && (
              <div className={styles.amount}>
                <dt>{labels.later(formatDate(later))}</dt>
                <dd>{formatCentavos(todayCentavos)}</dd>
              </div>
            )}
            <div className={classNames(bill.total, styles.amount)}>
              <dt>{labels.today}</dt>
              <dd>
                <Price centavos={later ? 0 : todayCentavos} />
              </dd>
            </div>
          </>
        )}
      </dl>
      {children}
      <p>{labels.guarantee}</p>
    </aside>
  )
}
