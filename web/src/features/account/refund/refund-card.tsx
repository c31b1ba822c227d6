import { formatDate } from '../../../lib/dates'
import { formatCentavos } from '../../../lib/money'
import { useToasts } from '../../../lib/toasts'
import { refund as texts } from '../../../texts/billing'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import styles from '../account.module.css'
import { type RefundTold, refundText } from './refund'

/** Money on its way back, with the number to ask for it by. */
export function RefundCard({ refund }: { refund: RefundTold }) {
  const { show } = useToasts()
  const title = texts.title[refund.state]
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(refund.protocol)
      show({ kind: 'success', title: texts.copied, about: 'protocol' })
    } catch {
      show({ kind: 'error', title: texts.copyFailed, about: 'protocol' })
    }
  }
  return (
    <Card className={styles.card} aria-label={title}>
      <h2>{title}</h2>
      <p>{refundText(refund)}</p>
      <dl className={styles.facts}>
        <div>
          <dt>{texts.amount}</dt>
          <dd>{formatCentavos(refund.amountCentavos)}</dd>
        </div>
        {refund.requestedAt && (
          <div>
            <dt>{texts.asked}</dt>
            <dd>{formatDate(refund.requestedAt)}</dd>
          </div>
        )}
        <div>
          <dt>{texts.protocol}</dt>
          <dd className={styles.protocol}>{refund.protocol}</dd>
        </div>
      </dl>
      <div className={styles.actions}>
        <Button variant="secondary" size="sm" onClick={copy}>
          {texts.copy}
        </Button>
      </div>
    </Card>
  )
}
