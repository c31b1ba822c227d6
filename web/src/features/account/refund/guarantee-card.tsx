import type { Subscription } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { formatMoment, toDate } from '../../../lib/dates'
import { formatCentavos } from '../../../lib/money'
import { guarantee as texts } from '../../../texts/billing'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import styles from '../account.module.css'

/** The first payment back, while the guarantee holds. */
export function GuaranteeCard({ subscription, onOpen }: { subscription: Subscription; onOpen: () => void }) {
  const until = toDate(subscription.refundableUntil)
  const amount = subscription.refundableCentavos
  if (!until || !amount) return null
  return (
    <Card className={styles.card} aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <p>{texts.text(formatCentavos(amount), formatMoment(until))}</p>
      <div className={styles.actions}>
        <Button variant="secondary" onClick={onOpen}>
          {texts.open}
        </Button>
      </div>
    </Card>
  )
}
