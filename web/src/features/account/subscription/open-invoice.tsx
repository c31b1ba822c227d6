import { owesRenewal } from '../../../api/subscription'
import { classNames } from '../../../lib/class-names'
import { paths } from '../../../lib/paths'
import { ManagePlan } from '../../../parts/manage-plan'
import { useSubscription } from '../../../purchase/use-subscription'
import { openInvoice as texts } from '../../../texts/upsell'
import { ButtonLink } from '../../../ui/button'
import { Card } from '../../../ui/card'
import styles from '../account.module.css'

/** A notice of an unpaid renewal, before its owner buys another plan. */
export function OpenInvoice() {
  const { subscription } = useSubscription()
  if (!owesRenewal(subscription)) return null
  return (
    <Card className={classNames(styles.card, styles.payment)} aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <p>{texts.text(subscription.planName)}</p>
      <div className={styles.actions}>
        {subscription.needsAuthentication ? (
          <ButtonLink href={paths.confirmPayment}>{texts.confirm}</ButtonLink>
        ) : (
          <ManagePlan text={texts.pay} />
        )}
      </div>
    </Card>
  )
}
