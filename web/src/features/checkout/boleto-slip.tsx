import type { Boleto } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { formatBoletoLine } from '../../lib/boleto-line'
import { formatDate, toDate } from '../../lib/dates'
import { formatCentavos } from '../../lib/money'
import { boleto as texts } from '../../texts/boleto'
import { Barcode } from '../../ui/barcode'
import { Button } from '../../ui/button'
import { Facts } from '../../ui/facts'
import { useCopy } from '../../ui/use-copy'
import styles from './boleto-slip.module.css'

/**
 * The bank slip as a paper slip: amount, due date, the line to copy, and the bar code for a phone's
 * camera.
 */
export function BoletoSlip({ boleto }: { boleto: Boleto }) {
  const { shown, copy } = useCopy<HTMLParagraphElement>(texts.copied)
  const due = toDate(boleto.dueAt)
  return (
    <section className={styles.slip} aria-label={texts.slip}>
      <Facts
        className={styles.facts}
        facts={[[texts.amount, formatCentavos(boleto.amountCentavos)], due && [texts.due, formatDate(due)]]}
      />
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
