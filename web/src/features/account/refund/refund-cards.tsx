import type { Subscription } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { formatDate, formatMoment, toDate } from '../../../lib/dates'
import { formatCentavos } from '../../../lib/money'
import { guarantee, refund as texts } from '../../../texts/billing'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { Facts } from '../../../ui/facts'
import { useCopy } from '../../../ui/use-copy'
import styles from '../account.module.css'
import { type RefundSummary, refundText } from './refund'

/** Money on its way back, with the number to ask for it by. */
export function RefundCard({ refund }: { refund: RefundSummary }) {
  const { shown, copy } = useCopy<HTMLElement>(texts.copied)
  const title = texts.title[refund.state]
  return (
    <Card className={styles.card} aria-label={title}>
      <h2>{title}</h2>
      <p>{refundText(refund)}</p>
      <Facts
        className={styles.facts}
        facts={[
          [texts.amount, formatCentavos(refund.amountCentavos)],
          refund.requestedAt && [texts.asked, formatDate(refund.requestedAt)],
          [
            texts.protocol,
            <span key="protocol" ref={shown} className={styles.protocol}>
              {refund.protocol}
            </span>,
          ],
        ]}
      />
      <div className={styles.actions}>
        <Button variant="secondary" size="sm" onClick={() => void copy(refund.protocol)}>
          {texts.copy}
        </Button>
      </div>
    </Card>
  )
}

/** The first payment back, while the guarantee holds. */
export function GuaranteeCard({ subscription, onOpen }: { subscription: Subscription; onOpen: () => void }) {
  const until = toDate(subscription.refundableUntil)
  const amount = subscription.refundableCentavos
  if (!until || !amount) return null
  return (
    <Card className={styles.card} aria-label={guarantee.title}>
      <h2>{guarantee.title}</h2>
      <p>{guarantee.text(formatCentavos(amount), formatMoment(until))}</p>
      <div className={styles.actions}>
        <Button variant="secondary" onClick={onOpen}>
          {guarantee.open}
        </Button>
      </div>
    </Card>
  )
}
