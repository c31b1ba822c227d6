import { useEffect, useState } from 'react'
import { askSubscription } from '../../api/subscription'
import type { Boleto } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { readTab, writeTab } from '../../lib/browser-storage'
import { formatDate, toDate } from '../../lib/dates'
import { formatCentavos } from '../../lib/money'
import { paths } from '../../lib/paths'
import { useConfirmedSession } from '../../lib/session'
import { openBoleto as texts } from '../../texts/upsell'
import { Button, ButtonLink } from '../../ui/button'
import { Card } from '../../ui/card'
import styles from './open-boleto.module.css'

/**
 * A boleto that waits already, before somebody makes a second one. Design section 7. `once`: not where this tab,
 * or the one that opened it, has been asked before on the way here.
 */
export function OpenBoleto({ once = false }: { once?: boolean }) {
  const session = useConfirmedSession()
  const [boleto, setBoleto] = useState<Boleto | null>(null)
  const uid = session.kind === 'user' ? session.user.uid : null

  useEffect(() => {
    if (!uid) return
    let wanted = true
    askSubscription().then(
      ({ boleto: open }) => {
        if (!wanted || !open || (once && readTab('boletoAsked') === open.line)) return
        setBoleto(open)
        writeTab('boletoAsked', open.line)
      },
      (cause: unknown) => console.warn('reading the open boleto failed', cause),
    )
    return () => {
      wanted = false
    }
  }, [uid, once])

  if (!boleto) return null
  const due = toDate(boleto.dueAt)
  const amount = formatCentavos(boleto.amountCentavos)
  return (
    <Card className={styles.notice} aria-label={texts.title}>
      <h2 className={styles.title}>{texts.title}</h2>
      <p>
        {due ? texts.textUntil(amount, formatDate(due)) : texts.text(amount)} {texts.other}
      </p>
      <div className={styles.actions}>
        {boleto.voucherUrl ? (
          <ButtonLink href={boleto.voucherUrl} target="_blank" rel="noopener" size="sm">
            {texts.view}
          </ButtonLink>
        ) : (
          <ButtonLink href={paths.account} size="sm">
            {texts.view}
          </ButtonLink>
        )}
        <Button variant="secondary" size="sm" onClick={() => setBoleto(null)}>
          {texts.otherWay}
        </Button>
      </div>
    </Card>
  )
}
