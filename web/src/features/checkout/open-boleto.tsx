import { useEffect, useState } from 'react'
import { askSubscription } from '../../api/subscription'
import type { Boleto } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { readTab, writeTab } from '../../lib/browser-storage'
import { useConfirmedSession } from '../../lib/session'
import { openBoleto as texts } from '../../texts/upsell'
import { Button } from '../../ui/button'
import { BoletoNotice } from './boleto-notice'

/**
 * A boleto that waits already, before somebody makes a second one. `once`: not where this tab,
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
  return (
    <BoletoNotice boleto={boleto} more={texts.other}>
      <Button variant="secondary" size="sm" onClick={() => setBoleto(null)}>
        {texts.otherWay}
      </Button>
    </BoletoNotice>
  )
}
