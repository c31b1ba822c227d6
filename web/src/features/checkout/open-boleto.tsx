import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../../api/query-client'
import { subscriptionQuery } from '../../api/subscription'
import { readTab, writeTab } from '../../lib/browser-storage'
import { useLate } from '../../lib/use-late'
import { useUid } from '../../session/session'
import { openBoleto as texts } from '../../texts/open-boleto'
import { Button } from '../../ui/button'

const loadNotice = async () => (await import('./boleto-notice')).BoletoNotice

/**
 * A boleto that waits already, before somebody makes a second one. `once`: not after 'Pagar de outro
 * jeito' was pressed in this tab, or in the tab that opened it.
 */
export function OpenBoleto({ once = false }: { once?: boolean }) {
  const { data } = useQuery(subscriptionQuery(useUid()), queryClient)
  const open = data?.boleto ?? null
  const [putAside, setPutAside] = useState(() => (once ? readTab('boletoAsked') : null))
  const boleto = open?.line === putAside ? null : open
  // Most who buy have none.
  const BoletoNotice = useLate(loadNotice, boleto)
  if (!boleto || !BoletoNotice) return null
  const putItAside = () => {
    writeTab('boletoAsked', boleto.line)
    setPutAside(boleto.line)
  }
  return (
    <BoletoNotice boleto={boleto} more={texts.other}>
      <Button variant="secondary" size="sm" onClick={putItAside}>
        {texts.otherWay}
      </Button>
    </BoletoNotice>
  )
}
