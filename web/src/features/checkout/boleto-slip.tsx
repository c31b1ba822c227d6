import type { Boleto } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { formatBoletoLine } from '../../lib/boleto-line'
import { formatDate, toDate } from '../../lib/dates'
import { formatCentavos } from '../../lib/money'
import { paymentAwaited as texts } from '../../texts/results'
import { Barcode } from '../../ui/barcode'
import { Button } from '../../ui/button'
import { useCopy } from '../../ui/use-copy'
import styles from './boleto-slip.module.css'

/** The bank slip as a paper slip: amount, due date, the line to copy, and the bar code for who points a phone at it. */
export function BoletoSlip({ boleto }: { boleto: Boleto }) {
  const { shown, copy } = useCopy<HTMLParagraphElement>(texts.copied)
  const due = toDate(boleto.dueAt)
  return (
    <section className={styles.slip} aria-label={texts.slip}>
      <dl className={styles.facts}>
        <div>
          <dt>{texts.amount}</dt>
          <dd>{formatCentavos(boleto.amountCentavos)}</dd>
        </div>
        {due && (
          <div>
            <dt>{texts.due}</dt>
            <dd>{formatDate(due)}</dd>
          </div>
        )}
      </dl>
      <p className={styles.label}>{texts.line}</p>
      <p ref={shown} className={styles.line}>
        {formatBoletoLine(boleto.line)}
      </p>
      <Button wide onClick={() => void copy(boleto.line)}>
        {texts.copy}
      </Button>
      <Barcode digits={boleto.barcode} label={texts.barcode} />
    </section>
  )
}
