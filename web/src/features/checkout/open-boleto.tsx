import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { subscriptionQuery } from '../../api/subscription'
import { readTab, writeTab } from '../../lib/browser-storage'
import { useUid } from '../../session/session'
import { BoletoQuestion } from './boleto-notice'

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
  return <BoletoQuestion boleto={shown} onOtherWay={isAnswered ? null : answer} />
}
