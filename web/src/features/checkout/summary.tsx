import type { SelectedPlan } from '../../lib/browser-storage'
import { checkout as texts } from '../../texts/checkout'
import { Price } from '../../ui/price'
import styles from './checkout.module.css'

/** What is bought, as a receipt that draws itself beside the form. */
export function Summary({
  plan,
  todayCentavos,
}: {
  plan: SelectedPlan | null
  todayCentavos: bigint | null
}) {
  const { title, ...labels } = texts.summary
  return (
    <aside className={styles.receipt} aria-label={title}>
      <h2>{title}</h2>
      <dl>
        {plan && (
          <>
            <div>
              <dt>{labels.plan}</dt>
              <dd>{plan.name}</dd>
            </div>
            <div>
              <dt>{labels.interval}</dt>
              <dd>{texts.intervals[plan.interval]}</dd>
            </div>
            {(plan.couponCode ?? plan.couponId) && (
              <div>
                <dt>{labels.coupon}</dt>
                <dd>{plan.couponCode ?? plan.couponId}</dd>
              </div>
            )}
          </>
        )}
        {todayCentavos !== null && (
          <div className={styles.total}>
            <dt>{labels.today}</dt>
            <dd>
              <Price centavos={todayCentavos} />
            </dd>
          </div>
        )}
      </dl>
      <p>{labels.renews}</p>
      <p>{labels.guarantee}</p>
    </aside>
  )
}
