import type { Boleto } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { formatDate, toDate } from '../../lib/dates'
import type { Elements } from '../../lib/elements'
import { formatCentavos } from '../../lib/money'
import { paths } from '../../lib/paths'
import { sentences } from '../../lib/sentences'
import { openBoleto as texts } from '../../texts/boleto'
import { Button, ButtonLink } from '../../ui/button'
import { Card } from '../../ui/card'
import { NewTabLink } from '../../ui/new-tab-link'
import styles from './boleto-notice.module.css'

/** Asks whether to pay another way; once answered, it says that the boleto still holds. */
export function BoletoQuestion({ boleto, onOtherWay }: { boleto: Boleto; onOtherWay: (() => void) | null }) {
  return (
    <BoletoNotice boleto={boleto} more={onOtherWay ? texts.other : texts.stillHolds}>
      {onOtherWay && (
        <Button variant="secondary" size="sm" onClick={onOtherWay}>
          {texts.otherWay}
        </Button>
      )}
    </BoletoNotice>
  )
}

/**
 * That a boleto waits, of how much and until when; `more` follows its text, `children` its button.
 */
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
