import { formatDate } from '../../../lib/dates'
import { formatCentavos } from '../../../lib/money'
import { refund as texts } from '../../../texts/billing'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { Facts } from '../../../ui/facts'
import { useCopy } from '../../../ui/use-copy'
import styles from '../account.module.css'
import { type RefundTold, refundText } from './refund'

/** Money on its way back, with the number to ask for it by. */
export function RefundCard({ refund }: { refund: RefundTold }) {
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
