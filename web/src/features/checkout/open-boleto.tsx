import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { subscriptionQuery } from '../../api/subscription'
import { readTab, writeTab } from '../../lib/browser-storage'
import { useLate } from '../../lib/use-late'
import { useUid } from '../../session/session'

const loadQuestion = async () => (await import('./boleto-notice')).BoletoQuestion

/**
 * A boleto that waits already, before somebody makes a second one. `once`: nothing is left of it
 * after 'Pagar de outro jeito' was pressed in this tab, or in the tab that opened it.
 */
export function OpenBoleto({ once = false }: { once?: boolean }) {
  const { data } = useQuery(subscriptionQuery(useUid()))
  const boleto = data?.boleto ?? null
  const [answered, setAnswered] = useState(() => (once ? readTab('boletoAsked') : null))
  const isAnswered = boleto?.line === answered
  const shown = once && isAnswered ? null : boleto
  // Most who buy have none.
  const BoletoQuestion = useLate(loadQuestion, shown)
  if (!shown || !BoletoQuestion) return null
  const answer = () => {
    writeTab('boletoAsked', shown.line)
    setAnswered(shown.line)
  }
  return <BoletoQuestion boleto={shown} onOtherWay={isAnswered ? null : answer} />
}
