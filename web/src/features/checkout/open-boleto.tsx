import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { queryClient } from '../../api/query-client'
import { subscriptionQuery } from '../../api/subscription'
import { readTab, writeTab } from '../../lib/browser-storage'
import { useLate } from '../../lib/use-late'
import { useUid } from '../../session/session'
import { openBoleto as texts } from '../../texts/open-boleto'
import { Button } from '../../ui/button'

const loadNotice = async () => (await import('./boleto-notice')).BoletoNotice

/**
 * A boleto that waits already, before somebody makes a second one. `once`: not where this tab,
 * or the one that opened it, has been asked before on the way here.
 */
export function OpenBoleto({ once = false }: { once?: boolean }) {
  const { data } = useQuery(subscriptionQuery(useUid()), queryClient)
  const open = data?.boleto ?? null
  // Read before the tab is marked below.
  const [asked] = useState(() => (once ? readTab('boletoAsked') : null))
  const [isPutAside, setPutAside] = useState(false)
  const boleto = isPutAside || open?.line === asked ? null : open
  // Most who buy have none.
  const BoletoNotice = useLate(loadNotice, boleto)
  const isShown = boleto !== null && BoletoNotice !== undefined
  useEffect(() => {
    if (isShown) writeTab('boletoAsked', boleto.line)
  }, [isShown, boleto])

  if (!isShown) return null
  return (
    <BoletoNotice boleto={boleto} more={texts.other}>
      <Button variant="secondary" size="sm" onClick={() => setPutAside(true)}>
        {texts.otherWay}
      </Button>
    </BoletoNotice>
  )
}
