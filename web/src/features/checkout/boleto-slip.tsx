import type { Boleto } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { formatBoletoLine } from '../../lib/boleto-line'
import { formatDate, toDate } from '../../lib/dates'
import { formatCentavos } from '../../lib/money'
import { useToasts } from '../../lib/toasts'
import { paymentAwaited as texts } from '../../texts/results'
import { Barcode } from '../../ui/barcode'
import { Button } from '../../ui/button'
import styles from './boleto-slip.module.css'

/** The bank slip as a paper slip: amount, due date, the line to copy, and the bar code for who points a phone at it. */
export function BoletoSlip({ boleto }: { boleto: Boleto }) {
  const { show } = useToasts()
  const due = toDate(boleto.dueAt)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(boleto.line)
      show({ kind: 'success', title: texts.copied })
    } catch {
      show({ kind: 'error', title: texts.copyFailed })
    }
  }
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
      <p className={styles.line}>{formatBoletoLine(boleto.line)}</p>
      <Button wide onClick={copy}>
        {texts.copy}
      </Button>
      <Barcode digits={boleto.barcode} label={texts.barcode} />
    </section>
  )
}
