import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { subscriptionQuery } from '../api/subscription'
import type { Boleto } from '../gen/garimpo/billing/v1/billing_service_pb'
import { formatBoletoLine } from '../lib/boleto-line'
import { readTab, writeTab } from '../lib/browser-storage'
import { formatDate, toDate } from '../lib/dates'
import type { Elements } from '../lib/elements'
import { formatCentavos } from '../lib/money'
import { paths } from '../lib/paths'
import { sentences } from '../lib/sentences'
import { useUid } from '../session/session'
import { boleto as slipTexts, openBoleto as texts } from '../texts/boleto'
import { Barcode } from '../ui/barcode'
import { Button, ButtonLink } from '../ui/button'
import { Card } from '../ui/card'
import { Facts } from '../ui/facts'
import { NewTabLink } from '../ui/new-tab-link'
import { useCopy } from '../ui/use-copy'
import styles from './boleto-notice.module.css'
import slip from './boleto-slip.module.css'

/** Asks whether to pay another way; once answered, it says that the boleto still holds. */
function BoletoQuestion({ boleto, onDismiss }: { boleto: Boleto; onDismiss: (() => void) | null }) {
  return (
    <BoletoNotice boleto={boleto} more={onDismiss ? texts.other : texts.stillHolds}>
      {onDismiss && (
        <Button variant="secondary" size="sm" onClick={onDismiss}>
          {texts.otherWay}
        </Button>
      )}
    </BoletoNotice>
  )
}

/** An open boleto, its amount and due date; `more` follows its text, `children` its button. */
export function BoletoNotice({
  boleto,
  more,
  children,
}: {
  boleto: Boleto
  more: string
  children?: Elements
}) {
  const due = toDate(boleto.dueAt)
  const amount = formatCentavos(boleto.amountCentavos)
  return (
    <Card className={styles.notice} aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <p>{sentences(due ? texts.textUntil(amount, formatDate(due)) : texts.text(amount), more)}</p>
      <div className="actions">
        {boleto.voucherUrl ? (
          <NewTabLink href={boleto.voucherUrl} size="sm">
            {texts.view}
          </NewTabLink>
        ) : (
          <ButtonLink href={paths.account} size="sm">
            {texts.view}
          </ButtonLink>
        )}
        {children}
      </div>
    </Card>
  )
}

/**
 * An open boleto, before the visitor creates a second one. `once`: hidden after 'Pagar de outro
 * jeito' was pressed in this tab, or in the tab that opened it.
 */
export function OpenBoleto({ once = false }: { once?: boolean }) {
  const { data } = useQuery(subscriptionQuery(useUid()))
  const boleto = data?.boleto ?? null
  const [answered, setAnswered] = useState(() => (once ? readTab('boletoAsked') : null))
  const isAnswered = boleto?.line === answered
  const shown = once && isAnswered ? null : boleto
  if (!shown) return null
  const answer = () => {
    writeTab('boletoAsked', shown.line)
    setAnswered(shown.line)
  }
  return <BoletoQuestion boleto={shown} onDismiss={isAnswered ? null : answer} />
}

/**
 * The bank slip as a paper slip: amount, due date, the line to copy, and the bar code for a phone's
 * camera.
 */
export function BoletoSlip({ boleto }: { boleto: Boleto }) {
  const { shown, copy } = useCopy<HTMLParagraphElement>(slipTexts.copied)
  const due = toDate(boleto.dueAt)
  return (
    <section className={slip.slip} aria-label={slipTexts.slip}>
      <Facts
        className={slip.facts}
        facts={[
          [slipTexts.amount, formatCentavos(boleto.amountCentavos)],
          due && [slipTexts.due, formatDate(due)],
        ]}
      />
      <p className={slip.label}>{slipTexts.line}</p>
      <p ref={shown} className={slip.line}>
        {formatBoletoLine(boleto.line)}
      </p>
      <Button wide onClick={() => void copy(boleto.line)}>
        {slipTexts.copy}
      </Button>
      <Barcode digits={boleto.barcode} label={slipTexts.barcode} />
    </section>
  )
}
